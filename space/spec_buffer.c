/* Buffers: global memory, passed by address. */
#include "space/spec_argument.h"

#include <string.h>

static int read_role(enum role *out, const struct js_at *at, struct err *err)
{
    static const char *const roles[] = {"in", "inout", "out", "scratch"};
    const char *text;
    int k;

    if (js_string(&text, at, err))
        return ERR_USAGE;
    for (k = 0; k < (int)(sizeof roles / sizeof *roles); k++)
        if (!strcmp(text, roles[k])) {
            *out = (enum role)k;
            return 0;
        }
    return js_fail(at, err, "unknown role \"%s\"; use in, inout, out or scratch", text);
}

static int read(struct spec_argument *argument, struct reader *reader, const struct js_at *at,
                size_t position)
{
    static const char *const fields[] = {"buffer", "name", "length", "fill", "role", "passed", NULL};
    struct js_at type, name, member;

    argument->passed = true;
    if (js_only(at, fields, reader->err) || js_member(&type, at, "buffer", reader->err) ||
        spec_read_type(&argument->type, &type, reader->err) || js_member(&name, at, "name", reader->err) ||
        js_string(&argument->name, &name, reader->err) || spec_read_length(argument, reader, at) ||
        (js_find(&member, at, "role") && read_role(&argument->role, &member, reader->err)) ||
        (js_find(&member, at, "passed") && js_bool(&argument->passed, &member, reader->err)))
        return reader->err->code;
    if (js_find(&member, at, "fill"))
        return role_is_filled(argument->role) ? read_fill(argument, reader, &member, position)
                                              : js_fail(&member, reader->err,
                                                        "an output and scratch memory are not filled; remove "
                                                        "the fill, or make the role inout");
    if (role_is_filled(argument->role))
        return js_fail(at, reader->err,
                       "the field \"fill\" is missing: what does the buffer hold before the launch?");
    return 0;
}

static int make(struct argument *out, struct maker *maker, const struct spec_argument *from,
                const char *place)
{
    out->hidden = !from->passed;
    return spec_make_memory(out, maker, from, place);
}

const struct spec_argument_ops spec_buffer = {.field = "buffer", .read = read, .make = make};
