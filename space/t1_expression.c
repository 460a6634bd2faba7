#include "space/t1_reader.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const t1_sizes[3] = {"problem_size_x", "problem_size_y", "problem_size_z"};

int t1_memory(struct t1_reader *reader)
{
    return err_memory(reader->err);
}

int t1_translate_list(struct t1_reader *reader, const struct js_at *object, const char *from, const char *to,
                      int (*translate)(struct json **out, struct t1_reader *reader,
                                       const struct js_at *element, size_t position))
{
    struct json *list = js_new_array(), *translated;
    struct js_at at;
    size_t count = 0, i;
    int failed = list ? 0 : t1_memory(reader);

    if (!failed && js_find(&at, object, from)) {
        failed = js_expect(&at, JS_ARRAY, reader->err);
        count = failed ? 0 : js_count(&at);
    }
    for (i = 0; !failed && i < count; i++) {
        const struct js_at element = js_element(&at, i);

        failed = translate(&translated, reader, &element, i);
        if (!failed && js_append(list, translated))
            failed = t1_memory(reader);
    }
    if (failed)
        js_free(list);
    else if (js_set(reader->spec, to, list))
        failed = t1_memory(reader);
    return failed;
}

int t1_text(const char **out, struct t1_reader *reader, const struct js_at *object, const char *key,
            const char *standard)
{
    struct js_at at;

    *out = standard;
    if (standard && !js_find(&at, object, key))
        return 0;
    return js_member(&at, object, key, reader->err) || js_string(out, &at, reader->err) ? reader->err->code
                                                                                        : 0;
}

/* max(NAME) and min(NAME) of a parameter are of all its values. */
static int put_extreme(FILE *out, const struct t1_reader *reader, const char *name, size_t length, bool most)
{
    struct js_at root = js_root(reader->parameters, ""), list;
    double best = 0, value;
    char key[256];

    if (length >= sizeof key)
        return 0;
    memcpy(key, name, length);
    key[length] = '\0';
    if (!js_find(&list, &root, key))
        return 0;
    for (size_t i = 0; i < js_count(&list); i++) {
        const struct js_at at = js_element(&list, i);

        if (js_real(&value, &at, NULL))
            return 0;
        if (!i || (most ? value > best : value < best))
            best = value;
    }
    return fprintf(out, "%.15g", best);
}

/* One of Kernel Tuner's words at `text`, put in a spec's; its length, or 0. */
static size_t put_word(FILE *out, const struct t1_reader *reader, const char *text)
{
    const bool most = !strncmp(text, "max(", 4);
    size_t length;

    if (!strncmp(text, "ProblemSize[", 12) && text[12] >= '0' && text[12] <= '2' && text[13] == ']') {
        fputs(t1_sizes[text[12] - '0'], out);
        return 14;
    }
    if (!most && strncmp(text, "min(", 4))
        return 0;
    for (length = 0; isalnum((unsigned char)text[4 + length]) || text[4 + length] == '_'; length++)
        ;
    return length && text[4 + length] == ')' && put_extreme(out, reader, text + 4, length, most) > 0
               ? length + 5
               : 0;
}

/* A spec's expression, malloc'ed; null when memory ends. */
char *t1_translated(const struct t1_reader *reader, const char *text)
{
    char *out = NULL;
    size_t size, length;
    FILE *stream = open_memstream(&out, &size);
    bool inside = false; /* of a name or number */

    if (!stream)
        return NULL;
    while (*text) {
        length = inside ? 0 : put_word(stream, reader, text);
        if (!length)
            fputc(*text, stream);
        inside = !length && (isalnum((unsigned char)*text) || *text == '_');
        text += length ? length : 1;
    }
    if (!fclose(stream))
        return out;
    free(out);
    return NULL;
}

struct json *t1_expression(const struct t1_reader *reader, const char *before, const char *text,
                           const char *after)
{
    char *inner = t1_translated(reader, text), *whole = NULL;
    struct json *json = NULL;

    if (inner && asprintf(&whole, "%s%s%s", before, inner, after) >= 0)
        json = js_new_string(whole);
    else
        whole = NULL;
    free(inner);
    free(whole);
    return json;
}

/* A member that is text or a number, as an expression. */
int t1_expression_of(struct json **out, struct t1_reader *reader, const struct js_at *at)
{
    const char *text;

    *out = NULL;
    if (js_kind(at) == JS_INTEGER)
        *out = js_copy(at->value);
    else if (js_string(&text, at, reader->err))
        return reader->err->code;
    else
        *out = t1_expression(reader, "", text, "");
    return *out ? 0 : t1_memory(reader);
}
