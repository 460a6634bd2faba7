/* JSON as one line of text. Jansson's own writer looks for loops in every tree and calls back for every piece: this takes
 * a third of its time, for the same text. */
#include "base/json_line.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_bytes(struct js_line *line, const char *bytes, size_t count)
{
    if (line->capacity - line->length <= count && !line->starved) {
        const size_t capacity = 2 * (line->capacity + count) + 256;
        char *larger = realloc(line->text, capacity);

        line->starved = !larger;
        line->text = larger ? larger : line->text;
        line->capacity = larger ? capacity : line->capacity;
    }
    if (line->starved)
        return;
    memcpy(line->text + line->length, bytes, count);
    line->length += count;
}

static void put_text(struct js_line *line, const char *text)
{
    put_bytes(line, text, strlen(text));
}

static void put_escape(struct js_line *line, unsigned char c)
{
    static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *found = strchr(plain, c);
    char text[8];

    if (found)
        snprintf(text, sizeof text, "\\%c", letters[found - plain]);
    else
        snprintf(text, sizeof text, "\\u%04X", c);
    put_text(line, text);
}

/* The first character that cannot stand for itself, or the end. */
static const char *plain_end(const char *text)
{
    while ((unsigned char)*text >= ' ' && *text != '"' && *text != '\\')
        text++;
    return text;
}

static void put_string(struct js_line *line, const char *text)
{
    const char *end = plain_end(text);

    put_bytes(line, "\"", 1);
    for (; *end; end = plain_end(text)) {
        put_bytes(line, text, (size_t)(end - text));
        put_escape(line, (unsigned char)*end);
        text = end + 1;
    }
    put_bytes(line, text, (size_t)(end - text));
    put_bytes(line, "\"", 1);
}

static void put_integer(struct js_line *line, int64_t value)
{
    char digits[JS_INTEGER_BYTES];

    put_bytes(line, digits, js_integer_text(digits, value));
}

/* Exponents have neither plus nor leading zeros. */
static void trim_exponent(char *text)
{
    char *to = strchr(text, 'e'), *from;

    if (!to)
        return;
    to += 1 + (to[1] == '-');
    from = to + (*to == '+');
    while (*from == '0')
        from++;
    memmove(to, from, strlen(from) + 1);
}

static void put_number(struct js_line *line, const char *number)
{
    char text[JS_NUMBER_BYTES];
    const size_t length = strcspn(number, ".e");

    if (!strchr(number + length, 'e')) { /* as most are */
        put_text(line, number);
        if (!number[length])
            put_text(line, ".0");
        return;
    }
    snprintf(text, sizeof text, "%s", number);
    trim_exponent(text);
    put_text(line, text);
}

static void put_real(struct js_line *line, double value)
{
    char text[JS_NUMBER_BYTES];

    if (value != 0 && fabs(value) < 1e15 && value == (double)(int64_t)value) {
        put_integer(line, (int64_t)value);
        put_text(line, ".0");
        return;
    }
    js_number(text, value, JS_DIGITS_MOST);
    put_number(line, text);
}

/* Members and elements ----------------------------------------------------- */

/* What stands before a value: a comma behind the one before it, and its key. */
static void put_key(struct js_line *line, const char *key)
{
    const char last = line->length ? line->text[line->length - 1] : '{';

    if (last != '{' && last != '[' && last != '\n')
        put_bytes(line, ", ", 2);
    if (!key)
        return;
    put_string(line, key);
    put_bytes(line, ": ", 2);
}

void js_line_begin(struct js_line *line)
{
    line->length = 0;
    line->starved = false;
}

void js_line_release(struct js_line *line)
{
    free(line->text);
    *line = (struct js_line){0};
}

int js_line_end(struct js_line *line, struct err *err)
{
    put_bytes(line, "", 1);
    line->length -= !line->starved;
    return line->starved ? err_memory(err) : 0;
}

void js_line_object(struct js_line *line, const char *key)
{
    put_key(line, key);
    put_bytes(line, "{", 1);
}

void js_line_array(struct js_line *line, const char *key)
{
    put_key(line, key);
    put_bytes(line, "[", 1);
}

void js_line_close(struct js_line *line, char bracket)
{
    put_bytes(line, &bracket, 1);
}

void js_line_string(struct js_line *line, const char *key, const char *value)
{
    put_key(line, key);
    put_string(line, value);
}

void js_line_integer(struct js_line *line, const char *key, int64_t value)
{
    put_key(line, key);
    put_integer(line, value);
}

void js_line_real(struct js_line *line, const char *key, double value)
{
    put_key(line, key);
    if (isfinite(value))
        put_real(line, value);
    else
        put_text(line, "null");
}

void js_line_bool(struct js_line *line, const char *key, bool value)
{
    put_key(line, key);
    put_text(line, value ? "true" : "false");
}

void js_line_exact(struct js_line *line, const char *key, double value)
{
    enum { DIGITS = 13, BITS = 52, BIAS = 1023 }; /* of the fraction */
    char text[24 + JS_INTEGER_BYTES] = "0x1.", *end = text + 4 + DIGITS;
    const bool negative = signbit(value);
    uint64_t bits;
    int exponent;

    if (value == 0) {
        js_line_string(line, key, negative ? "-0x0p+0" : "0x0p+0");
        return;
    }
    memcpy(&bits, &value, sizeof bits);
    exponent = (int)(bits >> BITS & 2047);
    if (!exponent || exponent == 2047) { /* no usual number */
        snprintf(text, sizeof text, "%a", value);
        js_line_string(line, key, text);
        return;
    }
    for (int i = 0; i < DIGITS; i++)
        text[4 + i] = "0123456789abcdef"[bits >> (BITS - 4 - 4 * i) & 15];
    while (end[-1] == '0')
        end--;
    end -= end[-1] == '.';
    *end++ = 'p';
    if (exponent >= BIAS)
        *end++ = '+';
    js_integer_text(end, exponent - BIAS);
    put_key(line, key);
    put_text(line, negative ? "\"-" : "\"");
    put_text(line, text);
    put_bytes(line, "\"", 1);
}

void js_line_text(struct js_line *line, const char *key, const char *text, size_t length)
{
    put_key(line, key);
    put_bytes(line, text, length);
}

void js_line_more(struct js_line *line, const char *text, size_t length)
{
    put_bytes(line, text, length);
}

void js_line_number(struct js_line *line, const char *key, const char *number)
{
    put_key(line, key);
    put_number(line, number);
}

struct json *js_line_tree(struct js_line *line)
{
    struct json *tree = NULL;

    if (!js_line_end(line, NULL))
        js_read_text(&tree, line->text, line->length, "", NULL);
    js_line_release(line);
    return tree;
}

/* Trees -------------------------------------------------------------------- */

static void put_value(struct js_line *line, const char *key, const struct js_at *at);

static void put_elements(struct js_line *line, const struct js_at *at)
{
    const size_t count = js_count(at);

    for (size_t i = 0; i < count; i++) {
        const struct js_at element = js_element(at, i);

        put_value(line, NULL, &element);
    }
}

static void put_members(struct js_line *line, const struct js_at *at)
{
    struct js_at member = {0};

    while (js_next(&member, at))
        put_value(line, member.key, &member);
}

static void put_value(struct js_line *line, const char *key, const struct js_at *at)
{
    const char *text = "";
    int64_t integer = 0;
    double real = 0;
    bool truth = false;

    switch (js_kind(at)) {
    case JS_NULL:
        js_line_text(line, key, "null", 4);
        break;
    case JS_BOOL:
        js_bool(&truth, at, NULL);
        js_line_bool(line, key, truth);
        break;
    case JS_INTEGER:
        js_integer(&integer, at, NULL);
        js_line_integer(line, key, integer);
        break;
    case JS_REAL:
        js_real(&real, at, NULL);
        js_line_real(line, key, real);
        break;
    case JS_STRING:
        js_string(&text, at, NULL);
        js_line_string(line, key, text);
        break;
    case JS_ARRAY:
        js_line_array(line, key);
        put_elements(line, at);
        js_line_close(line, ']');
        break;
    case JS_OBJECT:
        js_line_object(line, key);
        put_members(line, at);
        js_line_close(line, '}');
    }
}

void js_line_value(struct js_line *line, const char *key, const struct json *value)
{
    const struct js_at root = js_root((struct json *)value, "");

    put_value(line, key, &root);
}
