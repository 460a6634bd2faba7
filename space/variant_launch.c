#include "space/variant_maker.h"

#include "base/hash.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The configuration cannot be launched: its outcome, and why. */
static int unfit(struct maker *maker, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int unfit(struct maker *maker, const char *format, ...)
{
    va_list args;

    maker->variant->outcome = OUTCOME_LIMITS;
    va_start(args, format);
    vsnprintf(maker->variant->message, sizeof maker->variant->message, format, args);
    va_end(args);
    return ERR_USAGE;
}

/* An expression that must be an integer in [low, high]. */
static int make_integer(int64_t *out, struct maker *maker, const struct expr *expr, int64_t low, int64_t high,
                        const char *place)
{
    struct err why = {0};

    if (expr_integer(out, expr, maker->slots, &why))
        return unfit(maker, "%s: \"%s\": %s", place, expr_text(expr), why.text);
    if (*out < low || *out > high)
        return unfit(maker, "%s: \"%s\" is %" PRId64 ", expected %" PRId64 " to %" PRId64, place,
                     expr_text(expr), *out, low, high);
    return 0;
}

static int make_dimensions(unsigned out[3], struct maker *maker, struct expr *const exprs[3],
                           const char *name)
{
    char place[32];
    int64_t value;
    int k;

    for (k = 0; k < 3 && exprs[k]; k++) {
        snprintf(place, sizeof place, "launch.%s[%d]", name, k);
        if (make_integer(&value, maker, exprs[k], 1, UINT32_MAX, place))
            return ERR_USAGE;
        out[k] = (unsigned)value;
    }
    return 0;
}

int make_launch(struct maker *maker, const struct spec_launch *from)
{
    struct launch *launch = &maker->variant->launch;
    int64_t value;

    if (make_dimensions(launch->grid, maker, from->grid, "grid") ||
        make_dimensions(launch->block, maker, from->block, "block"))
        return ERR_USAGE;
    if (from->shared) {
        if (make_integer(&value, maker, from->shared, 0, UINT32_MAX, "launch.shared"))
            return ERR_USAGE;
        launch->shared_bytes = (unsigned)value;
    }
    if (from->carveout) {
        if (make_integer(&value, maker, from->carveout, 0, 100, "launch.carveout"))
            return ERR_USAGE;
        launch->carveout = (int)value;
    }
    return 0;
}

/* Arguments
 * ----------------------------------------------------------------------------------------------------- */

static int make_bytes(struct argument *out, struct maker *maker, const char *text)
{
    out->size = strlen(text) / 2;
    out->bytes = malloc(out->size);
    if (!out->bytes)
        return err_memory(maker->err);
    return hex_bytes(out->bytes, text, out->size) ? 0 : unfit(maker, "bytes: expected hexadecimal digits");
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
        return unfit(maker, "%s: \"%s\": %s", place, expr_text(from->value), why.text);
    value_text(text, sizeof text, &value);
    if (element_is_integer(type)) {
        integer = value.integer; /* also of a truth value */
        if (value.kind == VALUE_REAL &&
            make_integer(&integer, maker, from->value, INT64_MIN, INT64_MAX, place))
            return ERR_USAGE;
        element_from_integer(out->bytes, type, integer);
        return element_fits(type, integer)
                   ? 0
                   : unfit(maker, "%s: %s does not fit in %s", place, text, element_text(type));
    }
    element_from_real(out->bytes, type, value_real(&value));
    if (!isfinite(element_to_real(type, out->bytes)))
        return unfit(maker, "%s: %s does not fit in %s", place, text, element_text(type));
    return 0;
}

/* As C lays it out on the GPU. */
static size_t alignment_of(const struct spec_argument *scalar)
{
    size_t alignment = scalar->bytes || scalar->fields ? 1 : element_size(scalar->type);
    size_t k;

    for (k = 0; k < scalar->field_count; k++)
        if (alignment_of(&scalar->fields[k]) > alignment)
            alignment = alignment_of(&scalar->fields[k]);
    return alignment;
}

/* Grows the bytes of *out by `bytes` from the next multiple of `alignment` on; the gap is zeros. */
static int append(struct argument *out, const unsigned char *bytes, size_t size, size_t alignment)
{
    const size_t at = (out->size + alignment - 1) / alignment * alignment;
    unsigned char *grown = realloc(out->bytes, at + size);

    if (!grown)
        return ERR_MEMORY;
    memset(grown + out->size, 0, at - out->size);
    if (size)
        memcpy(grown + at, bytes, size);
    out->bytes = grown;
    out->size = at + size;
    return 0;
}

static int make_value(struct argument *out, struct maker *maker, const struct spec_argument *from,
                      const char *place);

static int make_struct(struct argument *out, struct maker *maker, const struct spec_argument *from,
                       const char *place)
{
    char inside[160];
    size_t k;
    int failed;

    for (k = 0; k < from->field_count; k++) {
        struct argument field = {0};

        snprintf(inside, sizeof inside, "%s.fields[%zu]", place, k);
        failed = make_value(&field, maker, &from->fields[k], inside);
        if (!failed && append(out, field.bytes, field.size, alignment_of(&from->fields[k])))
            failed = err_memory(maker->err);
        free(field.bytes);
        if (failed)
            return failed;
    }
    return append(out, NULL, 0, alignment_of(from)) ? err_memory(maker->err) : 0;
}

static int make_value(struct argument *out, struct maker *maker, const struct spec_argument *from,
                      const char *place)
{
    if (from->fields)
        return make_struct(out, maker, from, place);
    return from->bytes ? make_bytes(out, maker, from->bytes) : make_scalar(out, maker, from, place);
}

/* The names an expression fill uses, with their values; no others, so that buffers stay the same where
 * nothing differs. */
static int make_fill_names(struct fill *out, struct maker *maker, const struct expr *expr)
{
    const struct spec *spec = maker->spec;
    size_t k;

    out->names = calloc(spec->name_count + 1, sizeof *out->names);
    out->values = calloc(spec->name_count + 1, sizeof *out->values);
    if (!out->names || !out->values)
        return err_memory(maker->err);
    for (k = 0; k < spec->name_count; k++)
        if (expr_uses(expr, k)) {
            out->names[out->name_count] = strdup(spec->names[k]);
            if (!out->names[out->name_count])
                return err_memory(maker->err);
            out->values[out->name_count++] = maker->slots[k];
        }
    return 0;
}

static int make_fill(struct fill *out, struct maker *maker, const struct spec_argument *from)
{
    const struct fill *fill = &from->fill;

    *out = (struct fill){
        .kind = fill->kind, .seed = fill->seed, .a = fill->a, .b = fill->b, .content = fill->content};
    if (fill->path && !(out->path = strdup(fill->path)))
        return err_memory(maker->err);
    if (fill->expression && !(out->expression = strdup(fill->expression)))
        return err_memory(maker->err);
    return from->fill_value ? make_fill_names(out, maker, from->fill_value) : 0;
}

static int make_buffer(struct argument *out, struct maker *maker, const struct spec_argument *from,
                       const char *place)
{
    const int64_t most = INT64_MAX / (int64_t)element_size(from->type);
    char length[64];
    int64_t count;

    snprintf(length, sizeof length, "%s.length", place);
    if (make_integer(&count, maker, from->value, 1, most, length))
        return ERR_USAGE;
    out->type = from->type;
    out->count = (uint64_t)count;
    out->role = from->role;
    return make_fill(&out->fill, maker, from);
}

static int make_argument(struct argument *out, struct maker *maker, const struct spec_argument *from,
                         size_t position)
{
    char place[48];

    out->kind = from->kind;
    if (from->name && !(out->name = strdup(from->name)))
        return err_memory(maker->err);
    snprintf(place, sizeof place, "arguments[%zu]", position);
    if (from->kind != ARGUMENT_SCALAR)
        return make_buffer(out, maker, from, place);
    return make_value(out, maker, from, place);
}

int make_arguments(struct maker *maker)
{
    const struct spec *spec = maker->spec;
    struct launch *launch = &maker->variant->launch;
    size_t k;
    int failed;

    launch->arguments = calloc(spec->argument_count + 1, sizeof *launch->arguments);
    if (!launch->arguments)
        return err_memory(maker->err);
    for (k = 0; k < spec->argument_count; k++) {
        launch->argument_count++;
        failed = make_argument(&launch->arguments[k], maker, &spec->arguments[k], k);
        if (failed)
            return failed;
    }
    return 0;
}
