#include "check.h"

#include "base/hash.h"
#include "base/json_line.h"

static const char *const seeds[] = {
    "{\"id\": 35, \"trial\": {\"outcome\": \"ok\", \"samples_s\": [0.00340259, 3.4e-3, -1E+2, 0.0], \"n\": "
    "null}, \"t\": [true, "
    "false]}",
    " [ -0 , -0.0, 9223372036854775807, -9223372036854775808, 12345678901234567890.0, 1e308, 5e-324, [], {} "
    "] ",
    "{\"\": \"\\u00e4\\ud83d\\ude00\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"w\": "
    "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"}",
    "[0.1, 123456789.123456789, 1.7976931348623157e308, 2.2250738585072014e-308, "
    "0.1234567890123456789012345]",
};
enum { SEEDS = sizeof seeds / sizeof *seeds };

/* What both ways of reading say of a text. */
static void compare(const char *text, size_t length)
{
    struct json *tree, *flat;
    struct err err = {0};
    struct js_line lines[2] = {{0}, {0}};
    const int wanted = js_read_text(&tree, text, length, "t", &err);
    const int got = js_read_flat(&flat, text, length, "t", NULL);

    if (wanted && strstr(err.text, "duplicate")) { /* which is not looked for here */
        js_free(flat);
        return;
    }
    if (wanted != got)
        fail_msg("%d, and flat %d: %.*s (%s)", wanted, got, (int)length, text, err.text);
    if (wanted)
        return;
    js_line_value(&lines[0], NULL, tree);
    js_line_value(&lines[1], NULL, flat);
    assert_int_equal(js_line_end(&lines[0], NULL) | js_line_end(&lines[1], NULL), 0);
    assert_string_equal(lines[0].text, lines[1].text);
    js_line_release(&lines[0]);
    js_line_release(&lines[1]);
    js_free(tree);
    js_free(flat);
}

/* Texts with some bytes changed, left out or doubled. */
static void reads_what_trees_are_read_from(void **state)
{
    static const char bytes[] = "{}[]\",:\\u0eE+-.19tfn \xc3\xa4\xed\xa0\x80\xff\x01";
    enum { TRIES = 20000 };
    char text[512];

    for (uint64_t i = 0; i < TRIES; i++) {
        size_t length = strlen(seeds[i % SEEDS]);

        memcpy(text, seeds[i % SEEDS], length + 1);
        for (uint64_t change = 0; change < i / SEEDS % 4 && length; change++) {
            const uint64_t drawn = hash_random(i, change);
            const size_t at = drawn % length, kind = drawn >> 32 & 3;

            if (kind == 0)
                text[at] = bytes[(drawn >> 40) % (sizeof bytes - 1)];
            else if (kind == 1)
                memmove(text + at, text + at + 1, length-- - at);
            else if (kind == 2 && length < sizeof text - 2)
                memmove(text + at + 1, text + at, ++length - at);
            else
                length = at + 1;
        }
        text[length] = '\0';
        compare(text, length);
    }
    compare("[1]\0", 4);
    compare("", 0);
}

static void reads_through_cursors(void **state)
{
    static const char text[] = "{\"a\": {\"list\": [1, 2.5, \"x\"]}, \"b\": true}";
    struct json *json;
    struct js_at root, a, list, third, member = {0};
    struct err err = {0};
    const char *word;
    double real;
    bool truth;
    int64_t integer;

    assert_int_equal(js_read_flat(&json, text, strlen(text), "t.json", NULL), 0);
    root = js_root(json, "t.json");
    assert_int_equal(js_count(&root), 2);
    assert_int_equal(js_member(&a, &root, "a", NULL), 0);
    assert_true(js_find(&list, &a, "list") && !js_find(&third, &a, "no") && !third.value);
    third = js_element(&list, 2);
    assert_int_equal(js_string(&word, &third, NULL), 0);
    assert_string_equal(word, "x");
    assert_int_equal(js_integer(&integer, &third, &err), ERR_USAGE);
    assert_string_equal(err.text, "t.json: a.list[2]: expected an integer, found a string");
    third = js_element(&list, 0);
    assert_int_equal(js_real(&real, &third, NULL), 0);
    assert_true(real == 1);
    err = (struct err){0};
    third = js_element(&a, 0); /* an object has none */
    assert_int_equal(js_string(&word, &third, &err), ERR_USAGE);
    assert_string_equal(err.text, "t.json: a[0]: expected a string, found null");
    assert_true(js_next(&member, &root) && !strcmp(member.key, "a") && js_next(&member, &root));
    assert_int_equal(js_bool(&truth, &member, NULL), 0);
    assert_true(truth && !strcmp(member.key, "b") && !js_next(&member, &root));
    js_free(json);
}

static void refuses_what_is_too_deep(void **state)
{
    char text[200];
    struct json *json;
    struct err err = {0};

    memset(text, '[', 100);
    memset(text + 100, ']', 100);
    assert_int_equal(js_read_flat(&json, text, 200, "t", &err), ERR_USAGE);
    assert_string_equal(err.text, "t: too many brackets inside one another stands at byte 65");
    assert_int_equal(js_read_flat(&json, text + 36, 128, "t", NULL), 0);
    js_free(json);
}

int main(void)
{
    return RUN_TESTS(reads_what_trees_are_read_from, reads_through_cursors, refuses_what_is_too_deep);
}
