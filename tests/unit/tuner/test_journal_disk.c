/* The journal on a disk that fails: what an append has promised is there, and no later than a second after. */
#include "disk.h"
#include "journal_made.h"

#include <stdlib.h>
#include <sys/stat.h>

static unsigned looks; /* at files, by name or open */

int __real_stat(const char *restrict name, struct stat *restrict out);
int __wrap_stat(const char *restrict name, struct stat *restrict out);
int __real_fstat(int file, struct stat *out);
int __wrap_fstat(int file, struct stat *out);

int __wrap_stat(const char *restrict name, struct stat *restrict out)
{
    looks++;
    return __real_stat(name, out);
}

int __wrap_fstat(int file, struct stat *out)
{
    looks++;
    return __real_fstat(file, out);
}

enum { BEFORE = 3, AFTER = 4 };

static void check_synced(const char *when)
{
    const char *write = strrchr(disk_log(), 'w'), *sync = strrchr(disk_log(), 'd');

    if (!sync || (write && sync < write))
        fail_msg("%s the disk has not all of it: %s", when, disk_log());
}

/* The page cache survives our own death; a machine that stops takes no more than a second's records. */
static void a_second_at_most_is_not_on_the_disk(void **state)
{
    struct journal *journal;
    int n;

    disk_start(-1, DISK_EIO);
    journal = open_ok();
    for (n = 1; n < 6; n++) {
        disk_pass(2);
        append_ok(journal, n, 1e-3);
        check_synced("two seconds after the last record");
    }
    append_ok(journal, n, 1e-3);
    disk_start(-1, DISK_EIO);
    close_ok(journal);
    check_synced("after the end");
}

/* A journal made anew is on the disk before it takes the name of the old one. */
static void the_disk_has_it_before_the_name(void **state)
{
    write_text("another's");
    disk_start(-1, DISK_EIO);
    journal_free(open_ok());
    if (!strstr(disk_log(), "wslrS"))
        fail_msg("the order is %s", disk_log());
}

/* Whether the file still has its name is looked at once for each record, and not by who asks for news beside that. */
static void a_record_costs_one_look(void **state)
{
    enum { RECORDS = 50 };
    char news[256];
    struct journal *journal;

    unlink(path);
    disk_start(-1, DISK_EIO);
    journal = open_ok();
    looks = 0;
    for (int n = 1; n <= RECORDS; n++) {
        append_ok(journal, n, 1e-3);
        assert_false(journal_news(news, sizeof news, journal));
    }
    assert_in_range(looks, RECORDS, RECORDS + 5); /* news looks ten times a second where nothing is written */
    close_ok(journal);
}

static void make_file(bool damaged)
{
    struct journal *journal;
    char *text, *at;

    unlink(path);
    journal = open_ok();
    for (int n = 1; n <= BEFORE; n++)
        append_ok(journal, n, 1e-3 * n);
    close_ok(journal);
    if (!damaged)
        return;
    text = file_text();
    at = strstr(text, "\"2\"");
    at[strcspn(at, ":")] = '!';
    write_text(text);
    free(text);
}

/* Every record that was promised is there and right, whatever call met the fault. */
static void check_fault(int nth, enum disk_fault fault, bool damaged)
{
    bool promised[BEFORE + AFTER + 1] = {false, true, !damaged, true};
    struct json *head = head_of("GPU");
    struct journal *journal;
    struct err err = {0};
    const struct record *record;
    char key[16];

    make_file(damaged);
    disk_start(nth, fault);
    if (!journal_open(&journal, path, head, &err)) {
        for (int n = BEFORE + 1; n <= BEFORE + AFTER; n++) {
            disk_pass(2);
            err_clear(&err);
            promised[n] = !append(journal, n, 1e-3 * n, &err);
        }
        err_clear(&err);
        journal_close(journal, NULL, &err);
    }
    disk_start(-1, DISK_EIO);
    journal = open_ok();
    for (int n = 1; n <= BEFORE + AFTER; n++) {
        snprintf(key, sizeof key, "%d", n);
        record = journal_find(journal, key);
        if (promised[n] && !record)
            fail_msg("call %d, fault %d: record %d was promised and is lost", nth, (int)fault, n);
        if (record)
            check_near(record->time_s, 1e-3 * n, 1e-9);
    }
    journal_free(journal);
    js_free(head);
    teardown(NULL);
}

static void a_failing_disk_loses_nothing(void **state)
{
    for (int damaged = 0; damaged < 2; damaged++)
        for (int fault = 0; fault < DISK_FAULTS; fault++)
            for (int nth = 0; nth < 16; nth++)
                check_fault(nth, (enum disk_fault)fault, damaged);
}

int main(void)
{
    return RUN_TESTS_EACH(setup, teardown, a_second_at_most_is_not_on_the_disk,
                          the_disk_has_it_before_the_name, a_record_costs_one_look,
                          a_failing_disk_loses_nothing);
}
