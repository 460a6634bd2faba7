/* JSON as one line of text. Jansson's own writer looks for loops in every tree and calls back for every piece: this takes
 * a third of its time, for the same text. */
#include "base/json_line.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line {
    char *text;
    size_t length, capacity;
    bool starved;
};

static void put_bytes(struct line *line, const char *bytes, size_t count)
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

static void put_text(struct line *line, const char *text)
{
    put_bytes(line, text, strlen(text));
}

static void put_escape(struct line *line, unsigned char c)
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

static void put_string(struct line *line, const char *text)
{
    const char *end;

    put_bytes(line, "\"", 1);
    while (*text) {
        for (end = text; (unsigned char)*end >= ' ' && *end != '"' && *end != '\\';)
            end++;
        put_bytes(line, text, (size_t)(end - text));
        if (*end)
            put_escape(line, (unsigned char)*end++);
        text = end;
    }
    put_bytes(line, "\"", 1);
}

static void put_integer(struct line *line, int64_t value)
{
    char digits[24], *at = digits + sizeof digits;
    uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;

    do
        *--at = (char)('0' + left % 10);
    while (left /= 10);
    if (value < 0)
        *--at = '-';
    put_bytes(line, at, (size_t)(digits + sizeof digits - at));
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

static void put_real(struct line *line, double value)
{
    char text[40], *point;

    if (value != 0 && fabs(value) < 1e15 && value == (double)(int64_t)value) {
        put_integer(line, (int64_t)value);
        put_text(line, ".0");
        return;
    }
    snprintf(text, sizeof text, "%.15g", value);
    point = strchr(text, *localeconv()->decimal_point);
    if (point)
        *point = '.';
    trim_exponent(text);
    put_text(line, text);
    if (!strpbrk(text, ".e"))
        put_text(line, ".0");
}

static void put_value(struct line *line, const struct js_at *at);

static void put_array(struct line *line, const struct js_at *at)
{
    const size_t count = js_count(at);

    put_text(line, "[");
    for (size_t i = 0; i < count; i++) {
        const struct js_at element = js_element(at, i);

        if (i)
            put_text(line, ", ");
        put_value(line, &element);
    }
    put_text(line, "]");
}

static void put_object(struct line *line, const struct js_at *at)
{
    struct js_at member = {0};
    bool first = true;

    put_text(line, "{");
    while (js_next(&member, at)) {
        if (!first)
            put_text(line, ", ");
        first = false;
        put_string(line, member.key);
        put_text(line, ": ");
        put_value(line, &member);
    }
    put_text(line, "}");
}

static void put_value(struct line *line, const struct js_at *at)
{
    const char *text = "";
    int64_t integer = 0;
    double real = 0;
    bool truth = false;

    switch (js_kind(at)) {
    case JS_NULL:
        put_text(line, "null");
        break;
    case JS_BOOL:
        js_bool(&truth, at, NULL);
        put_text(line, truth ? "true" : "false");
        break;
    case JS_INTEGER:
        js_integer(&integer, at, NULL);
        put_integer(line, integer);
        break;
    case JS_REAL:
        js_real(&real, at, NULL);
        put_real(line, real);
        break;
    case JS_STRING:
        js_string(&text, at, NULL);
        put_string(line, text);
        break;
    case JS_ARRAY:
        put_array(line, at);
        break;
    case JS_OBJECT:
        put_object(line, at);
    }
}

char *json_line(const struct json *json)
{
    const struct js_at root = js_root((struct json *)json, "");
    struct line line = {.starved = !json};

    if (json)
        put_value(&line, &root);
    put_bytes(&line, "", 1);
    if (!line.starved)
        return line.text;
    free(line.text);
    return NULL;
}
