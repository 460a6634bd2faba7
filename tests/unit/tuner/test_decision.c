#include "check.h"

#include "tuner/decision/decision.h"
#include "tuner/decision/header.h"

static void read_ok(struct decision *decision, const char *path)
{
    struct err err = {0};

    check_ok(decision_read(decision, path, &err), &err);
}

static void reads_rows(void **state)
{
    struct decision decision;

    read_ok(&decision, "tests/header/example.json");
    assert_string_equal(decision.kernel, "scale");
    assert_string_equal(decision.device, "Example GPU");
    assert_int_equal(decision.parameter_count, 4);
    assert_int_equal(decision.row_count, 2);
    check_near(decision.rows[1].sizes[0], 1048576, 0);
    check_near(decision.rows[1].time_s, 0.5e-3, 1e-12);
    check_near(decision.rows[1].speedup, 3, 0);
    assert_int_equal(decision.rows[1].values[0].integer, 256);
    assert_int_equal(decision.rows[1].values[2].kind, VALUE_BOOL);
    assert_int_equal(decision.rows[1].option_count, 4);
    decision_release(&decision);
}

static double threads_at(const struct decision *decision, const char *device, unsigned sm, double n)
{
    const struct decision_row *row = decision_find(decision, device, sm, &n);

    return row ? value_real(&row->values[0]) : 0;
}

static void finds_the_nearest(void **state)
{
    struct decision decision;

    read_ok(&decision, "tests/header/example.json");
    check_near(threads_at(&decision, "Example GPU", 0, 1024), 64, 0);
    check_near(threads_at(&decision, "example-gpu", 0, 20000), 64, 0);
    check_near(threads_at(&decision, NULL, 0, 50000), 256, 0);
    check_near(threads_at(&decision, "Another", 90, 5e9), 256, 0);
    check_near(threads_at(&decision, "Another", 80, 5e9), 0, 0);
    check_near(threads_at(&decision, "Another", 0, 5e9), 0, 0);
    decision_release(&decision);
}

/* The text of a good decision with one piece replaced. */
static void check_refused(const char *piece, const char *by, const char *message)
{
    char *text = calloc(1, 1 << 16), *at, *changed = calloc(1, 1 << 17);
    FILE *file = fopen("tests/header/example.json", "rb");
    struct json *document;
    struct decision decision;
    struct err err = {0};

    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    at = strstr(text, piece);
    assert_non_null(at);
    snprintf(changed, 1 << 17, "%.*s%s%s", (int)(at - text), text, by, at + strlen(piece));
    check_ok(js_read_text(&document, changed, strlen(changed), "d.json", &err), &err);
    assert_int_equal(decision_take(&decision, document, "d.json", &err), ERR_USAGE);
    if (!strstr(err.text, message))
        fail_msg("\"%s\" is not in \"%s\"", message, err.text);
    free(text);
    free(changed);
}

static void refuses_what_it_does_not_know(void **state)
{
    check_refused("\"schema\": 1", "\"schema\": 2",
                  "d.json: schema: is 2, this occutune reads 1: tune again");
    check_refused("\"kernel\": \"scale\",", "", "the field \"kernel\" is missing");
    check_refused("\"ITEMS\": 1,", "", "default: the field \"ITEMS\" is missing");
    check_refused("\"sm\": 90", "\"sm\": \"90\"", "signature.sm: expected an integer");
    check_refused("\"time_ms\": 0.002", "\"time_ms\": null", "best.time_ms: expected a number");
}

static void a_header_is_of_one_kernel(void **state)
{
    struct decision decisions[2];
    FILE *out = fopen("/dev/null", "w");
    struct err err = {0};

    read_ok(&decisions[0], "tests/header/example.json");
    read_ok(&decisions[1], "tests/header/other.json");
    assert_int_equal(header_write(out, decisions, 2, 2, &err), 0);
    assert_int_equal(header_write(out, decisions, 2, 3, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "there is no row 4: the decisions have 3"));
    err_clear(&err);
    decisions[1].kernel = "other";
    assert_int_equal(header_write(out, decisions, 2, 0, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "one header holds one kernel"));
    fclose(out);
    decision_release(&decisions[0]);
    decision_release(&decisions[1]);
}

/* The file and the parameter are named, of several files the one whose value differs. */
static void values_of_different_kinds_are_named(void **state)
{
    struct decision decisions[2];
    FILE *out = fopen("/dev/null", "w");
    struct err err = {0};

    read_ok(&decisions[0], "tests/header/example.json");
    read_ok(&decisions[1], "tests/header/other.json");
    decisions[1].rows[0].values[0].kind = VALUE_BOOL;
    assert_int_equal(header_write(out, decisions, 2, 0, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "tests/header/other.json: parameter THREADS"));
    decisions[1].rows[0].values[0].kind = VALUE_INTEGER;
    fclose(out);
    decision_release(&decisions[0]);
    decision_release(&decisions[1]);
}

int main(void)
{
    return RUN_TESTS(reads_rows, finds_the_nearest, refuses_what_it_does_not_know, a_header_is_of_one_kernel,
                     values_of_different_kinds_are_named);
}
