/* The journal as occutune writes it: what is kept, through kills, cuts and full disks. */
#include "journal_made.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void round_trip(void **state)
{
    struct journal *journal = open_ok();
    const struct record *record;

    append_ok(journal, 16, 2e-3);
    append_ok(journal, 32, 1e-3);
    append_ok(journal, 16, 3e-3);
    close_ok(journal);

    journal = read_ok();
    assert_int_equal(journal_count(journal), 2);
    record = journal_find(journal, "16");
    check_near(record->time_s, 3e-3, 1e-12);
    check_near(record->samples_s[1], 3.3e-3, 1e-12);
    assert_int_equal(record->sample_count, 3);
    assert_true(record->code_hash == UINT64_C(0xfedcba9876543210));
    assert_int_equal(record->registers, 40);
    assert_int_equal(record->spill_instructions, -1);
    check_near(record->clock_hz, 1.98e9, 1);
    assert_true(isnan(record->error_max));
    assert_null(journal_find(journal, "17"));
    assert_false(journal_foreign(journal));
    journal_free(journal);
}

/* What the model said comes back; what it did not say stays unknown, and small shares are left out. */
static void keeps_predictions(void **state)
{
    struct journal *journal = open_ok();
    const struct record_prediction *found;

    append_ok(journal, 16, 2e-3);
    close_ok(journal);
    journal = read_ok();
    found = &journal_find(journal, "16")->prediction;
    assert_true(found->predicted && found->latency_hidden && !found->unrated);
    assert_int_equal(found->limiter, RESOURCE_DRAM_READ);
    check_near(found->bound_s, 1e-3, 1e-12);
    check_near(found->estimate_s, 3e-3, 1e-12);
    check_near(found->interval_low_s, 2e-3, 1e-12);
    check_near(found->interval_high_s, 4e-3, 1e-12);
    check_near(found->needed_warps, 20, 1e-12);
    assert_true(isnan(found->confidence));
    check_near(found->busy[RESOURCE_DRAM_READ], 0.95, 1e-12);
    check_near(found->busy[RESOURCE_L2], 0, 1e-12);
    check_near(journal_find(journal, "16")->timed_at_s, 12.5, 1e-12);
    assert_true(isnan(journal_find(journal, "16")->compiled_at_s));
    journal_free(journal);
}

/* One that a newer version wrote names resources that this one does not know; a wrong type is damage. */
static void reads_unknown_resources(void **state)
{
    static const char *const limiters[] = {"\"a new pipe\"", "7"};
    char text[512];
    struct journal *journal;
    struct err err = {0};

    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text,
                 "{\"cache\": {\"16\": {\"time\": 2.0, \"outcome\": \"ok\", \"predicted\": "
                 "{\"estimate_ms\": 3, \"limiter\": %s, \"busy\": {\"a new pipe\": 0.5}}}}}",
                 limiters[i]);
        write_text(text);
        assert_int_equal(journal_read(&journal, path, &err), i ? ERR_FORMAT : 0);
        if (i)
            break;
        assert_true(journal_find(journal, "16")->prediction.predicted);
        assert_int_equal(journal_find(journal, "16")->prediction.limiter, -1);
        journal_free(journal);
    }
    assert_non_null(strstr(err.text, "limiter"));
}

/* The file is what other tools expect: a line a record, closed by "}\n}", the object "cache" inside. */
static void looks_like_a_cache(void **state)
{
    struct journal *journal = open_ok();
    struct json *extra = json_of("{\"skipped\": 3}");
    struct err err = {0};
    char *text;

    append_ok(journal, 16, 2e-3);
    text = file_text();
    assert_int_equal(text[strlen(text) - 1], ',');
    free(text);
    assert_int_equal(journal_close(journal, extra, &err), 0);
    js_free(extra);
    text = file_text();
    assert_non_null(strstr(text, "\"cache\": {\n\"16\": {\"N\": 16, \"time\": 2.0, \"times\": [2.0,"));
    assert_string_equal(text + strlen(text) - 3, "}\n}");
    js_free(json_of(text));
    free(text);
    append_ok(journal = open_ok(), 32, 1e-3);
    close_ok(journal);
    text = file_text();
    js_free(json_of(text));
    free(text);
}

static void resumes_after_any_cut(void **state)
{
    struct journal *journal = open_ok();
    char *text, *part;
    char line[256];
    size_t length, first;

    append_ok(journal, 16, 2e-3);
    append_ok(journal, 32, 1e-3);
    journal_free(journal);
    text = file_text();
    length = strlen(text);
    first =
        (size_t)(strstr(text, "\n\"32\"") - text) - 1; /* the first record is complete without its comma */
    for (size_t cut = 0; cut < length; cut++) {
        part = strndup(text, cut);
        write_text(part);
        free(part);
        journal = open_ok();
        assert_int_equal(journal_count(journal), (cut >= first) + (cut >= length - 1));
        append_ok(journal, 64, 5e-3);
        close_ok(journal);
        journal = read_ok();
        assert_int_equal(journal_count(journal), 1 + (cut >= first) + (cut >= length - 1));
        assert_false(journal_remark(line, sizeof line, journal, 0));
        journal_free(journal);
    }
    free(text);
}

static void reads_gzip(void **state)
{
    char command[256], zipped[80];
    struct journal *journal = open_ok();
    struct json *head = head_of("GPU");
    struct err err = {0};

    append_ok(journal, 16, 2e-3);
    close_ok(journal);
    snprintf(zipped, sizeof zipped, "%s.gz", path);
    snprintf(command, sizeof command, "gzip -k -f %s", path);
    assert_int_equal(system(command), 0);
    assert_int_equal(journal_read(&journal, zipped, &err), 0);
    assert_int_equal(journal_count(journal), 1);
    journal_free(journal);
    assert_int_equal(journal_open(&journal, zipped, head, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "compressed"));
    js_free(head);
    unlink(zipped);
}

static void locks_and_checks_whose_it_is(void **state)
{
    struct journal *journal = open_ok(), *second;
    struct json *head = head_of("GPU"), *other = head_of("another GPU");
    struct err err = {0};

    assert_int_equal(journal_open(&second, path, head, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "another occutune is writing to it"));
    append_ok(journal, 16, 2e-3);
    close_ok(journal);
    err_clear(&err);
    assert_int_equal(journal_open(&second, path, other, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "belongs to another device"));
    js_free(head);
    js_free(other);
}

static void leaves_nothing_without_a_record(void **state)
{
    struct journal *journal;

    unlink(path);
    journal_free(open_ok());
    assert_int_equal(access(path, F_OK), -1);
    append_ok(journal = open_ok(), 1, 1e-3);
    journal_free(journal);
    journal_free(open_ok());
    assert_int_equal(access(path, F_OK), 0);
}

/* Run by root, a journal without a record took /dev/null with it. */
static void is_a_regular_file(void **state)
{
    struct json *head = head_of("GPU");
    struct journal *journal;
    struct err err = {0};

    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(journal_open(&journal, path, head, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "is no regular file"));
    assert_null(journal);
    assert_int_equal(access(path, F_OK), 0);
    err_clear(&err);
    assert_int_equal(journal_open(&journal, "tests", head, &err), ERR_USAGE);
    err_clear(&err);
    assert_int_equal(journal_open(&journal, "tests/nowhere/journal", head, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "cannot be written: No such file or directory"));
    js_free(head);
}

/* A limit on the file's size stands for a full disk. */
static void keeps_all_when_the_disk_is_full(void **state)
{
    struct journal *journal = open_ok();
    struct rlimit old, small;
    struct err err = {0};
    char line[256];
    int n = 0, rc;
    size_t kept;

    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    small = (struct rlimit){4096, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    while ((rc = append(journal, ++n, 1e-3, &err)) == 0 && n < 1000)
        ;
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(rc, ERR_SYSTEM);
    assert_non_null(strstr(err.text, "cannot be written"));
    journal_free(journal);
    journal = read_ok();
    kept = journal_count(journal);
    assert_false(journal_remark(line, sizeof line, journal, 0));
    assert_int_equal(kept, (size_t)n - 1);
    journal_free(journal);
    append_ok(journal = open_ok(), n, 1e-3);
    assert_int_equal(journal_count(journal), (size_t)n);
    close_ok(journal);
}

/* Children that are killed while they append leave a journal that holds every record they were told is there. */
static void survives_kill(void **state)
{
    int round, pipe_ends[2], n, last = 0;
    pid_t child;
    struct journal *journal;

    for (round = 0; round < 20; round++) {
        assert_int_equal(pipe(pipe_ends), 0);
        child = fork();
        if (child == 0) {
            journal = open_ok();
            for (n = last + 1;; n++) {
                append_ok(journal, n, 1e-3);
                if (write(pipe_ends[1], &n, sizeof n) < 0)
                    _exit(1);
            }
        }
        close(pipe_ends[1]);
        usleep((useconds_t)(2000 + 700 * round));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        while (read(pipe_ends[0], &n, sizeof n) == sizeof n)
            last = n;
        close(pipe_ends[0]);
        journal = open_ok();
        assert_true(journal_count(journal) >= (size_t)last);
        last = (int)journal_count(journal);
        journal_free(journal);
    }
    assert_true(last > 20);
}

static const struct record *keep_same_code(struct journal *journal, char *key, char *same_as,
                                           uint64_t code_hash)
{
    struct record record;
    struct json *parameters = json_of("{\"N\": 1}");
    struct err err = {0};

    record_init(&record);
    record.key = key;
    record.same_as = same_as;
    record.outcome = same_as ? OUTCOME_SAME_CODE : OUTCOME_OK;
    record.time_s = 1e-3;
    record.identified = true;
    record.code_hash = code_hash;
    record.launch_hash = 9;
    check_ok(journal_append(journal, &record, parameters, &err), &err);
    js_free(parameters);
    return journal_find(journal, key);
}

/* A record with the code of another is answered by that one, as long as it has that code. */
static void finds_what_was_measured(void **state)
{
    struct journal *journal = open_ok();
    const struct record *record = keep_same_code(journal, (char *)"1", NULL, 7);

    assert_ptr_equal(journal_measured(journal, record), record);
    assert_int_not_equal(record_code_key(record, 1), 0);
    assert_int_not_equal(record_code_key(record, 1), record_code_key(record, 2));
    record = keep_same_code(journal, (char *)"2", (char *)"1", 7);
    assert_ptr_equal(journal_measured(journal, record), journal_find(journal, "1"));
    assert_null(journal_measured(journal, keep_same_code(journal, (char *)"3", (char *)"1", 8)));
    assert_null(journal_measured(journal, keep_same_code(journal, (char *)"4", (char *)"5", 7)));
    assert_int_equal(record_code_key(keep_same_code(journal, (char *)"6", NULL, 0), 1), 0);
    journal_free(journal);
}

int main(void)
{
    return RUN_TESTS_EACH(setup, teardown, round_trip, finds_what_was_measured, keeps_predictions,
                          reads_unknown_resources, looks_like_a_cache, resumes_after_any_cut, reads_gzip,
                          locks_and_checks_whose_it_is, leaves_nothing_without_a_record, is_a_regular_file,
                          keeps_all_when_the_disk_is_full, survives_kill);
}
