#include "check.h"

#include "base/hash.h"
#include "base/json_line.h"

static double drawn(uint64_t seed, uint64_t i)
{
    const uint64_t bits = hash_random(seed, i);
    double value;

    if (i % 3 == 0) { /* any double */
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    value = (double)(bits % 2000000) / pow(10, (double)(bits >> 32 & 15)); /* what people write, and ties */
    return bits >> 63 ? -value : value;
}

/* "%.*g" read again and written with 15 digits: what trees of values did. */
static void numbers_are_those_of_printf(void **state)
{
    enum { TRIES = 200000 };
    char mine[JS_NUMBER_BYTES], text[64];

    for (uint64_t i = 0; i < TRIES; i++) {
        const double value = drawn(1, i);
        const int digits = i % 2 ? 15 : 3 + (int)(i % 5);

        if (!isfinite(value))
            continue;
        snprintf(text, sizeof text, "%.*g", digits, value);
        snprintf(text, sizeof text, "%.15g", strtod(text, NULL));
        js_number(mine, value, digits);
        assert_string_equal(mine, text);
    }
}

static void exact_reals_are_those_of_printf(void **state)
{
    struct js_line line = {0};
    char text[64];

    for (uint64_t i = 0; i < 20000; i++) {
        const double value = i < 3 ? -(double)i / 2 : drawn(2, i);

        js_line_begin(&line);
        js_line_exact(&line, NULL, value);
        assert_int_equal(js_line_end(&line, NULL), 0);
        snprintf(text, sizeof text, "\"%a\"", value);
        assert_string_equal(line.text, text);
    }
    js_line_release(&line);
}

static void a_line_is_the_text_of_its_tree(void **state)
{
    static const char wanted[] =
        "{\"a\": [1, \"x,{\", [], {}], \"b\\n\": {\"r\": 0.5, \"w\": 2.0, \"n\": null}, "
        "\"t\": true, \"s\": \"ends {\", \"i\": -7}";
    struct js_line line = {0};
    struct json *tree;
    char *text;

    js_line_object(&line, NULL);
    js_line_array(&line, "a");
    js_line_integer(&line, NULL, 1);
    js_line_string(&line, NULL, "x,{");
    js_line_array(&line, NULL);
    js_line_close(&line, ']');
    js_line_object(&line, NULL);
    js_line_close(&line, '}');
    js_line_close(&line, ']');
    js_line_object(&line, "b\n");
    js_line_real(&line, "r", 0.5);
    js_line_real(&line, "w", 2);
    js_line_real(&line, "n", NAN);
    js_line_close(&line, '}');
    js_line_bool(&line, "t", true);
    js_line_string(&line, "s", "ends {");
    js_line_integer(&line, "i", -7);
    js_line_close(&line, '}');
    assert_int_equal(js_line_end(&line, NULL), 0);
    assert_string_equal(line.text, wanted);
    tree = js_line_tree(&line);
    assert_null(line.text);
    text = js_text(tree, JS_LINE);
    assert_string_equal(text, wanted);
    free(text);
    js_free(tree);
}

int main(void)
{
    return RUN_TESTS(numbers_are_those_of_printf, exact_reals_are_those_of_printf,
                     a_line_is_the_text_of_its_tree);
}
