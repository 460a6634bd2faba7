/* Scalars: numbers, raw bytes, and structs of them. */
#include "space/spec_argument.h"

#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTER_BYTES = 8 };

static int read_bytes(struct spec_argument *argument, const struct js_at *value, struct err *err)
{
    if (js_string(&argument->bytes, value, err))
        return ERR_USAGE;
    if (!*argument->bytes || strlen(argument->bytes) % 2 ||
        strspn(argument->bytes, "0123456789abcdefABCDEF") != strlen(argument->bytes))
        return js_fail(value, err, "expected two hexadecimal digits for every byte");
    return 0;
}

static int read_field(struct spec_argument *argument, struct reader *reader, const struct js_at *at);

/* The fields of a struct are scalars, structs among them, and addresses of buffers. */
static int read_struct(struct spec_argument *argument, struct reader *reader, const struct js_at *at)
{
    static const char *const known[] = {"scalar", "fields", "name", NULL};
    struct js_at fields;

    if (js_only(at, known, reader->err) || js_member(&fields, at, "fields", reader->err) ||
        js_expect(&fields, JS_ARRAY, reader->err))
        return ERR_USAGE;
    if (js_count(&fields) == 0)
        return js_fail(&fields, reader->err, "a struct has at least one field");
    argument->fields = calloc(js_count(&fields), sizeof *argument->fields);
    if (!argument->fields)
        return err_memory(reader->err);
    while (argument->field_count < js_count(&fields)) {
        const struct js_at field = js_element(&fields, argument->field_count);

        if (js_expect(&field, JS_OBJECT, reader->err) ||
            read_field(&argument->fields[argument->field_count++], reader, &field))
            return reader->err->code;
    }
    return 0;
}

static int read_scalar(struct spec_argument *argument, struct reader *reader, const struct js_at *at)
{
    static const char *const fields[] = {"scalar", "value", "name", NULL};
    struct js_at type, value, name;
    const char *text;

    if (js_member(&type, at, "scalar", reader->err) || js_string(&text, &type, reader->err) ||
        (js_find(&name, at, "name") && js_string(&argument->name, &name, reader->err)))
        return ERR_USAGE;
    if (!strcmp(text, "struct"))
        return read_struct(argument, reader, at);
    if (js_only(at, fields, reader->err) || js_member(&value, at, "value", reader->err))
        return ERR_USAGE;
    if (!strcmp(text, "bytes"))
        return read_bytes(argument, &value, reader->err);
    if (spec_read_type(&argument->type, &type, reader->err))
        return ERR_USAGE;
    return read_expression(&argument->value, reader, &value, WANTED_NUMBER_OR_TRUTH, (struct scope){0});
}

static int read_field(struct spec_argument *argument, struct reader *reader, const struct js_at *at)
{
    static const char *const known[] = {"pointer", "name", NULL};
    struct js_at pointer;

    if (!js_find(&pointer, at, "pointer"))
        return read_scalar(argument, reader, at);
    return js_only(at, known, reader->err) || js_string(&argument->pointer, &pointer, reader->err) ? ERR_USAGE
                                                                                                   : 0;
}

static int read(struct spec_argument *argument, struct reader *reader, const struct js_at *at,
                size_t position)
{
    (void)position;
    return read_scalar(argument, reader, at);
}

/* The buffers of the pointers in a struct. */
static int link_fields(struct spec_argument *argument, struct reader *reader, const struct js_at *at)
{
    struct js_at list, field;

    if (argument->pointer)
        return spec_find_buffer(&argument->pointed, argument->pointer, reader, at);
    if (!js_find(&list, at, "fields"))
        return 0;
    for (size_t k = 0; k < argument->field_count; k++) {
        field = js_element(&list, k);
        if (link_fields(&argument->fields[k], reader, &field))
            return ERR_USAGE;
    }
    return 0;
}

static int make_bytes(struct argument *out, struct maker *maker, const char *text)
{
    out->size = strlen(text) / 2;
    out->bytes = malloc(out->size);
    if (!out->bytes)
        return err_memory(maker->err);
    return hex_bytes(out->bytes, text, out->size) ? 0
                                                  : make_unfit(maker, "bytes: expected hexadecimal digits");
}

static int make_scalar(struct argument *out, struct maker *maker, const struct spec_argument *from,
                       const char *place)
{
    const enum element_type type = from->type;
    struct err why = {0};
    struct value value;
    int64_t integer;
    char text[64];

    out->size = element_size(type);
    out->bytes = malloc(out->size);
    if (!out->bytes)
        return err_memory(maker->err);
    if (expr_value(&value, from->value, maker->slots, 0, &why))
        return make_unfit(maker, "%s: \"%s\": %s", place, expr_text(from->value), why.text);
    value_text(text, sizeof text, &value);
    if (element_is_integer(type)) {
        integer = value.integer; /* also of a truth value */
        if (value.kind == VALUE_REAL &&
            make_integer(&integer, maker, from->value, INT64_MIN, INT64_MAX, place))
            return ERR_USAGE;
        element_from_integer(out->bytes, type, integer);
        return element_fits(type, integer)
                   ? 0
                   : make_unfit(maker, "%s: %s does not fit in %s", place, text, element_text(type));
    }
    element_from_real(out->bytes, type, value_real(&value));
    return element_takes(type, value_real(&value))
               ? 0
               : make_unfit(maker, "%s: %s does not fit in %s", place, text, element_text(type));
}

/* As C lays it out on the GPU. */
static size_t alignment_of(const struct spec_argument *scalar)
{
    size_t alignment = scalar->pointer                   ? POINTER_BYTES
                       : scalar->bytes || scalar->fields ? 1
                                                         : element_size(scalar->type);

    for (size_t k = 0; k < scalar->field_count; k++)
        if (alignment_of(&scalar->fields[k]) > alignment)
            alignment = alignment_of(&scalar->fields[k]);
    return alignment;
}

/* Grows the bytes of *out by those of a field from the next multiple of `alignment` on; the gap is zeros. */
static int append(struct argument *out, const struct argument *field, size_t alignment)
{
    const size_t at = (out->size + alignment - 1) / alignment * alignment;
    const size_t pointers = out->pointer_count + field->pointer_count;
    struct argument_pointer *more = realloc(out->pointers, (pointers + 1) * sizeof *more);
    unsigned char *grown = realloc(out->bytes, at + field->size + 1);

    if (more)
        out->pointers = more;
    if (grown)
        out->bytes = grown;
    if (!more || !grown)
        return ERR_MEMORY;
    memset(grown + out->size, 0, at - out->size);
    if (field->size)
        memcpy(grown + at, field->bytes, field->size);
    for (size_t k = 0; k < field->pointer_count; k++)
        more[out->pointer_count++] = (struct argument_pointer){.offset = at + field->pointers[k].offset,
                                                               .buffer = field->pointers[k].buffer};
    out->size = at + field->size;
    return 0;
}

static int make_value(struct argument *out, struct maker *maker, const struct spec_argument *from,
                      const char *place);

static int make_struct(struct argument *out, struct maker *maker, const struct spec_argument *from,
                       const char *place)
{
    const struct argument end = {0};
    char inside[160];
    int failed;

    for (size_t k = 0; k < from->field_count; k++) {
        struct argument field = {0};

        snprintf(inside, sizeof inside, "%s.fields[%zu]", place, k);
        failed = make_value(&field, maker, &from->fields[k], inside);
        if (!failed && append(out, &field, alignment_of(&from->fields[k])))
            failed = err_memory(maker->err);
        argument_release(&field);
        if (failed)
            return failed;
    }
    return append(out, &end, alignment_of(from)) ? err_memory(maker->err) : 0;
}

/* The address is put in where the launch runs. */
static int make_pointer(struct argument *out, struct maker *maker, const struct spec_argument *from)
{
    out->bytes = calloc(1, POINTER_BYTES);
    out->pointers = calloc(1, sizeof *out->pointers);
    if (!out->bytes || !out->pointers)
        return err_memory(maker->err);
    out->size = POINTER_BYTES;
    out->pointers[out->pointer_count++].buffer = from->pointed;
    return 0;
}

static int make_value(struct argument *out, struct maker *maker, const struct spec_argument *from,
                      const char *place)
{
    if (from->pointer)
        return make_pointer(out, maker, from);
    if (from->fields)
        return make_struct(out, maker, from, place);
    return from->bytes ? make_bytes(out, maker, from->bytes) : make_scalar(out, maker, from, place);
}

const struct spec_argument_ops spec_scalar = {
    .field = "scalar", .read = read, .link = link_fields, .make = make_value};
