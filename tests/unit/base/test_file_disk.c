/* Files written whole on a disk that fails: the old contents or the new, never less, and the disk has them
 * first. */
#include "check.h"
#include "disk.h"

#include "base/file.h"

#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], path[96];

static int setup(void **state)
{
    snprintf(folder, sizeof folder, "/tmp/occutune-disk-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    return 0;
}

/* Nothing but the file may be left in the folder. */
static int teardown(void **state)
{
    disk_start(-1, DISK_EIO);
    unlink(path);
    return rmdir(folder);
}

static void write_ok(const char *text)
{
    struct err err = {0};

    check_ok(file_write(path, text, strlen(text), &err), &err);
}

static void check_holds(const char *wanted, const char * or)
{
    char *text;
    size_t size;
    struct err err = {0};

    check_ok(file_read(&text, &size, path, &err), &err);
    if (strcmp(text, wanted) && (! or || strcmp(text, or)))
        fail_msg("found \"%s\", wanted \"%s\"", text, wanted);
    free(text);
}

static size_t files_here(void)
{
    char pattern[96];
    glob_t found;
    size_t count;

    snprintf(pattern, sizeof pattern, "%s/*", folder);
    count = glob(pattern, 0, NULL, &found) ? 0 : found.gl_pathc;
    globfree(&found);
    return count;
}

/* A machine that stops at any moment finds the old file or the new: the new one is on the disk before it has
 * the name, and the name before the call ends. */
static void the_disk_has_it_before_the_name(void **state)
{
    const char *log;

    write_ok("old");
    disk_start(-1, DISK_EIO);
    write_ok("new");
    log = disk_log();
    if (strcmp(log, "wsrS"))
        fail_msg("the order is %s", log);
    check_holds("new", NULL);
}

static void a_failing_disk_leaves_old_or_new(void **state)
{
    char big[5000];
    struct err err;
    int rc;

    memset(big, 'b', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    for (int fault = 0; fault < DISK_FAULTS; fault++)
        for (int nth = 0; nth < 6; nth++) {
            disk_start(-1, DISK_EIO);
            write_ok("old");
            err = (struct err){0};
            disk_start(nth, (enum disk_fault)fault);
            rc = file_write(path, big, sizeof big - 1, &err);
            if (rc) {
                assert_int_equal(rc, ERR_SYSTEM);
                assert_non_null(strstr(err.text, ": cannot be written: "));
            }
            check_holds(big, rc ? "old" : NULL);
            assert_int_equal(files_here(), 1);
        }
}

/* A private file stays one. */
static void the_mode_stays(void **state)
{
    struct stat status;

    write_ok("first");
    assert_int_equal(chmod(path, 0600), 0);
    write_ok("second");
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
}

/* Links that somebody planted where temporary files of earlier versions were lead nowhere. */
static void planted_links_are_not_followed(void **state)
{
    enum { LINKS = 600 };
    char victim[96], planted[LINKS][128];
    struct stat status;

    snprintf(victim, sizeof victim, "%s/victim", folder);
    for (int i = 0; i < LINKS; i++) {
        snprintf(planted[i], sizeof planted[i], "%s.%ld.tmp", path, (long)getpid() + i - LINKS / 2);
        assert_int_equal(symlink(victim, planted[i]), 0);
    }
    write_ok("text");
    for (int i = 0; i < LINKS; i++)
        unlink(planted[i]);
    assert_int_equal(stat(victim, &status), -1);
    check_holds("text", NULL);
}

int main(void)
{
    return RUN_TESTS_EACH(setup, teardown, the_disk_has_it_before_the_name, a_failing_disk_leaves_old_or_new,
                          the_mode_stays, planted_links_are_not_followed);
}
