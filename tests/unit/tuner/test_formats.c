/* What every row of the table of output formats keeps, and that a text is whole or an error. */
#include "check.h"
#include "failing.h"

#include "tuner/format/format.h"

static void names_are_of_the_table(void **state)
{
    const struct format *found;
    char choices[FORMAT_NAMES_MAX];
    struct err err = {0};

    format_choices(choices, sizeof choices);
    assert_int_equal(format_find(&found, NULL, &err), 0);
    assert_ptr_equal(found, formats[0]);
    for (size_t k = 0; formats[k]; k++) {
        assert_int_equal(format_find(&found, formats[k]->name, &err), 0);
        assert_ptr_equal(found, formats[k]);
        assert_non_null(strstr(choices, formats[k]->name));
        assert_true(*formats[k]->file);
        assert_true(formats[k]->reads_decision || formats[k]->reads_runs);
    }
    assert_int_equal(format_find(&found, "poem", &err), ERR_USAGE);
    assert_memory_equal(err.text, "--format: poem is none of page, header, rows, t4", 48);
}

/* What a format needs and the input lacks is said by the table, for every row. */
static void a_journal_is_no_decision(void **state)
{
    const struct format_input empty = {0};
    char *text;
    size_t size;

    for (size_t k = 0; formats[k]; k++) {
        struct err err = {0};

        if (!formats[k]->reads_decision)
            continue;
        assert_int_equal(format_text(&text, &size, formats[k], &empty, &err), ERR_USAGE);
        assert_null(text);
        assert_non_null(strstr(err.text, formats[k]->name));
    }
}

static struct json *document;
static struct decision decision;

/* Two problems in memory, with what the rows of a decision hold. */
static int write_rows(struct err *err)
{
    const struct format_input in = {.decisions = &decision, .decision_count = 1};
    char *text;
    size_t size;
    int rc = format_text(&text, &size, &format_rows, &in, err);

    if (!rc) {
        assert_int_equal(strlen(text), size);
        assert_non_null(strstr(text, "\"device\": \"A GPU\""));
        assert_non_null(strstr(text, "\"time_ms\": 2"));
    }
    assert_true(rc ? !text : text != NULL);
    free(text);
    return rc;
}

static void a_text_is_whole_or_none(void **state)
{
    static const char problems[] =
        "[{\"problem\": {\"SIZE\": 1}, \"best\": {\"time_ms\": 1}}, {\"problem\": {\"SIZE\": 2}, \"best\": "
        "{\"time_ms\": 2}}]";
    struct js_at list[2];
    struct err err = {0};

    check_ok(js_read_text(&document, problems, strlen(problems), "test", &err), &err);
    decision.device = "A GPU";
    decision.problems = js_root(document, "test");
    list[0] = js_element(&decision.problems, 0);
    list[1] = js_element(&decision.problems, 1);
    decision.problem_at = list;
    fail_each(write_rows);
    js_free(document);
}

static const char head_text[] =
    "{\"tune_params_keys\": [\"A\", \"B\", \"C\"], \"tune_params\": {\"A\": [1, 16], \"B\": "
    "[\"x,y\", \"x\"], \"C\": [true]}}";

/* One that ran, one with its code, one of a value that the head does not list, and one that was never tried. */
static int write_t4(struct err *err)
{
    double samples[] = {0.002, 0.003};
    struct record records[4];
    const struct record *list[4];
    struct report_problem problem = {.head = js_root(document, "head"), .records = list, .count = 4};
    const struct report_options runs = {.problems = &problem, .problem_count = 1};
    const struct format_input in = {.runs = &runs};
    static char keys[4][16] = {"16,x,y,True", "1,x,True", "3,x,True", "1,x,y,True"};
    char *text;
    size_t size;
    int rc;

    for (size_t i = 0; i < 4; i++) {
        record_init(&records[i]);
        records[i].key = keys[i];
        list[i] = &records[i];
    }
    records[0].outcome = OUTCOME_OK;
    records[0].time_s = 0.002;
    records[0].samples_s = samples;
    records[0].sample_count = 2;
    records[0].energy_j = 0.5;
    records[1].outcome = OUTCOME_SAME_CODE;
    records[1].same_as = keys[0];
    records[2].outcome = OUTCOME_TIMEOUT;
    records[3].outcome = OUTCOME_SKIPPED;
    rc = format_text(&text, &size, &format_t4, &in, err);
    if (!rc) {
        assert_non_null(strstr(text, "\"configuration\": {\"A\": 16, \"B\": \"x,y\", \"C\": true}"));
        assert_non_null(strstr(text, "\"configuration\": {\"A\": 1, \"B\": \"x\", \"C\": true}"));
        assert_non_null(strstr(text, "\"configuration\": {\"A\": \"3\", \"B\": \"x\", \"C\": true}"));
        assert_non_null(strstr(text, "\"invalidity\": \"timeout\", \"correctness\": 0"));
        assert_non_null(strstr(text, "{\"name\": \"energy\", \"value\": 0.5, \"unit\": \"J\"}"));
        assert_null(strstr(text, "\"A\": 1, \"B\": \"x,y\""));
        free(text);
    }
    return rc;
}

static void t4_has_what_was_tried(void **state)
{
    struct err err = {0};

    check_ok(js_read_text(&document, head_text, strlen(head_text), "head", &err), &err);
    fail_each(write_t4);
    js_free(document);
}

int main(void)
{
    return RUN_TESTS(names_are_of_the_table, a_journal_is_no_decision, a_text_is_whole_or_none,
                     t4_has_what_was_tried);
}
