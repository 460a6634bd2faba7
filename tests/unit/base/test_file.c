#include "check.h"

#include "base/file.h"

#include <sys/stat.h>
#include <unistd.h>

static void a_file_is_opened(void **state)
{
    FILE *file = file_open("tests/unit/base/test_file.c", NULL);

    assert_non_null(file);
    assert_int_equal(fgetc(file), '#');
    fclose(file);
}

static void what_cannot_be_read_says_why(void **state)
{
    struct err err = {0};

    assert_null(file_open("tests/nothing", &err));
    assert_int_equal(err.code, ERR_USAGE);
    assert_string_equal(err.text, "tests/nothing: cannot be read: No such file or directory");
    err_clear(&err);
    assert_null(file_open("tests", &err));
    assert_int_equal(err.code, ERR_USAGE);
    assert_string_equal(err.text, "tests: cannot be read: Is a directory");
}

static void a_file_is_read_whole(void **state)
{
    char path[] = "/tmp/occutune-file-XXXXXX", big[40000], *text;
    const int file = mkstemp(path);
    struct err err = {0};
    size_t size;

    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    assert_true(file >= 0);
    assert_int_equal(close(file), 0);
    assert_int_equal(file_read(&text, &size, path, &err), 0);
    assert_int_equal(size, 0);
    assert_string_equal(text, "");
    free(text);
    assert_int_equal(file_write(path, big, sizeof big - 1, &err), 0);
    assert_int_equal(file_read(&text, &size, path, &err), 0);
    assert_int_equal(size, sizeof big - 1);
    assert_string_equal(text, big);
    free(text);
    unlink(path);
    assert_int_equal(file_read(&text, &size, path, &err), ERR_USAGE);
    assert_null(text);
    assert_int_equal(file_read(&text, &size, "tests", NULL), ERR_USAGE); /* a directory */
}

static void what_is_too_large_is_refused(void **state)
{
    static const char path[] = "build/too-large";
    struct err err = {0};
    FILE *file = fopen(path, "w");
    size_t size;
    char *text;

    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), (1 << 20) + 1), 0);
    fclose(file);
    assert_int_equal(file_read_most(&text, &size, path, 1 << 20, &err), ERR_USAGE);
    assert_null(text);
    assert_string_equal(err.text, "build/too-large: cannot be read: it is larger than 1 MiB");
    assert_int_equal(truncate(path, 1 << 20), 0);
    assert_int_equal(file_read_most(&text, &size, path, 1 << 20, NULL), 0);
    assert_int_equal(size, 1 << 20);
    free(text);
    unlink(path);
}

/* Of a pipe that nobody writes to, opening alone would wait for ever; a device may be endless. */
static void what_is_no_regular_file_is_refused(void **state)
{
    static const char *const paths[] = {"/dev/zero", "build/pipe"};
    size_t size;
    char *text;

    unlink("build/pipe");
    assert_int_equal(mkfifo("build/pipe", 0600), 0);
    for (size_t k = 0; k < 2; k++) {
        struct err err = {0};

        assert_int_equal(file_read(&text, &size, paths[k], &err), ERR_USAGE);
        assert_null(text);
        assert_non_null(strstr(err.text, "cannot be read: it is no regular file"));
    }
    unlink("build/pipe");
}

static void what_cannot_be_written_is_known_before(void **state)
{
    char folder[] = "/tmp/occutune-file-XXXXXX", path[64];
    struct err err = {0};

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/new", folder);
    assert_int_equal(file_check_writable(path, &err), 0);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(file_check_writable(folder, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "Is a directory"));
    rmdir(folder);
    err_clear(&err);
    assert_int_equal(file_check_writable(path, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "No such file or directory"));
    assert_int_equal(file_check_writable("", NULL), ERR_USAGE);
    assert_int_equal(file_check_writable("new", NULL), 0);
    assert_int_equal(file_check_writable("/dev/null", NULL), 0);
}

static void check_holds(const char *path, const char *text)
{
    FILE *file = file_open(path, NULL);
    char found[64] = "";

    assert_non_null(file);
    assert_non_null(fgets(found, sizeof found, file));
    assert_string_equal(found, text);
    fclose(file);
}

static void a_file_is_written_whole(void **state)
{
    char folder[] = "/tmp/occutune-file-XXXXXX", path[64], link[64];
    struct stat status;
    struct err err = {0};

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    snprintf(link, sizeof link, "%s/link", folder);
    assert_int_equal(file_write(path, "one", 3, &err), 0);
    check_holds(path, "one");
    assert_int_equal(symlink("file", link), 0);
    assert_int_equal(file_write(link, "two", 3, &err), 0);
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    check_holds(path, "two");
    unlink(path);
    assert_int_equal(file_write(link, "three", 5, &err), 0);
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    check_holds(path, "three");
    unlink(link);
    unlink(path);
    assert_int_equal(symlink("no/file", link), 0);
    assert_int_equal(file_write(link, "four", 4, &err), ERR_USAGE);
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    unlink(link);
    err_clear(&err);
    assert_int_equal(rmdir(folder), 0); /* nothing else was left there */
    assert_int_equal(file_write(path, "three", 5, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "/file: cannot be written: No such file or directory"));
}

static void names_of_one_file_are_known(void **state)
{
    assert_true(file_same("tests/unit/base/test_file.c", "./tests/unit/../unit/base/test_file.c"));
    assert_false(file_same("tests/unit/base/test_file.c", "tests/unit/base/test_map.c"));
    assert_true(file_same("tests/nothing", "tests/nothing"));
    assert_true(file_same("tests/nothing", "./tests/unit/../nothing"));
    assert_true(file_same("nothing", "./nothing"));
    assert_false(file_same("tests/nothing", "tests/nobody"));
    assert_false(file_same("tests/nothing", "tests/unit/nothing"));
    assert_false(file_same("no/nothing", "no/./nothing")); /* neither can be written */
    assert_false(file_same("/dev/null", "/dev/null"));     /* which may be written to twice */
}

/* Run by root, a rename over a device would put a file in its place. */
static void a_device_stays_one(void **state)
{
    struct stat status;
    struct err err = {0};

    assert_int_equal(file_write("/dev/null", "gone", 4, &err), 0);
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    assert_int_equal(file_write("/dev/full", "full", 4, &err), ERR_SYSTEM);
    assert_string_equal(err.text, "/dev/full: cannot be written: No space left on device");
}

int main(void)
{
    return RUN_TESTS(a_file_is_opened, what_cannot_be_read_says_why, a_file_is_read_whole,
                     what_is_too_large_is_refused, what_is_no_regular_file_is_refused,
                     what_cannot_be_written_is_known_before, a_file_is_written_whole,
                     names_of_one_file_are_known, a_device_stays_one);
}
