/* Buffers: global memory, passed by address. */
#include "space/spec_argument.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int read_role(enum role *out, const struct js_at *at, struct err *err)
{
    static const char *const roles[] = {"in", "inout", "out", "scratch"};
    const char *text;

    if (js_string(&text, at, err))
        return ERR_USAGE;
    for (int k = 0; k < (int)(sizeof roles / sizeof *roles); k++)
        if (!strcmp(text, roles[k])) {
            *out = (enum role)k;
            return 0;
        }
    return js_fail(at, err, "unknown role \"%s\"; use in, inout, out or scratch", text);
}

static int read_compare(struct spec_argument *argument, struct reader *reader, const struct js_at *at)
{
    static const char *const fields[] = {"sum", "min", "max", NULL};
    struct js_at member;

    if (js_expect(at, JS_OBJECT, reader->err) || js_only(at, fields, reader->err))
        return ERR_USAGE;
    if (!role_is_result(argument->role))
        return js_fail(at, reader->err, "only a result is compared; make the role out or inout");
    if (js_count(at) != 1)
        return js_fail(at, reader->err, "expected one of sum, min and max, as in {\"sum\": 1}");
    for (int k = REDUCTION_SUM; k < REDUCTION_COUNT; k++)
        if (js_find(&member, at, reduction_texts[k]))
            argument->reduction = (enum reduction)k;
    js_find(&member, at, reduction_texts[argument->reduction]);
    return read_expression(&argument->kept, reader, &member, WANTED_NUMBER, (struct scope){0});
}

static int read(struct spec_argument *argument, struct reader *reader, const struct js_at *at,
                size_t position)
{
    static const char *const fields[] = {"buffer", "name",   "length",  "fill",
                                         "role",   "passed", "compare", NULL};
    struct js_at type, name, member;

    argument->passed = true;
    if (js_only(at, fields, reader->err) || js_member(&type, at, "buffer", reader->err) ||
        spec_read_type(&argument->type, &type, reader->err) || js_member(&name, at, "name", reader->err) ||
        js_string(&argument->name, &name, reader->err) || spec_read_length(argument, reader, at) ||
        (js_find(&member, at, "role") && read_role(&argument->role, &member, reader->err)) ||
        (js_find(&member, at, "compare") && read_compare(argument, reader, &member)) ||
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

static int make_reduction(struct argument *out, struct maker *maker, const struct spec_argument *from,
                          const char *place)
{
    char text[80];
    int64_t kept;

    if (!from->kept)
        return 0;
    snprintf(text, sizeof text, "%s.compare.%s", place, reduction_texts[from->reduction]);
    if (make_integer(&kept, maker, from->kept, 1, INT64_MAX, text))
        return ERR_USAGE;
    if (out->count % (uint64_t)kept)
        return make_unfit(maker, "%s: \"%s\" is %" PRId64 ", the length %" PRIu64 " no multiple of it", text,
                          expr_text(from->kept), kept, out->count);
    out->reduction = from->reduction;
    out->kept = (uint64_t)kept;
    return 0;
}

static int make(struct argument *out, struct maker *maker, const struct spec_argument *from,
                const char *place)
{
    int rc = spec_make_memory(out, maker, from, place);

    out->hidden = !from->passed;
    return rc ? rc : make_reduction(out, maker, from, place);
}

const struct spec_argument_ops spec_buffer = {.field = "buffer", .read = read, .make = make};
