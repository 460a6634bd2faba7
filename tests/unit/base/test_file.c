#include "check.h"

#include "base/file.h"

#include <stdlib.h>
#include <unistd.h>

static void a_file_is_opened(void **state)
{
    FILE *file = file_open("tests/unit/base/test_file.c", NULL);

    (void)state;
    assert_non_null(file);
    assert_int_equal(fgetc(file), '#');
    fclose(file);
}

static void what_cannot_be_read_says_why(void **state)
{
    struct err err = {0};

    (void)state;
    assert_null(file_open("tests/nothing", &err));
    assert_int_equal(err.code, ERR_USAGE);
    assert_string_equal(err.text, "tests/nothing: cannot be read: No such file or directory");
    err_clear(&err);
    assert_null(file_open("tests", &err));
    assert_int_equal(err.code, ERR_USAGE);
    assert_string_equal(err.text, "tests: cannot be read: Is a directory");
}

static void what_cannot_be_written_is_known_before(void **state)
{
    char folder[] = "/tmp/occutune-file-XXXXXX", path[64];
    struct err err = {0};

    (void)state;
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
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_opened),
        cmocka_unit_test(what_cannot_be_read_says_why),
        cmocka_unit_test(what_cannot_be_written_is_known_before),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
