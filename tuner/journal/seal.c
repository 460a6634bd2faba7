#include "tuner/journal/seal.h"

#include <math.h>
#include <string.h>

/* Writing ------------------------------------------------------------------ */

static void add(struct seal *seal, const char *key, uint64_t value)
{
    seal->sum += seal_member(key, value);
}

void seal_put_string(struct seal *seal, const char *key, const char *value)
{
    js_line_string(seal->line, key, value);
    add(seal, key, seal_string(value));
}

void seal_put_bool(struct seal *seal, const char *key, bool value)
{
    js_line_bool(seal->line, key, value);
    add(seal, key, seal_word(value ? "true" : "false"));
}

static const int64_t EXACT_MOST = INT64_C(1000000000000000); /* 15 digits */

static uint64_t hash_real(double value)
{
    char text[JS_NUMBER_BYTES];

    js_number(text, value, 15);
    return seal_number(text);
}

/* The digits of an integer are those of the real, until they are too many for it. */
void seal_put_integer(struct seal *seal, const char *key, int64_t value)
{
    char text[JS_INTEGER_BYTES];

    if (value <= -EXACT_MOST || value >= EXACT_MOST) {
        js_line_integer(seal->line, key, value);
        add(seal, key, hash_real((double)value));
        return;
    }
    js_integer_text(text, value);
    js_line_text(seal->line, key, text, strlen(text));
    add(seal, key, seal_number(text));
}

void seal_put_real(struct seal *seal, const char *key, double value, int digits)
{
    char text[JS_NUMBER_BYTES];

    js_number(text, value, digits);
    js_line_number(seal->line, key, text);
    add(seal, key, seal_number(text));
}

void seal_put_reals(struct seal *seal, const char *key, const double *values, size_t count, double scale,
                    int digits)
{
    uint64_t list = HASH_START;
    char text[JS_NUMBER_BYTES];

    js_line_array(seal->line, key);
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            js_line_real(seal->line, NULL, values[i]);
            list = seal_element(list, seal_word("null"));
            continue;
        }
        js_number(text, values[i] * scale, digits);
        js_line_number(seal->line, NULL, text);
        list = seal_element(list, seal_number(text));
    }
    js_line_close(seal->line, ']');
    add(seal, key, seal_list(list));
}

void seal_put_object(struct seal *seal, const char *key, const struct seal *inner)
{
    add(seal, key, seal_object(inner->sum));
}

void seal_put_tree(struct seal *seal, const struct json *object)
{
    const struct js_at root = js_root((struct json *)object, "");
    struct js_at member = {0};

    while (js_next(&member, &root)) {
        js_line_value(seal->line, member.key, member.value);
        add(seal, member.key, seal_value(&member));
    }
}

/* Reading ------------------------------------------------------------------ */

static uint64_t hash_elements(const struct js_at *at)
{
    uint64_t list = HASH_START;

    for (size_t i = 0; i < js_count(at); i++) {
        const struct js_at element = js_element(at, i);

        list = seal_element(list, seal_value(&element));
    }
    return seal_list(list);
}

static uint64_t hash_members(const struct js_at *at)
{
    struct js_at member = {0};
    uint64_t sum = 0;

    while (js_next(&member, at))
        if (strcmp(member.key, SEAL_MEMBER))
            sum += seal_member(member.key, seal_value(&member));
    return seal_object(sum);
}

uint64_t seal_value(const struct js_at *at)
{
    const char *text = "";
    double value = 0;
    bool truth = false;

    switch (js_kind(at)) {
    case JS_BOOL:
        js_bool(&truth, at, NULL);
        return seal_word(truth ? "true" : "false");
    case JS_INTEGER:
    case JS_REAL:
        js_real(&value, at, NULL);
        return hash_real(value);
    case JS_STRING:
        js_string(&text, at, NULL);
        return seal_string(text);
    case JS_ARRAY:
        return hash_elements(at);
    case JS_OBJECT:
        return hash_members(at);
    case JS_NULL:
        break;
    }
    return seal_word("null");
}
