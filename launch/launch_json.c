/* A launch as JSON and back. */
#include "launch/argument_kind.h"
#include "launch/json_member.h"
#include "launch/launch.h"

#include <stdlib.h>

/* Writing. The setters return nonzero when memory ends, and so does every function here.
 * ------------------------------------------------------------------------------------------------- */

static struct json *write_argument(const struct argument *argument)
{
    const struct argument_ops *ops = argument_ops(argument);
    struct json *json = js_new_object();
    int failed = !json || js_set_string(json, "kind", ops->text) ||
                 (argument->name && js_set_string(json, "name", argument->name)) ||
                 ops->write(json, argument);

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
                 js_set_integer(json, "carveout", launch->carveout) ||
                 write_dimensions(json, "cluster", launch->cluster) ||
                 js_set_bool(json, "cooperative", launch->cooperative) ||
                 js_set_bool(json, "programmatic", launch->programmatic);
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

static int read_argument(struct argument *argument, const struct js_at *at, struct err *err)
{
    const char *kind;
    struct js_at name;

    if (member_string(&kind, at, "kind", err) ||
        (js_find(&name, at, "name") && member_copy(&argument->name, at, "name", err)))
        return ERR_USAGE;
    argument->kind = argument_kind_parse(kind);
    if (argument->kind < ARGUMENT_KIND_COUNT)
        return argument_ops(argument)->read(argument, at, err);
    argument->kind = ARGUMENT_SCALAR;
    return js_fail(at, err, "kind: unknown %s", kind);
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

static int read_flag(bool *out, const struct js_at *object, const char *key, struct err *err)
{
    struct js_at at;

    return js_member(&at, object, key, err) ? ERR_USAGE : js_bool(out, &at, err);
}

int launch_from_json(struct launch *out, const struct js_at *at, struct err *err)
{
    struct err own = {0};
    int64_t shared, carveout;

    err = err ? err : &own;
    launch_init(out);
    if (read_dimensions(out->grid, at, "grid", err) || read_dimensions(out->block, at, "block", err) ||
        member_integer(&shared, at, "shared", 0, UINT32_MAX, err) ||
        member_integer(&carveout, at, "carveout", -1, 100, err) || read_arguments(out, at, err) ||
        read_dimensions(out->cluster, at, "cluster", err) ||
        read_flag(&out->cooperative, at, "cooperative", err) ||
        read_flag(&out->programmatic, at, "programmatic", err) || launch_check(out, err)) {
        launch_release(out);
        return err->code;
    }
    out->shared_bytes = (unsigned)shared;
    out->carveout = (int)carveout;
    return 0;
}
