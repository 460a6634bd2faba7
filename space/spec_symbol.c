/* Symbols: variables of the code, set before the launch. */
#include "space/spec_argument.h"

static int read(struct spec_argument *argument, struct reader *reader, const struct js_at *at,
                size_t position)
{
    static const char *const fields[] = {"symbol", "type", "length", "fill", NULL};
    struct js_at name, type, fill;

    if (js_only(at, fields, reader->err) || js_member(&name, at, "symbol", reader->err) ||
        js_string(&argument->name, &name, reader->err) || js_member(&type, at, "type", reader->err) ||
        spec_read_type(&argument->type, &type, reader->err) || spec_read_length(argument, reader, at) ||
        js_member(&fill, at, "fill", reader->err))
        return reader->err->code;
    return read_fill(argument, reader, &fill, position);
}

const struct spec_argument_ops spec_symbol = {.field = "symbol", .read = read, .make = spec_make_memory};
