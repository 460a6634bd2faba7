#include "space/t1_reader.h"

#include <stdio.h>
#include <string.h>

static const char *type_of(const char *name)
{
    static const char *const types[][2] = {{"int8", "int8"},     {"uint8", "uint8"},   {"int16", "int16"},
                                           {"uint16", "uint16"}, {"int32", "int32"},   {"uint32", "uint32"},
                                           {"int64", "int64"},   {"uint64", "uint64"}, {"half", "float16"},
                                           {"float", "float32"}, {"double", "float64"}};

    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (!strcmp(types[k][0], name))
            return types[k][1];
    return NULL;
}

/* A number of the argument, or 0. */
static struct json *number_of(const struct js_at *argument, const char *key)
{
    struct js_at at;

    return js_find(&at, argument, key) && (js_kind(&at) == JS_INTEGER || js_kind(&at) == JS_REAL)
               ? js_copy(at.value)
               : js_new_integer(0);
}

static struct json *random_range(const struct js_at *argument)
{
    struct json *list = js_new_array();
    struct js_at at;
    double most = 1;

    if (!js_find(&at, argument, "FillValue") || js_real(&most, &at, NULL) || !(most > 0))
        most = 1;
    return js_unless(!list || js_append(list, js_new_integer(0)) || js_append(list, js_new_real(most)), list);
}

static int set_fill(struct t1_reader *reader, struct json *out, const struct js_at *argument)
{
    struct json *fill = js_new_object();
    struct js_at seed, at;
    const char *kind;
    int failed = fill ? t1_text(&kind, reader, argument, "FillType", "Constant") : t1_memory(reader);

    if (!failed && !strcmp(kind, "Constant"))
        failed = js_set(fill, "constant", number_of(argument, "FillValue")) ? t1_memory(reader) : 0;
    else if (!failed && !strcmp(kind, "Random"))
        failed = js_set(fill, "uniform", random_range(argument)) ||
                         (js_find(&seed, argument, "RandomSeed") && js_set(fill, "seed", js_copy(seed.value)))
                     ? t1_memory(reader)
                     : 0;
    else if (!failed)
        failed = js_find(&at, argument, "FillType")
                     ? js_fail(&at, reader->err, "%s is not supported: Constant and Random are", kind)
                     : ERR_USAGE;
    if (failed) {
        js_free(fill);
        return failed;
    }
    return js_set(out, "fill", fill) ? t1_memory(reader) : 0;
}

static int set_length(struct t1_reader *reader, struct json *out, const struct js_at *argument)
{
    struct json *length = NULL;
    struct js_at at;
    int failed = js_member(&at, argument, "Size", reader->err) ? reader->err->code
                                                               : t1_expression_of(&length, reader, &at);

    return failed ? failed : js_set(out, "length", length) ? t1_memory(reader) : 0;
}

static const char *role_of(const char *access)
{
    return !strcmp(access, "ReadOnly") ? "in" : !strcmp(access, "WriteOnly") ? "out" : "inout";
}

static int fill_vector(struct t1_reader *reader, struct json *out, const struct js_at *argument,
                       const char *type, const char *name, bool symbol)
{
    const char *access;
    int failed = t1_text(&access, reader, argument, "AccessType", "ReadWrite");

    if (!failed && symbol)
        failed =
            js_set_string(out, "symbol", name) | js_set_string(out, "type", type) ? t1_memory(reader) : 0;
    else if (!failed)
        failed = js_set_string(out, "buffer", type) | js_set_string(out, "name", name) |
                         js_set_string(out, "role", role_of(access))
                     ? t1_memory(reader)
                     : 0;
    if (!failed)
        failed = set_length(reader, out, argument);
    if (!failed && (symbol || strcmp(role_of(access), "out")))
        failed = set_fill(reader, out, argument);
    return failed;
}

static int fill_argument(struct t1_reader *reader, struct json *out, const struct js_at *argument,
                         size_t position)
{
    const char *memory_type, *type, *name, *place;
    char standard[32];
    struct js_at at;

    snprintf(standard, sizeof standard, "argument_%zu", position);
    if (t1_text(&memory_type, reader, argument, "MemoryType", NULL) ||
        t1_text(&type, reader, argument, "Type", NULL) ||
        t1_text(&name, reader, argument, "Name", standard) ||
        t1_text(&place, reader, argument, "MemType", ""))
        return reader->err->code;
    if (!type_of(type)) {
        js_find(&at, argument, "Type");
        return js_fail(&at, reader->err, "%s is not supported", type);
    }
    if (!strcmp(memory_type, "Scalar"))
        return js_set_string(out, "scalar", type_of(type)) |
                       js_set(out, "value", number_of(argument, "FillValue"))
                   ? t1_memory(reader)
                   : 0;
    if (strcmp(memory_type, "Vector") && strcmp(memory_type, "Symbol")) {
        js_find(&at, argument, "MemoryType");
        return js_fail(&at, reader->err, "%s is not supported: Scalar, Vector and Symbol are", memory_type);
    }
    return fill_vector(reader, out, argument, type_of(type), name,
                       !strcmp(memory_type, "Symbol") || !strcmp(place, "Constant"));
}

static int read_argument(struct json **out, struct t1_reader *reader, const struct js_at *argument,
                         size_t position)
{
    struct json *made = js_new_object();
    const int failed = made ? fill_argument(reader, made, argument, position) : t1_memory(reader);

    *out = js_unless(failed, made);
    return failed;
}

int t1_read_arguments(struct t1_reader *reader)
{
    return t1_translate_list(reader, &reader->kernel, "Arguments", "arguments", read_argument);
}
