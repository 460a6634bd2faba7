/* A fill as JSON and back. A file fill travels as its path; what fill_prepare made stays behind. */
#include "launch/json_member.h"

#include <stdlib.h>
#include <string.h>

static const char *const fill_kinds[] = {"constant", "uniform", "normal", "expression", "file"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void write_names(struct js_line *line, const struct fill *fill)
{
    js_line_object(line, "names");
    for (size_t k = 0; k < fill->name_count; k++) {
        const struct value *value = &fill->values[k];

        if (value->kind == VALUE_REAL)
            js_line_exact(line, fill->names[k], value->real);
        else if (value->kind == VALUE_BOOL)
            js_line_bool(line, fill->names[k], value->integer);
        else
            js_line_integer(line, fill->names[k], value->integer);
    }
    js_line_close(line, '}');
}

void fill_write(struct js_line *line, const struct fill *fill)
{
    js_line_object(line, "fill");
    js_line_string(line, "kind", fill_kinds[fill->kind]);
    js_line_integer(line, "seed", (int64_t)fill->seed);
    js_line_exact(line, "a", fill->a);
    js_line_exact(line, "b", fill->b);
    if (fill->kind == FILL_EXPRESSION) {
        js_line_string(line, "expression", fill->expression);
        write_names(line, fill);
    }
    if (fill->kind == FILL_FILE) {
        js_line_string(line, "path", fill->path);
        js_line_integer(line, "content", (int64_t)fill->content);
    }
    js_line_close(line, '}');
}

static int read_name(struct fill *fill, const struct js_at *names, const struct js_at *member,
                     struct err *err)
{
    struct value *value = &fill->values[fill->name_count];
    bool truth;

    fill->names[fill->name_count] = strdup(member->key);
    if (!fill->names[fill->name_count++])
        return err_memory(err);
    switch (js_kind(member)) {
    case JS_STRING:
        value->kind = VALUE_REAL;
        return member_exact(&value->real, names, member->key, err);
    case JS_BOOL:
        *value = (struct value){.kind = VALUE_BOOL};
        if (js_bool(&truth, member, err))
            return ERR_USAGE;
        value->integer = truth;
        return 0;
    default:
        value->kind = VALUE_INTEGER;
        return js_integer(&value->integer, member, err);
    }
}

static int read_names(struct fill *fill, const struct js_at *at, struct err *err)
{
    struct js_at names, member = {0};

    if (js_member(&names, at, "names", err) || js_expect(&names, JS_OBJECT, err))
        return ERR_USAGE;
    fill->names = calloc(js_count(&names) + 1, sizeof *fill->names);
    fill->values = calloc(js_count(&names) + 1, sizeof *fill->values);
    if (!fill->names || !fill->values)
        return err_memory(err);
    while (js_next(&member, &names))
        if (read_name(fill, &names, &member, err))
            return ERR_USAGE;
    return 0;
}

int fill_from_member(struct fill *fill, const struct js_at *argument, struct err *err)
{
    struct js_at at;
    int64_t seed, content;
    int kind;

    if (js_member(&at, argument, "fill", err) ||
        member_word(&kind, &at, "kind", fill_kinds, COUNT(fill_kinds), err) ||
        member_integer(&seed, &at, "seed", INT64_MIN, INT64_MAX, err) ||
        member_exact(&fill->a, &at, "a", err) || member_exact(&fill->b, &at, "b", err))
        return ERR_USAGE;
    fill->kind = (enum fill_kind)kind;
    fill->seed = (uint64_t)seed;
    if (fill->kind == FILL_EXPRESSION)
        return member_copy(&fill->expression, &at, "expression", err) ? ERR_USAGE
                                                                      : read_names(fill, &at, err);
    if (fill->kind != FILL_FILE)
        return 0;
    if (member_copy(&fill->path, &at, "path", err) ||
        member_integer(&content, &at, "content", INT64_MIN, INT64_MAX, err))
        return ERR_USAGE;
    fill->content = (uint64_t)content;
    return 0;
}
