/* A fill as JSON and back. A file fill travels as its path; what fill_prepare made stays behind. */
#include "launch/json_member.h"

#include <stdlib.h>
#include <string.h>

static const char *const fill_kinds[] = {"constant", "uniform", "normal", "expression", "file"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int write_names(struct json *json, const struct fill *fill)
{
    const struct value *value;
    struct json *values = js_new_object();
    size_t k;
    int failed = !values;

    for (k = 0; k < fill->name_count && !failed; k++) {
        value = &fill->values[k];
        failed = value->kind == VALUE_REAL   ? set_exact(values, fill->names[k], value->real)
                 : value->kind == VALUE_BOOL ? js_set_bool(values, fill->names[k], value->integer)
                                             : js_set_integer(values, fill->names[k], value->integer);
    }
    if (failed) {
        js_free(values);
        return failed;
    }
    return js_set(json, "names", values);
}

int fill_to_member(struct json *argument, const struct fill *fill)
{
    struct json *json = js_new_object();
    int failed = !json || js_set_string(json, "kind", fill_kinds[fill->kind]) ||
                 js_set_integer(json, "seed", (int64_t)fill->seed) || set_exact(json, "a", fill->a) ||
                 set_exact(json, "b", fill->b);

    if (!failed && fill->kind == FILL_EXPRESSION)
        failed = js_set_string(json, "expression", fill->expression) || write_names(json, fill);
    if (!failed && fill->kind == FILL_FILE)
        failed = js_set_string(json, "path", fill->path) ||
                 js_set_integer(json, "content", (int64_t)fill->content);
    if (failed) {
        js_free(json);
        return failed;
    }
    return js_set(argument, "fill", json);
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
