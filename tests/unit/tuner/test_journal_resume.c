/* Going on in a journal that was written anew, damaged, removed, or is none: nothing of it is lost. */
#include "journal_made.h"

#include <sys/stat.h>

enum { RECORDS = 5 };

static void aside_name(char out[96], unsigned n)
{
    if (n == 1)
        snprintf(out, 96, "%s.aside", path);
    else
        snprintf(out, 96, "%s.aside.%u", path, n);
}

static void remove_asides(void)
{
    char name[96];

    for (unsigned n = 1; n < 10; n++) {
        aside_name(name, n);
        unlink(name);
    }
}

static void check_aside(unsigned n, const char *wanted, size_t length)
{
    char name[96], *text;

    aside_name(name, n);
    text = text_of(name);
    if (strlen(text) != length || memcmp(text, wanted, length))
        fail_msg("%s holds\n%s\nwanted\n%s", name, text, wanted);
    free(text);
}

static char *make_journal(void)
{
    struct journal *journal = open_ok();

    for (int n = 1; n <= RECORDS; n++)
        append_ok(journal, n, 1e-3 * n);
    close_ok(journal);
    return file_text();
}

/* Journals hold `count` records of the made ones and one that is appended. */
static void check_goes_on(size_t count)
{
    struct journal *journal = open_ok();
    char *text;

    assert_int_equal(journal_count(journal), count);
    append_ok(journal, 64, 5e-3);
    close_ok(journal);
    journal = read_ok();
    assert_int_equal(journal_count(journal), count + 1);
    check_near(journal_find(journal, "64")->time_s, 5e-3, 1e-12);
    journal_free(journal);
    text = file_text();
    js_free(json_of(text));
    free(text);
}

/* What is no journal stays, under another name each time, and that is said. */
static void sets_strangers_aside(void **state)
{
    static const char *const strangers[] = {"{\"device_name\":\"A100\",\"precious\":[1,2,3]}", "{", "hello",
                                            "{\"device_name\": \"GPU\", \"kernel_name\": \"k\", "
                                            "\"problem_size\": [8], \"tune_params_keys\": [\"N\"]",
                                            "{\"device_name\": \"GPU\", \"kernel_name\": \"k\", "
                                            "\"problem_size\": [8], \"tune_params_keys\": [\"N\"],"
                                            " \"results\": []}"};
    char line[2048];
    struct journal *journal;

    for (unsigned i = 0; i < sizeof strangers / sizeof *strangers; i++) {
        write_text(strangers[i]);
        if (i == 1 || i == 3) { /* the beginning of our own head */
            check_goes_on(0);
            continue;
        }
        journal = open_ok();
        assert_true(journal_remark(line, sizeof line, journal, 0));
        if (!strstr(line, ".aside") || !strstr(line, "a new journal is begun"))
            fail_msg("%s", line);
        assert_false(journal_remark(line, sizeof line, journal, 1));
        journal_free(journal);
        check_aside(1, strangers[i], strlen(strangers[i]));
        check_goes_on(0);
        remove_asides();
    }
    write_text("first");
    journal_free(open_ok());
    write_text("second");
    journal_free(open_ok());
    check_aside(1, "first", 5);
    check_aside(2, "second", 6);
}

/* As json.dumps(separators=(",", ":")) and json.dumps(indent=1) write it. */
static char *laid_out(const char *text, bool wide)
{
    char *out = calloc(1, 3 * strlen(text) + 1), *at = out;
    bool quoted = false;

    for (; *text; text++) {
        if (*text == '"')
            quoted = !quoted;
        if (*text == '\\' && quoted)
            *at++ = *text++;
        else if (!quoted && strchr(" \n", *text))
            continue;
        *at++ = *text;
        if (wide && !quoted && strchr(",:{[", *text))
            *at++ = '\n';
    }
    return out;
}

static void other_layouts_lose_nothing(void **state)
{
    char *text = make_journal(), *other;
    char name[96];

    aside_name(name, 1);
    for (int wide = 0; wide < 2; wide++) {
        other = laid_out(text, wide);
        assert_true(strlen(other) != strlen(text));
        write_text(other);
        check_goes_on(RECORDS);
        assert_int_equal(access(name, F_OK), -1);
        free(other);
    }
    free(text);
}

/* Other tools' keys behind the cache stay in the file; text that is none is kept with the whole file. */
static void keeps_what_stands_behind_the_cache(void **state)
{
    char *text = make_journal(), *more, *found;
    char name[96];

    aside_name(name, 1);
    more = calloc(1, strlen(text) + 200);
    sprintf(more,
            "%.*s,\n\"notes\": {\"by\": [\"hand\", 0.10000000000000001]}, \"not_timed\": {\"skipped\": 3}}",
            (int)strlen(text) - 2, text);
    write_text(more);
    check_goes_on(RECORDS);
    found = file_text();
    assert_non_null(strstr(found, "\"notes\": {\"by\": [\"hand\", 0.10000000000000001]}"));
    assert_null(strstr(found, "not_timed"));
    assert_int_equal(access(name, F_OK), -1);
    free(found);
    sprintf(more, "%s\nand a word in the end\n", text);
    write_text(more);
    check_goes_on(RECORDS);
    check_aside(1, more, strlen(more));
    free(more);
    free(text);
}

/* As two files that were joined by hand, or by a program that writes members twice. */
static void goes_on_in_two_caches(void **state)
{
    char *text = make_journal(), *more;

    more = calloc(1, strlen(text) + 200);
    sprintf(more, "%.*s,\n\"cache\": {\n\"90\": {\"a\": 90, \"time\": 2}}}", (int)strlen(text) - 2, text);
    write_text(more);
    check_goes_on(RECORDS + 1);
    sprintf(more,
            "%.*s,\n\"cache\": {\n\"90\": {\"a\": 90, \"time\": 2},\n\"91\": {\"a\":", (int)strlen(text) - 2,
            text);
    write_text(more);
    check_goes_on(RECORDS + 1);
    free(more);
    free(text);
}

/* Which record the byte belongs to, from 1; 0 the head, RECORDS + 1 behind them. */
static int record_at(const char *text, size_t at)
{
    const size_t cache = (size_t)(strstr(text, "\"cache\": {") - text);
    int n = 0;

    for (size_t i = cache; i <= at; i++)
        n += text[i] == '\n';
    return n;
}

/* No flip of a bit loses a record that it does not stand in, nor makes a wrong one of any. */
static void check_flip(const char *text, const char *flipped, size_t length, size_t at)
{
    const int within = record_at(text, at);
    struct json *head = head_of("GPU");
    struct journal *journal;
    struct err err = {0};
    char key[8], name[96], *found;

    aside_name(name, 1);
    if (journal_open(&journal, path, head, &err)) {
        assert_int_equal(err.code, ERR_USAGE);
        found = file_text();
        assert_int_equal(strlen(found), length);
        assert_memory_equal(found, flipped, length);
        free(found);
        assert_int_equal(within, 0);
    } else {
        for (int n = 1; n <= RECORDS; n++) {
            snprintf(key, sizeof key, "%d", n);
            if (!journal_find(journal, key) && n != within && (within || access(name, F_OK)))
                fail_msg("byte %zu (of record %d) takes record %d along:\n%s", at, within, n, flipped);
            if (journal_find(journal, key) && fabs(journal_find(journal, key)->time_s - 1e-3 * n) > 1e-12)
                fail_msg("byte %zu (of record %d) makes record %d a wrong one", at, within, n);
        }
        if (!access(name, F_OK))
            check_aside(1, flipped, length);
        else if (within && within <= RECORDS && journal_count(journal) != RECORDS)
            fail_msg("byte %zu: the record is gone without a word", at);
        journal_free(journal);
    }
    js_free(head);
    unlink(name);
}

static void no_bit_takes_records_along(void **state)
{
    char *text = make_journal();
    const size_t length = strlen(text);
    char *flipped = strdup(text);

    for (size_t at = 0; at < length; at++)
        for (int bit = (int)(at % 3); bit < 7; bit += 3) {
            flipped[at] = (char)(text[at] ^ (1 << bit));
            if (flipped[at]) {
                write_text(flipped);
                check_flip(text, flipped, length, at);
            }
            flipped[at] = text[at];
        }
    free(flipped);
    free(text);
}

static void write_bytes(const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

/* A journal whose head and "not_timed" have objects within, as those of runs have. */
static char *make_wide_journal(void)
{
    char *text = make_journal(), *wide = calloc(1, strlen(text) + 400);
    static const char own[] = "\"occutune\": {\"schema\": 1", cache[] = "\"cache\": {";
    char *at = strstr(text, own) + sizeof own - 1, *behind = strstr(text, cache);

    sprintf(
        wide,
        "%.*s, \"protocol\": {\"cache\": \"warm\"}, \"device\": {\"name\": \"GPU\", \"sizes\": [1, 2]}},\n"
        "%.*s,\n\"not_timed\": {\"skipped\": 3, \"pruned\": {\"77\": {\"N\": 77, \"rule\": \"bound\"}}}\n}",
        (int)(at - text), text, (int)strlen(behind) - 2, behind);
    free(text);
    return wide;
}

/* What stands at `at` is another byte: the journal is refused and stays as it is, or no record but that one is lost. */
static void check_struck(const char *text, const char *struck, size_t length, size_t at)
{
    const int within = record_at(text, at);
    struct json *head = head_of("GPU");
    struct journal *journal;
    struct err err = {0};
    char key[8], name[96], *found;

    aside_name(name, 1);
    write_bytes(struck, length);
    if (journal_open(&journal, path, head, &err)) {
        assert_int_equal(err.code, ERR_USAGE);
        assert_int_equal(within, 0);
    } else {
        for (int n = 1; n <= RECORDS; n++) {
            snprintf(key, sizeof key, "%d", n);
            if (!journal_find(journal, key) && n != within)
                fail_msg("byte %zu (0x%02x, of record %d) takes record %d along", at, struck[at] & 0xff,
                         within, n);
        }
        if (within && within <= RECORDS && journal_count(journal) < RECORDS && access(name, F_OK))
            fail_msg("byte %zu: the damaged file is not kept", at);
        if (!access(name, F_OK)) {
            found = text_of(name);
            assert_memory_equal(found, struck, length);
            free(found);
        }
        append_ok(journal, 64, 5e-3);
        close_ok(journal);
        found = file_text();
        js_free(json_of(found));
        free(found);
    }
    js_free(head);
    unlink(name);
}

static void no_byte_takes_records_along(void **state)
{
    static const char bytes[] = {0, '\xff', '"', '\\', '{', '}', '[', ']', '\n'};
    char *text = make_wide_journal();
    const size_t length = strlen(text);
    char *struck = strdup(text);

    for (size_t at = 0; at < length; at++)
        for (size_t b = at % 4; b < sizeof bytes; b += 4) {
            struck[at] = bytes[b];
            if (struck[at] != text[at])
                check_struck(text, struck, length, at);
            struck[at] = text[at];
        }
    free(struck);
    free(text);
}

/* Where the head is damaged it is that of the run, and that is said. */
static void mends_the_head(void **state)
{
    static const char *const damages[][2] = {{"\xff", "1:141: unable to decode byte 0xff"},
                                             {"\"", "the head, which is that of this run now"}};
    char *text = make_wide_journal(), line[2048], *found;
    struct journal *journal;

    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        memcpy(strstr(text, "\"w") + 2, damages[i][0], 1);
        write_text(text);
        journal = open_ok();
        assert_int_equal(journal_count(journal), RECORDS);
        assert_true(journal_remark(line, sizeof line, journal, 0));
        assert_non_null(strstr(line, "what is whole of it goes on"));
        assert_true(journal_remark(line, sizeof line, journal, 1));
        if (!strstr(line, damages[i][1]))
            fail_msg("%s", line);
        close_ok(journal);
        found = file_text();
        assert_non_null(strstr(found, "\"occutune\": {\"schema\": 1}"));
        free(found);
    }
    free(text);
}

/* A file that goes away under the run is written again, whole. */
static void a_removed_file_is_written_again(void **state)
{
    struct journal *journal = open_ok();
    char line[2 * 4096 + 128];

    append_ok(journal, 1, 1e-3);
    append_ok(journal, 2, 2e-3);
    assert_false(journal_news(line, sizeof line, journal));
    unlink(path);
    append_ok(journal, 3, 3e-3);
    assert_true(journal_news(line, sizeof line, journal));
    assert_non_null(strstr(line, "was removed during the run"));
    assert_false(journal_news(line, sizeof line, journal));
    unlink(path);
    close_ok(journal);
    journal = read_ok();
    assert_int_equal(journal_count(journal), 3);
    journal_free(journal);
}

/* Another's file is not overwritten. */
static void a_replaced_file_goes_on_beside(void **state)
{
    struct journal *journal = open_ok();
    char line[2 * 4096 + 128], other[96], *text;

    append_ok(journal, 1, 1e-3);
    snprintf(other, sizeof other, "%s.2", path);
    unlink(path);
    write_text("another's");
    append_ok(journal, 2, 2e-3);
    assert_true(journal_news(line, sizeof line, journal));
    assert_non_null(strstr(line, "was replaced during the run"));
    assert_non_null(strstr(line, other));
    assert_string_equal(journal_path(journal), other);
    close_ok(journal);
    text = file_text();
    assert_string_equal(text, "another's");
    free(text);
    assert_int_equal(rename(other, path), 0);
    journal = read_ok();
    assert_int_equal(journal_count(journal), 2);
    journal_free(journal);
}

/* A journal that no record came into removes its own file only. */
static void removes_no_file_of_another(void **state)
{
    struct journal *journal = open_ok();

    unlink(path);
    write_text("another's");
    journal_free(journal);
    assert_int_equal(access(path, F_OK), 0);
}

/* The mode that its owner gave it stays when it is written anew. */
static void keeps_the_mode(void **state)
{
    struct stat status;

    write_text("hello");
    assert_int_equal(chmod(path, 0600), 0);
    journal_free(open_ok());
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
}

int main(void)
{
    return RUN_TESTS_EACH(setup, teardown, sets_strangers_aside, other_layouts_lose_nothing,
                          keeps_what_stands_behind_the_cache, goes_on_in_two_caches,
                          no_bit_takes_records_along, no_byte_takes_records_along, mends_the_head,
                          a_removed_file_is_written_again, a_replaced_file_goes_on_beside,
                          removes_no_file_of_another, keeps_the_mode);
}
