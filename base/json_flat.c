#include "base/json_flat.h"

#include "base/locale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values that are read wait on a stack until the list or object that holds them ends; then they are laid one behind the
 * other. There are never more of them than commas and brackets say, for which memory is taken at once. */
struct parser {
    const char *at, *end; /* of the text; `end` holds a zero, which no value does */
    char *
        strings; /* the text once more: what is unescaped is written over it, and so are zeros behind strings */
    const char *begin;
    struct flat *waiting, *laid;
    const char *why;
};

enum { DEPTH_MOST = 64 };

static bool fail(struct parser *p, const char *why)
{
    p->why = p->why ? p->why : why;
    return false;
}

static void skip_space(struct parser *p)
{
    while (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r')
        p->at++;
}

/* Strings ------------------------------------------------------------------ */

static bool hex4(unsigned *out, const char *text)
{
    *out = 0;
    for (int i = 0; i < 4; i++) {
        const char c = text[i], lower = (char)(c | 32);

        if (c >= '0' && c <= '9')
            *out = *out << 4 | (unsigned)(c - '0');
        else if (lower >= 'a' && lower <= 'f')
            *out = *out << 4 | (unsigned)(lower - 'a' + 10);
        else
            return false;
    }
    return true;
}

static char *put_character(char *to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 63));
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 63));
        *to++ = (char)(0x80 | (code & 63));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 63));
        *to++ = (char)(0x80 | (code >> 6 & 63));
        *to++ = (char)(0x80 | (code & 63));
    }
    return to;
}

/* Behind "\u": a character, or the first half of one. A zero would end the string. */
static bool unescape_code(struct parser *p, char **to)
{
    unsigned code, low;

    if (!hex4(&code, p->at) || !code || (code >= 0xdc00 && code < 0xe000))
        return fail(p, "an escape that is none");
    p->at += 4;
    if (code >= 0xd800 && code < 0xdc00) {
        if (p->at[0] != '\\' || p->at[1] != 'u' || !hex4(&low, p->at + 2) || low < 0xdc00 || low >= 0xe000)
            return fail(p, "half a character");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        p->at += 6;
    }
    *to = put_character(*to, code);
    return true;
}

static bool unescape(struct parser *p, char **to)
{
    static const char letters[] = "\"\\/bfnrt", plain[] = "\"\\/\b\f\n\r\t";
    const char letter = p->at[1];
    const char *found = letter ? strchr(letters, letter) : NULL;

    p->at += 2;
    if (letter == 'u')
        return unescape_code(p, to);
    if (!found)
        return fail(p, "an escape that is none");
    *(*to)++ = plain[found - letters];
    return true;
}

/* A character of several bytes, as UTF-8 has it. */
static bool copy_wide(struct parser *p, char **to)
{
    const unsigned char *c = (const unsigned char *)p->at;
    const int more = c[0] >= 0xc2 && c[0] < 0xe0   ? 1
                     : (c[0] & 0xf0) == 0xe0       ? 2
                     : c[0] >= 0xf0 && c[0] < 0xf5 ? 3
                                                   : 0;

    if (!more || (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
        (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f))
        return fail(p, "bytes that are no UTF-8");
    for (int i = 1; i <= more; i++)
        if ((c[i] & 0xc0) != 0x80)
            return fail(p, "bytes that are no UTF-8");
    memcpy(*to, c, (size_t)more + 1);
    *to += more + 1;
    p->at += more + 1;
    return true;
}

/* The string is never longer than its text, in whose copy it is written. */
static bool read_string(struct parser *p, const char **out)
{
    char *to = p->strings + (p->at - p->begin);
    bool good = true;

    *out = to;
    p->at++;
    while (good) {
        const char *run = p->at;

        while ((unsigned char)*p->at >= ' ' && (unsigned char)*p->at < 0x80 && *p->at != '"' &&
               *p->at != '\\')
            p->at++;
        memcpy(to, run, (size_t)(p->at - run));
        to += p->at - run;
        if (*p->at == '"')
            break;
        if (*p->at == '\\')
            good = unescape(p, &to);
        else if ((unsigned char)*p->at >= 0x80)
            good = copy_wide(p, &to);
        else
            good = fail(p, "a string without its end");
    }
    if (!good)
        return false;
    *to = '\0';
    p->at++;
    return true;
}

/* Numbers ------------------------------------------------------------------ */

/* What may be an exact quotient or product is one rounding away from the number itself. */
static bool exact_real(double *out, uint64_t digits, int power)
{
    enum { POWER_MOST = 22 };
    static const double powers[POWER_MOST + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

    if (digits >> 53 || power < -POWER_MOST || power > POWER_MOST)
        return false;
    *out = power < 0 ? (double)digits / powers[-power] : (double)digits * powers[power];
    return true;
}

static bool slow_real(struct parser *p, double *out, const char *from)
{
    const struct locale_kept kept = locale_to_c();

    *out = strtod(from, NULL);
    locale_back(kept);
    return isfinite(*out) || fail(p, "a number that is too large");
}

struct digits {
    uint64_t value;
    int count, power; /* of ten; more digits than fit make the number no exact one */
};

static bool read_digits(struct parser *p, struct digits *digits, bool fraction)
{
    const char *from = p->at;

    for (; *p->at >= '0' && *p->at <= '9'; p->at++) {
        digits->count += digits->value > 0 || *p->at != '0';
        digits->value = digits->value * 10 + (uint64_t)(*p->at - '0');
        digits->power -= fraction;
    }
    return p->at > from || fail(p, "a number without digits");
}

static bool read_exponent(struct parser *p, int *power)
{
    const bool negative = p->at[1] == '-';
    struct digits digits = {0};

    p->at += 1 + (p->at[1] == '-' || p->at[1] == '+');
    if (!read_digits(p, &digits, false))
        return false;
    if (digits.count > 4) /* strtod says what that is */
        digits.value = 10000;
    *power += negative ? -(int)digits.value : (int)digits.value;
    return true;
}

static bool read_integer(struct parser *p, struct flat *out, const struct digits *digits, bool negative)
{
    const uint64_t most = (uint64_t)INT64_MAX + negative;

    out->kind = JS_INTEGER;
    if (digits->count > 19 || digits->value > most)
        return fail(p, "an integer that is too large");
    out->integer = negative ? (int64_t)-digits->value : (int64_t)digits->value;
    return true;
}

static bool read_number(struct parser *p, struct flat *out)
{
    enum { COUNTED = 19 }; /* digits that a word holds */
    const char *from = p->at;
    const bool negative = *p->at == '-';
    struct digits digits = {0};
    bool real = false;

    p->at += negative;
    if (p->at[0] == '0' && p->at[1] >= '0' && p->at[1] <= '9')
        return fail(p, "a number that begins with 0");
    if (!read_digits(p, &digits, false))
        return false;
    if (*p->at == '.') {
        p->at++;
        real = true;
        if (!read_digits(p, &digits, true))
            return false;
    }
    if (*p->at == 'e' || *p->at == 'E') {
        real = true;
        if (!read_exponent(p, &digits.power))
            return false;
    }
    if (!real)
        return read_integer(p, out, &digits, negative);
    out->kind = JS_REAL;
    if (digits.count > COUNTED || !exact_real(&out->real, digits.value, digits.power))
        return slow_real(p, &out->real, from);
    out->real = negative ? -out->real : out->real;
    return true;
}

/* Values ------------------------------------------------------------------- */

static bool read_value(struct parser *p, struct flat *out, int depth);

static bool read_word(struct parser *p, const char *word)
{
    const size_t length = strlen(word);

    if (strncmp(p->at, word, length))
        return fail(p, "what is no value");
    p->at += length;
    return true;
}

static bool read_key(struct parser *p, struct flat *member)
{
    skip_space(p);
    if (*p->at != '"' || !read_string(p, &member->key))
        return fail(p, "a member without a name");
    skip_space(p);
    if (*p->at != ':')
        return fail(p, "a name without a value");
    p->at++;
    return true;
}

/* Behind the opening bracket. */
static bool read_items(struct parser *p, struct flat *out, char close, int depth)
{
    struct flat *first = p->waiting;
    bool more;

    skip_space(p);
    more = *p->at != close;
    while (more) {
        struct flat item = {.key = NULL};

        if ((close == '}' && !read_key(p, &item)) || !read_value(p, &item, depth))
            return false;
        *p->waiting++ = item;
        skip_space(p);
        more = *p->at == ',';
        if (!more && *p->at != close)
            return fail(p, "a list or an object without its end");
        p->at += more;
    }
    p->at++;
    out->items = p->laid;
    out->count = (uint32_t)(p->waiting - first);
    memcpy(p->laid, first, out->count * sizeof *first);
    p->laid += out->count;
    p->waiting = first;
    return true;
}

static bool read_value(struct parser *p, struct flat *out, int depth)
{
    skip_space(p);
    switch (*p->at) {
    case '{':
    case '[':
        out->kind = *p->at == '{' ? JS_OBJECT : JS_ARRAY;
        p->at++;
        return depth < DEPTH_MOST ? read_items(p, out, out->kind == JS_OBJECT ? '}' : ']', depth + 1)
                                  : fail(p, "too many brackets inside one another");
    case '"':
        out->kind = JS_STRING;
        return read_string(p, &out->text);
    case 't':
    case 'f':
        out->kind = JS_BOOL;
        out->truth = *p->at == 't';
        return read_word(p, out->truth ? "true" : "false");
    case 'n':
        out->kind = JS_NULL;
        return read_word(p, "null");
    default:
        return read_number(p, out);
    }
}

static size_t values_most(const char *text, size_t length)
{
    size_t count = 2;

    for (size_t i = 0; i < length; i++)
        count += text[i] == ',' || text[i] == '[' || text[i] == '{';
    return count;
}

/* The document, as trees have it: an object or a list, and nothing behind it. */
static bool read_document(struct parser *p, struct flat *root)
{
    skip_space(p);
    if (*p->at != '{' && *p->at != '[')
        return fail(p, "neither an object nor a list");
    if (!read_value(p, root, 0))
        return false;
    skip_space(p);
    return p->at == p->end || fail(p, "text behind the end");
}

int flat_read(struct flat **out, const char *text, size_t length, const char *name, struct err *err)
{
    const size_t most = values_most(text, length);
    struct flat *values = malloc((1 + 2 * most) * sizeof *values + 2 * (length + 1));
    char *copy = (char *)(values + 1 + 2 * most);
    struct parser parser = {.at = copy,
                            .begin = copy,
                            .end = copy + length,
                            .strings = copy + length + 1,
                            .waiting = values + 1,
                            .laid = values + 1 + most};

    *out = NULL;
    if (!values)
        return err_memory(err);
    memcpy(copy, text, length);
    copy[length] = '\0';
    values[0] = (struct flat){.key = NULL};
    if (read_document(&parser, values)) {
        *out = values;
        return 0;
    }
    err_set(err, ERR_USAGE, "%s: %s stands at byte %zu", name, parser.why, (size_t)(parser.at - copy));
    free(values);
    return ERR_USAGE;
}

void flat_free(struct flat *root)
{
    free(root);
}

const struct flat *flat_member(const struct flat *object, const char *key)
{
    for (uint32_t i = 0; object->kind == JS_OBJECT && i < object->count; i++)
        if (*object->items[i].key == *key && !strcmp(object->items[i].key, key)) /* most differ at once */
            return &object->items[i];
    return NULL;
}
