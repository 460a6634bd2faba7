/* What a document must be, and where it is not: the part of base/json that any parser would need. */
#include "base/json.h"

#include "base/nearest.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *kind_text(enum js_kind kind)
{
    static const char *const texts[] = {
        [JS_NULL] = "null",          [JS_BOOL] = "true or false", [JS_INTEGER] = "an integer",
        [JS_REAL] = "a real number", [JS_STRING] = "a string",    [JS_ARRAY] = "a list",
        [JS_OBJECT] = "an object",
    };

    return texts[kind];
}

static void place_append(char *out, size_t size, const char *format, ...)
{
    size_t used = strlen(out);
    va_list args;

    va_start(args, format);
    vsnprintf(out + used, size - used, format, args);
    va_end(args);
}

static void place_walk(char *out, size_t size, const struct js_at *at)
{
    if (!at->parent) {
        place_append(out, size, "%s", at->key ? at->key : "");
        return;
    }
    place_walk(out, size, at->parent);
    if (!at->key)
        place_append(out, size, "[%zu]", at->index);
    else
        place_append(out, size, "%s%s", at->parent->parent ? "." : ": ", at->key);
}

void js_place(char *out, size_t size, const struct js_at *at)
{
    out[0] = '\0';
    place_walk(out, size, at);
}

int js_fail(const struct js_at *at, struct err *err, const char *format, ...)
{
    char place[512], text[768];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    js_place(place, sizeof place, at);
    return err_set(err, ERR_USAGE, "%s: %s", place, text);
}

int js_expect(const struct js_at *at, enum js_kind kind, struct err *err)
{
    enum js_kind found = js_kind(at);

    if (found == kind || (kind == JS_REAL && found == JS_INTEGER))
        return 0;
    return js_fail(at, err, "expected %s, found %s", kind == JS_REAL ? "a number" : kind_text(kind),
                   kind_text(found));
}

int js_member(struct js_at *out, const struct js_at *object, const char *key, struct err *err)
{
    if (js_expect(object, JS_OBJECT, err))
        return ERR_USAGE;
    if (!js_find(out, object, key))
        return js_fail(object, err, "the field \"%s\" is missing", key);
    return 0;
}

int js_unsigned(uint64_t *out, const struct js_at *at, struct err *err)
{
    int64_t value;

    *out = 0;
    if (js_integer(&value, at, err))
        return ERR_USAGE;
    if (value < 0)
        return js_fail(at, err, "must not be negative, found %lld", (long long)value);
    *out = (uint64_t)value;
    return 0;
}

static int unknown_member(const struct js_at *at, const char *const *allowed, size_t count, struct err *err)
{
    const char *near = nearest_word(at->key, allowed, count);

    if (near)
        return js_fail(at, err, "unknown field; did you mean \"%s\"?", near);
    return js_fail(at, err, "unknown field");
}

int js_only(const struct js_at *object, const char *const *allowed, struct err *err)
{
    struct js_at at = {0};
    size_t count = 0, i;

    if (js_expect(object, JS_OBJECT, err))
        return ERR_USAGE;
    while (allowed[count])
        count++;
    while (js_next(&at, object)) {
        for (i = 0; i < count && strcmp(at.key, allowed[i]); i++)
            continue;
        if (i == count)
            return unknown_member(&at, allowed, count, err);
    }
    return 0;
}
