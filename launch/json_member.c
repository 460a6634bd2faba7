#include "launch/json_member.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bytes_write(struct js_line *line, const char *key, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    char text[64];

    js_line_text(line, key, "\"", 1);
    for (size_t at = 0; at < size;) {
        size_t used = 0;

        for (; at < size && used < sizeof text; at++) {
            text[used++] = digits[bytes[at] >> 4];
            text[used++] = digits[bytes[at] & 15];
        }
        js_line_more(line, text, used);
    }
    js_line_more(line, "\"", 1);
}

int member_string(const char **out, const struct js_at *object, const char *key, struct err *err)
{
    struct js_at at;

    *out = NULL;
    return js_member(&at, object, key, err) ? ERR_USAGE : js_string(out, &at, err);
}

int member_copy(char **out, const struct js_at *object, const char *key, struct err *err)
{
    const char *text;

    if (member_string(&text, object, key, err))
        return ERR_USAGE;
    *out = strdup(text);
    return *out ? 0 : err_memory(err);
}

int member_integer(int64_t *out, const struct js_at *object, const char *key, int64_t low, int64_t high,
                   struct err *err)
{
    struct js_at at;

    if (js_member(&at, object, key, err) || js_integer(out, &at, err))
        return ERR_USAGE;
    if (*out < low || *out > high)
        return js_fail(&at, err, "must lie between %" PRId64 " and %" PRId64, low, high);
    return 0;
}

int member_word(int *out, const struct js_at *object, const char *key, const char *const *words, size_t count,
                struct err *err)
{
    const char *text;
    size_t k;

    if (member_string(&text, object, key, err))
        return ERR_USAGE;
    for (k = 0; k < count && strcmp(text, words[k]); k++)
        continue;
    *out = (int)k;
    return k < count ? 0 : js_fail(object, err, "%s: unknown %s", key, text);
}

int member_exact(double *out, const struct js_at *object, const char *key, struct err *err)
{
    const char *text;
    char *end;

    if (member_string(&text, object, key, err))
        return ERR_USAGE;
    *out = strtod(text, &end);
    return *text && !*end ? 0 : js_fail(object, err, "%s: expected a number, found %s", key, text);
}

int member_bytes(unsigned char **out, size_t *size, const struct js_at *object, const char *key,
                 struct err *err)
{
    const char *text;

    if (member_string(&text, object, key, err))
        return ERR_USAGE;
    *size = strlen(text) / 2;
    *out = malloc(*size ? *size : 1);
    if (!*out)
        return err_memory(err);
    return hex_bytes(*out, text, *size) ? 0 : js_fail(object, err, "%s: expected hexadecimal digits", key);
}
