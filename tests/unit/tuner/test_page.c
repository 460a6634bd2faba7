/* What a page is given: variants as columns, what was pruned among them, and nothing that ends a script. */
#include "check.h"
#include "failing.h"

#include "base/html.h"
#include "tuner/report/report.h"
#include "tuner/report/report_data.h"

/* "16,a" was pruned by a first run and timed by a second; "48,c" was pruned by a run of an earlier version. */
static const char head_text[] =
    "{\"device_name\": \"A GPU\", \"kernel_name\": \"k</script>\", \"tune_params_keys\": "
    "[\"N\", \"KIND\"], \"occutune\": {\"schema\": 1, \"created\": "
    "\"2026-11-22T01:02:03Z\", \"problem\": {\"SIZE\": 8}, \"device\": {\"limits\": "
    "{\"sm_count\": 132}}}}";
static const char not_timed_text[] = "{\"not_compiled\": 3, \"pruned\": {\"16,a\": {\"rule\": \"bound\", "
                                     "\"bound_ms\": 1}, \"32,b\": {\"rule\": "
                                     "\"estimate\", \"registers\": 40, \"predicted\": {\"estimate_ms\": 3, "
                                     "\"bound_ms\": 2, \"limiter\": \"DRAM "
                                     "read\", \"busy\": {\"DRAM read\": 0.5, \"L2\": 0.01}}}, \"48,c\": "
                                     "{\"rule\": \"bound\", \"bound_ms\": 4, "
                                     "\"estimate_ms\": 5, \"limiter\": \"L2\"}}}";
static const char decision_text[] =
    "{\"best\": null, \"words\": [\"why\"], \"journal\": \"/home/somebody/k.json\"}";

static struct json *read_json(const char *text)
{
    struct json *json;
    struct err err = {0};

    check_ok(js_read_text(&json, text, strlen(text), "test", &err), &err);
    return json;
}

static struct json *head, *not_timed, *decision;

static int set_up(void **state)
{
    head = read_json(head_text);
    not_timed = read_json(not_timed_text);
    decision = read_json(decision_text);
    return 0;
}

static int tear_down(void **state)
{
    js_free(head);
    js_free(not_timed);
    js_free(decision);
    return 0;
}

static int make(struct json **out, struct err *err)
{
    struct record timed, failed;
    const struct record *const records[] = {&timed, &failed};
    struct report_problem problem = {.head = js_root(head, "head"),
                                     .records = records,
                                     .count = 2,
                                     .not_timed = not_timed,
                                     .decision = decision,
                                     .source = "/home/somebody/k.json"};
    const struct report_options options = {
        .problems = &problem, .problem_count = 1, .level = "live", .assets = "", .version = "1"};

    record_init(&timed);
    timed.key = (char *)"16,a";
    timed.time_s = 1.5e-3;
    timed.registers = 32;
    record_init(&failed);
    failed.key = (char *)"64,d";
    failed.outcome = OUTCOME_WRONG;
    failed.message = (char *)"</script><b>";
    return report_data(out, &options, err);
}

/* `wanted` is JSON of the member at a path like "columns", "rule". */
static void check_member(const struct js_at *object, const char *key, const char *wanted)
{
    struct js_at at;
    struct err err = {0};
    char *found;

    check_ok(js_member(&at, object, key, &err), &err);
    found = js_text(at.value, JS_LINE);
    assert_string_equal(found, wanted);
    free(found);
}

static void holds_all_variants(void **state)
{
    struct json *data;
    struct js_at root, problems, problem, columns, at;
    struct err err = {0};

    assert_int_equal(make(&data, &err), 0);
    root = js_root(data, "data");
    check_member(&root, "title", "\"Measured on A GPU, 2026-11-22.\"");
    check_member(&root, "messages", "[\"</script><b>\"]");
    assert_true(js_find(&problems, &root, "problems"));
    problem = js_element(&problems, 0);
    check_member(&problem, "label", "\"SIZE=8\"");
    check_member(&problem, "gpu", "\"A GPU\"");
    check_member(&problem, "curves", "[]");
    check_member(&problem, "parameters", "[\"N\", \"KIND\"]");
    check_member(&problem, "keys", "[\"16,a\", \"64,d\", \"32,b\", \"48,c\"]");
    check_member(&problem, "not_compiled", "3");
    check_member(&problem, "device", "{\"sm_count\": 132}");
    check_member(&problem, "journal", "\"k.json\"");
    check_member(&problem, "decision", "{\"best\": null, \"words\": [\"why\"]}");
    assert_true(js_find(&columns, &problem, "columns"));
    check_member(&columns, "time_ms", "[1.5, null, null, null]");
    check_member(&columns, "estimate_ms", "[null, null, 3.0, 5.0]");
    check_member(&columns, "bound_ms", "[null, null, 2.0, 4.0]");
    check_member(&columns, "rule", "[null, null, 2, 1]");
    check_member(&columns, "registers", "[32, null, 40, null]");
    check_member(&columns, "message", "[null, 0, null, null]");
    check_member(&columns, "busy", "[null, null, [19, 500], []]");
    assert_false(js_find(&at, &columns, "clock_mhz"));
    js_free(data);
}

static int make_and_free(struct err *err)
{
    struct json *data;
    const int rc = make(&data, err);

    js_free(data);
    return rc;
}

static void survives_every_failure(void **state)
{
    fail_each(make_and_free);
}

static void no_text_ends_the_script(void **state)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    html_json(out, "{\"a\": \"</script><!--\"}");
    html_text(out, "<a href=\"b\">&");
    fclose(out);
    assert_string_equal(text, "{\"a\": \"\\u003c/script>\\u003c!--\"}&lt;a href=&quot;b&quot;&gt;&amp;");
    free(text);
}

int main(void)
{
    return RUN_TESTS_IN(set_up, tear_down, holds_all_variants, survives_every_failure,
                        no_text_ends_the_script);
}
