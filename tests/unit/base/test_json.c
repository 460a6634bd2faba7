#include "check.h"

#include "base/json.h"

static struct json *parse(const char *text)
{
    struct json *json;
    struct err err = {0};

    assert_int_equal(js_read_text(&json, text, strlen(text), "t.json", &err), 0);
    return json;
}

static void bad_json_names_line_and_column(void **state)
{
    struct json *json;
    struct err err = {0};

    assert_int_equal(js_read_text(&json, "{\n \"a\": }", 9, "t.json", &err), ERR_USAGE);
    assert_null(json);
    assert_non_null(strstr(err.text, "t.json:2:"));
    err_clear(&err);
    assert_int_equal(js_read_text(&json, "[1,\n2\0]", 7, "t.json", &err), ERR_USAGE);
    assert_string_equal(err.text, "t.json:2:2: a zero byte");
    assert_null(json);
    err_clear(&err);
    assert_int_equal(js_read_text(&json, "[\"\\u0000\"]", 10, "t.json", &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "a text holds \\u0000, which ends it: remove it"));
}

static void wrong_type_names_the_path(void **state)
{
    struct json *json = parse("{\"parameters\": {\"TILE\": [1, 2, \"x\"]}}");
    struct js_at root = js_root(json, "t.json"), parameters, tile, third;
    struct err err = {0};
    int64_t value;

    assert_int_equal(js_member(&parameters, &root, "parameters", &err), 0);
    assert_int_equal(js_member(&tile, &parameters, "TILE", &err), 0);
    third = js_element(&tile, 2);
    assert_int_equal(js_integer(&value, &third, &err), ERR_USAGE);
    assert_string_equal(err.text, "t.json: parameters.TILE[2]: expected an integer, found a string");
    js_free(json);
}

static void unknown_field_suggests_the_nearest(void **state)
{
    static const char *const allowed[] = {"parameters", "launch", NULL};
    struct json *json = parse("{\"lanch\": 1}");
    struct js_at root = js_root(json, "t.json");
    struct err err = {0};

    assert_int_equal(js_only(&root, allowed, &err), ERR_USAGE);
    assert_string_equal(err.text, "t.json: lanch: unknown field; did you mean \"launch\"?");
    js_free(json);
}

static void members_come_in_written_order(void **state)
{
    struct json *json = parse("{\"b\": 1, \"a\": 2}");
    struct js_at root = js_root(json, "t.json"), member = {0};

    assert_true(js_next(&member, &root));
    assert_string_equal(member.key, "b");
    assert_true(js_next(&member, &root));
    assert_string_equal(member.key, "a");
    assert_false(js_next(&member, &root));
    js_free(json);
}

static void text_keeps_short_reals_short(void **state)
{
    struct json *json = js_new_object();
    char *text;

    assert_int_equal(js_set_real(json, "b", 0.1), 0);
    assert_int_equal(js_set_integer(json, "a", -3), 0);
    text = js_text(json, JS_LINE);
    assert_string_equal(text, "{\"b\": 0.1, \"a\": -3}");
    free(text);
    js_free(json);
}

static void what_failed_is_freed(void **state)
{
    struct json *value = js_new_object();

    assert_ptr_equal(js_unless(0, value), value);
    assert_null(js_unless(1, value));
    assert_null(js_unless(1, NULL));
}

/* A line of text, as other tools write and read it. */
static void test_lines(void **state)
{
    static const struct {
        double value;
        const char *text;
    } reals[] = {{0, "0.0"},
                 {-0.0, "-0.0"},
                 {1, "1.0"},
                 {-4096, "-4096.0"},
                 {0.1, "0.1"},
                 {1.0 / 3, "0.333333333333333"},
                 {1e14, "100000000000000.0"},
                 {1e15, "1e15"},
                 {1.5e300, "1.5e300"},
                 {-2e-7, "-2e-7"},
                 {123456789.25, "123456789.25"},
                 {1e22, "1e22"}};
    struct json *list = js_new_array(), *object = js_new_object();
    char *text;

    for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) {
        struct json *one = js_new_real(reals[k].value);

        text = js_text(one, JS_LINE);
        assert_string_equal(text, reals[k].text);
        free(text);
        js_free(one);
    }
    js_append(list, js_new_null());
    js_append(list, js_new_integer(INT64_MIN));
    js_append(list, js_new_string("\"\\/\b\f\n\r\t\x01\x1f\x7f\xc3\xa4"));
    js_append(list, js_new_array());
    js_set(object, "z", list);
    js_set_bool(object, "a\n", true);
    js_set(object, "", js_new_object());
    text = js_text(object, JS_LINE);
    assert_string_equal(
        text,
        "{\"z\": [null, -9223372036854775808, \"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001F\x7f\xc3\xa4\", []], "
        "\"a\\n\": true, \"\": {}}");
    free(text);
    js_free(object);
}

int main(void)
{
    return RUN_TESTS(test_lines, bad_json_names_line_and_column, wrong_type_names_the_path,
                     unknown_field_suggests_the_nearest, members_come_in_written_order,
                     text_keeps_short_reals_short, what_failed_is_freed);
}
