/* Journals as they come: damaged ones, other tools' caches, results in the T4 format. */
#include "journal_fixture.h"

static void check_refused(const char *contents, int rc, const char *message)
{
    struct journal *journal;
    struct err err = {0};

    write_text(contents);
    assert_int_equal(journal_read(&journal, path, &err), rc);
    if (!strstr(err.text, message))
        fail_msg("\"%s\" is not in \"%s\"", message, err.text);
    assert_null(journal);
}

static void refuses_damage_and_strangers(void **state)
{
    check_refused("hello", ERR_FORMAT, "is no journal");
    check_refused("{\"best\": 1}", ERR_FORMAT, "it has no \"cache\"");
    check_refused("{\"occutune\": {\"schema\": 2}, \"cache\": {}}", ERR_USAGE,
                  ": occutune.schema: is 2, this occutune reads 1");
    check_refused("{\"occutune\": {}, \"cache\": {}}", ERR_USAGE,
                  ": occutune: the field \"schema\" is missing");
    check_refused("{\"cache\": [", ERR_FORMAT, "\"cache\" is no object");
    check_refused("{\"cache\": {\"1\": {\"time\": -1}}}", ERR_FORMAT, "1: its time is no positive number");
    check_refused("{\"cache\": {\"1\": {\"time\": \"Sorry\"}}}", ERR_FORMAT,
                  "1.time: \"Sorry\" is neither a number of milliseconds nor an error");
    check_refused("{\"cache\": {\"1\": {\"N\": 1}}}", ERR_FORMAT, "1: neither a time nor an error");
    check_refused(
        "{\"cache\": {\n\"1\": {\"time\": 1},\n\"2\": {\"ti\n\"3\": {\"time\": 1},\n\"4\": {\"time\": 1},",
        ERR_FORMAT, ":2: damaged here");
}

/* Line and column are those of the file, whatever stands before. */
static void says_where_it_is_damaged(void **state)
{
    check_refused("{\"cache\": {\"1\": {\"time\" 1}}}", ERR_FORMAT, ":1:25: ':' expected");
    check_refused("{\"a\": 1, \"cache\": {\n\"1\": {\"time\": 1},\n\n  \"2\": {\"time\": 1, \"x\": \xff}}}",
                  ERR_FORMAT, ":4:24: unable to decode byte 0xff");
    check_refused("{\n\"a\": {\"b\":\n [1 2]}, \"cache\": {}}", ERR_FORMAT, ":3:5: ']' expected");
}

static void reads_other_tools(void **state)
{
    struct journal *journal;

    write_text(
        "{\"device_name\": \"A100\", \"tune_params_keys\": [\"a\", \"b\"], \"cache\": {\n"
        "  \"1,True\": {\"a\": 1, \"b\": true, \"time\": 0.5, \"times\": [0.4, 0.6], \"registers\": \"?\"},\n"
        "  \"2,True\": {\"a\": 2, \"time\": \"RuntimeFailedConfig\"},\n"
        "  \"3,True\": {\"a\": 3, \"__error__\": \"CompilationFailedConfig\"},\n"
        "  \"4,a\\\"b\": {\"a\": 4, \"time\": 1}}}");
    journal = read_ok();
    assert_int_equal(journal_count(journal), 4);
    assert_true(journal_foreign(journal));
    assert_false(journal_find(journal, "1,True")->identified);
    check_near(journal_find(journal, "1,True")->time_s, 5e-4, 1e-15);
    assert_int_equal(journal_find(journal, "2,True")->outcome, OUTCOME_RUNTIME);
    assert_int_equal(journal_find(journal, "3,True")->outcome, OUTCOME_COMPILE);
    assert_non_null(journal_find(journal, "4,a\"b"));
    journal_free(journal);
}

/* Python writes NaN and Infinity, Windows a byte order mark; what tells nothing is left out and counted. */
static void reads_careless_tools(void **state)
{
    struct journal *journal;
    char line[1024];

    write_text(
        "\xef\xbb\xbf{\"device_name\": \"NaN \\\"Infinity\", \"tune_params_keys\": [\"a\"], \"cache\": {\n"
        "  \"1\": {\"a\": 1, \"time\": 0.5, \"times\": [NaN, 0.4, Infinity, 0.6], \"energy\": -Infinity},\n"
        "  \"2\": {\"a\": 2, \"time\": NaN},\n"
        "  \"3\": {\"a\": 3, \"time\": \"0.5\"},\n"
        "  \"4\": [1, 2],\n"
        "  \"5\": {\"a\": 5, \"time\": null, \"__error__\": \"InvalidConfig\"}}}");
    journal = read_ok();
    assert_int_equal(journal_count(journal), 2);
    assert_int_equal(journal_find(journal, "1")->sample_count, 2);
    check_near(journal_find(journal, "1")->samples_s[1], 6e-4, 1e-15);
    assert_int_equal(journal_find(journal, "5")->outcome, OUTCOME_LIMITS);
    assert_true(journal_remark(line, sizeof line, journal, 0));
    assert_non_null(strstr(line, "left out: 3; the first: "));
    assert_non_null(strstr(line, ": 2: its time is no positive number"));
    assert_false(journal_remark(line, sizeof line, journal, 1));
    journal_free(journal);
    check_refused("{\"cache\": {\"1\": {\"time\": \"0.5\"}}}", ERR_FORMAT,
                  "1.time: \"0.5\" is neither a number of milliseconds nor an error");
    check_refused("{\"schema_version\": \"1.0.0\", \"results\": []}", ERR_FORMAT, "results: is empty");
    check_refused("{\"Metadata\": {}, \"Results\": []}", ERR_FORMAT, "its converter makes a T4 file");
}

static void reads_t4(void **state)
{
    struct journal *journal;
    char line[1024];

    write_text(
        "{\"schema_version\": \"1.0.0\", \"metadata\": {\"timeunit\": \"microseconds\"}, \"results\": [\n"
        "{\"configuration\": {\"a\": 1, \"b\": true}, \"times\": {\"runtimes\": [400, NaN, 600]}, "
        "\"invalidity\": \"correct\", \"correctness\": 1, "
        "\"measurements\": [{\"name\": \"energy\", \"value\": 3}, {\"name\": \"time\", \"value\": 500}]},\n"
        "{\"configuration\": {\"a\": 2, \"b\": true}, \"times\": {}, \"invalidity\": \"compile\", "
        "\"measurements\": [{\"name\": \"time\", \"value\": \"CompilationFailedConfig\"}]},\n"
        "{\"configuration\": {\"a\": 3, \"b\": true}, \"times\": {}, \"invalidity\": \"correct\"},\n"
        "{\"configuration\": {\"a\": 4}, \"invalidity\": \"timeout\"}]}");
    journal = read_ok();
    assert_int_equal(journal_count(journal), 2);
    assert_true(journal_foreign(journal));
    check_near(journal_find(journal, "1,True")->time_s, 5e-4, 1e-15);
    assert_int_equal(journal_find(journal, "1,True")->sample_count, 2);
    check_near(journal_find(journal, "1,True")->samples_s[1], 6e-4, 1e-15);
    assert_int_equal(journal_find(journal, "2,True")->outcome, OUTCOME_COMPILE);
    assert_true(journal_remark(line, sizeof line, journal, 0));
    assert_non_null(strstr(line, "left out: 2; the first: "));
    assert_non_null(strstr(line, "results[2]: no measurement is called time"));
    journal_free(journal);
    check_refused("{\"metadata\": {\"timeunit\": \"moons\"}, \"results\": [1]}", ERR_FORMAT,
                  "the unit \"moons\" is not known");
    check_refused("{\"results\": [1]}", ERR_FORMAT, "results[0]");
}

int main(void)
{
    return RUN_TESTS_EACH(setup, teardown, refuses_damage_and_strangers, says_where_it_is_damaged,
                          reads_other_tools, reads_careless_tools, reads_t4);
}
