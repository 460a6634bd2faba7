/* A launch as JSON and back. */
#include "launch/argument_kind.h"
#include "launch/json_member.h"
#include "launch/launch.h"

#include <stdlib.h>

/* Writing ------------------------------------------------------------------ */

static void write_argument(struct js_line *line, const struct argument *argument)
{
    const struct argument_ops *ops = argument_ops(argument);

    js_line_object(line, NULL);
    js_line_string(line, "kind", ops->text);
    if (argument->name)
        js_line_string(line, "name", argument->name);
    ops->write(line, argument);
    js_line_close(line, '}');
}

static void write_dimensions(struct js_line *line, const char *key, const unsigned dimensions[3])
{
    js_line_array(line, key);
    for (int i = 0; i < 3; i++)
        js_line_integer(line, NULL, dimensions[i]);
    js_line_close(line, ']');
}

void launch_write_geometry(struct js_line *line, const struct launch *launch)
{
    write_dimensions(line, "grid", launch->grid);
    write_dimensions(line, "block", launch->block);
    js_line_integer(line, "shared", launch->shared_bytes);
    js_line_integer(line, "carveout", launch->carveout);
    write_dimensions(line, "cluster", launch->cluster);
    js_line_bool(line, "cooperative", launch->cooperative);
    js_line_bool(line, "programmatic", launch->programmatic);
}

void launch_write_arguments(struct js_line *line, const char *key, const struct launch *launch)
{
    js_line_array(line, key);
    for (size_t i = 0; i < launch->argument_count; i++)
        write_argument(line, &launch->arguments[i]);
    js_line_close(line, ']');
}

struct json *launch_to_json(const struct launch *launch)
{
    struct js_line line = {0};

    js_line_object(&line, NULL);
    launch_write_geometry(&line, launch);
    launch_write_arguments(&line, "arguments", launch);
    js_line_close(&line, '}');
    return js_line_tree(&line);
}

/* Reading ------------------------------------------------------------------ */

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

    if (js_member(&list, at, key, err) || js_expect(&list, JS_ARRAY, err))
        return ERR_USAGE;
    if (js_count(&list) != 3)
        return js_fail(&list, err, "expected three numbers");
    for (size_t i = 0; i < 3; i++) {
        element = js_element(&list, i);
        if (js_integer(&value, &element, err))
            return ERR_USAGE;
        if (value < 1 || value > UINT32_MAX)
            return js_fail(&element, err, "must lie between 1 and 2^32 - 1");
        dimensions[i] = (unsigned)value;
    }
    return 0;
}

/* `list`: null where they are a member. */
static int read_arguments(struct launch *launch, const struct js_at *at, const struct js_at *list,
                          struct err *err)
{
    struct js_at member, element;

    if (!list && js_member(&member, at, "arguments", err))
        return ERR_USAGE;
    list = list ? list : &member;
    if (js_expect(list, JS_ARRAY, err))
        return ERR_USAGE;
    launch->arguments = calloc(js_count(list) + 1, sizeof *launch->arguments);
    if (!launch->arguments)
        return err_memory(err);
    launch->argument_count = js_count(list);
    for (size_t i = 0; i < launch->argument_count; i++) {
        element = js_element(list, i);
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

int launch_from_parts(struct launch *out, const struct js_at *at, const struct js_at *arguments,
                      struct err *err)
{
    struct err own = {0};
    int64_t shared, carveout;

    err = err ? err : &own;
    launch_init(out);
    if (read_dimensions(out->grid, at, "grid", err) || read_dimensions(out->block, at, "block", err) ||
        member_integer(&shared, at, "shared", 0, UINT32_MAX, err) ||
        member_integer(&carveout, at, "carveout", -1, 100, err) || read_arguments(out, at, arguments, err) ||
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

int launch_from_json(struct launch *out, const struct js_at *at, struct err *err)
{
    return launch_from_parts(out, at, NULL, err);
}
