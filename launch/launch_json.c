/* A launch as JSON and back. Reals travel as hexadecimal text ("0x1.8p+1"), so that both sides have the same
 * bits; 64-bit words as signed integers. */
#include "base/hash.h"
#include "launch/launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const argument_kinds[] = {"scalar", "buffer", "symbol"};
static const char *const roles[] = {"in", "inout", "out", "scratch"};
static const char *const fill_kinds[] = {"constant", "uniform", "normal", "expression", "file"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Writing. The setters return nonzero when memory ends, and so does every function here.
 * ------------------------------------------------------------------------------------------------- */

static int set_exact(struct json *object, const char *key, double value)
{
    char text[40];

    snprintf(text, sizeof text, "%a", value);
    return js_set_string(object, key, text);
}

static int set_bytes(struct json *object, const char *key, const unsigned char *bytes, size_t size)
{
    char *text = malloc(2 * size + 1);
    size_t i;
    int failed = !text;

    if (text) {
        text[0] = '\0';
        for (i = 0; i < size; i++)
            snprintf(text + 2 * i, 3, "%02x", bytes[i]);
        failed = js_set_string(object, key, text);
    }
    free(text);
    return failed;
}

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

static int write_fill(struct json *argument, const struct fill *fill)
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

static struct json *write_argument(const struct argument *argument)
{
    struct json *json = js_new_object();
    int failed = !json || js_set_string(json, "kind", argument_kinds[argument->kind]) ||
                 (argument->name && js_set_string(json, "name", argument->name));

    if (!failed && argument->kind == ARGUMENT_SCALAR)
        failed = set_bytes(json, "bytes", argument->bytes, argument->size);
    else if (!failed)
        failed = js_set_string(json, "type", element_text(argument->type)) ||
                 js_set_integer(json, "count", (int64_t)argument->count) ||
                 js_set_string(json, "role", roles[argument->role]) || write_fill(json, &argument->fill);
    return js_unless(failed, json);
}

static int write_dimensions(struct json *json, const char *key, const unsigned dimensions[3])
{
    struct json *list = js_new_array();
    int i;

    for (i = 0; i < 3 && list; i++)
        if (js_append(list, js_new_integer(dimensions[i]))) {
            js_free(list);
            return ERR_MEMORY;
        }
    return js_set(json, key, list);
}

struct json *launch_to_json(const struct launch *launch)
{
    struct json *json = js_new_object(), *arguments = js_new_array();
    int failed = !json || !arguments || write_dimensions(json, "grid", launch->grid) ||
                 write_dimensions(json, "block", launch->block) ||
                 js_set_integer(json, "shared", launch->shared_bytes) ||
                 js_set_integer(json, "carveout", launch->carveout);
    size_t i;

    for (i = 0; i < launch->argument_count && !failed; i++)
        failed = js_append(arguments, write_argument(&launch->arguments[i]));
    if (failed)
        js_free(arguments);
    if (failed || js_set(json, "arguments", arguments)) {
        js_free(json);
        return NULL;
    }
    return json;
}

/* Reading
 * ---------------------------------------------------------------------------------------------------- */

static int member_string(const char **out, const struct js_at *object, const char *key, struct err *err)
{
    struct js_at at;

    *out = NULL;
    return js_member(&at, object, key, err) ? ERR_USAGE : js_string(out, &at, err);
}

static int member_copy(char **out, const struct js_at *object, const char *key, struct err *err)
{
    const char *text;

    if (member_string(&text, object, key, err))
        return ERR_USAGE;
    *out = strdup(text);
    return *out ? 0 : err_memory(err);
}

static int member_integer(int64_t *out, const struct js_at *object, const char *key, int64_t low,
                          int64_t high, struct err *err)
{
    struct js_at at;

    if (js_member(&at, object, key, err) || js_integer(out, &at, err))
        return ERR_USAGE;
    if (*out < low || *out > high)
        return js_fail(&at, err, "must lie between %" PRId64 " and %" PRId64, low, high);
    return 0;
}

static int member_word(int *out, const struct js_at *object, const char *key, const char *const *words,
                       size_t count, struct err *err)
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

static int member_exact(double *out, const struct js_at *object, const char *key, struct err *err)
{
    const char *text;
    char *end;

    if (member_string(&text, object, key, err))
        return ERR_USAGE;
    *out = strtod(text, &end);
    return *text && !*end ? 0 : js_fail(object, err, "%s: expected a number, found %s", key, text);
}

static int read_bytes(struct argument *argument, const struct js_at *at, struct err *err)
{
    const char *text;
    if (member_string(&text, at, "bytes", err))
        return ERR_USAGE;
    argument->size = strlen(text) / 2;
    argument->bytes = malloc(argument->size ? argument->size : 1);
    if (!argument->bytes)
        return err_memory(err);
    return hex_bytes(argument->bytes, text, argument->size)
               ? 0
               : js_fail(at, err, "bytes: expected hexadecimal digits");
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

static int read_fill(struct fill *fill, const struct js_at *argument, struct err *err)
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

static int read_argument(struct argument *argument, const struct js_at *at, struct err *err)
{
    struct js_at name;
    const char *type;
    int64_t count;
    int kind, role, element;

    if (member_word(&kind, at, "kind", argument_kinds, COUNT(argument_kinds), err) ||
        (js_find(&name, at, "name") && member_copy(&argument->name, at, "name", err)))
        return ERR_USAGE;
    argument->kind = (enum argument_kind)kind;
    if (argument->kind == ARGUMENT_SCALAR)
        return read_bytes(argument, at, err);
    if (!argument->name)
        return js_fail(at, err, "the field \"name\" is missing");
    if (member_string(&type, at, "type", err) || member_integer(&count, at, "count", 0, INT64_MAX, err) ||
        member_word(&role, at, "role", roles, COUNT(roles), err))
        return ERR_USAGE;
    element = element_parse(type);
    if (element < 0)
        return js_fail(at, err, "type: unknown %s", type);
    argument->type = (enum element_type)element;
    argument->count = (uint64_t)count;
    argument->role = (enum role)role;
    return read_fill(&argument->fill, at, err);
}

static int read_dimensions(unsigned dimensions[3], const struct js_at *at, const char *key, struct err *err)
{
    struct js_at list, element;
    int64_t value;
    size_t i;

    if (js_member(&list, at, key, err) || js_expect(&list, JS_ARRAY, err))
        return ERR_USAGE;
    if (js_count(&list) != 3)
        return js_fail(&list, err, "expected three numbers");
    for (i = 0; i < 3; i++) {
        element = js_element(&list, i);
        if (js_integer(&value, &element, err))
            return ERR_USAGE;
        if (value < 1 || value > UINT32_MAX)
            return js_fail(&element, err, "must lie between 1 and 2^32 - 1");
        dimensions[i] = (unsigned)value;
    }
    return 0;
}

static int read_arguments(struct launch *launch, const struct js_at *at, struct err *err)
{
    struct js_at list, element;
    size_t i;

    if (js_member(&list, at, "arguments", err) || js_expect(&list, JS_ARRAY, err))
        return ERR_USAGE;
    launch->arguments = calloc(js_count(&list) + 1, sizeof *launch->arguments);
    if (!launch->arguments)
        return err_memory(err);
    launch->argument_count = js_count(&list);
    for (i = 0; i < launch->argument_count; i++) {
        element = js_element(&list, i);
        if (read_argument(&launch->arguments[i], &element, err))
            return ERR_USAGE;
    }
    return 0;
}

int launch_from_json(struct launch *out, const struct js_at *at, struct err *err)
{
    struct err own = {0};
    int64_t shared, carveout;

    err = err ? err : &own;
    launch_init(out);
    if (read_dimensions(out->grid, at, "grid", err) || read_dimensions(out->block, at, "block", err) ||
        member_integer(&shared, at, "shared", 0, UINT32_MAX, err) ||
        member_integer(&carveout, at, "carveout", -1, 100, err) || read_arguments(out, at, err)) {
        launch_release(out);
        return err->code;
    }
    out->shared_bytes = (unsigned)shared;
    out->carveout = (int)carveout;
    return 0;
}
