#include "launch/fill.h"

#include "base/hash.h"
#include "launch/npy.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int prepare_expression(struct fill *fill, struct err *err)
{
    const char **names = calloc(fill->name_count + 1, sizeof *names);
    int failed;

    if (!names)
        return err_memory(err);
    for (size_t k = 0; k < fill->name_count; k++)
        names[k] = fill->names[k];
    names[fill->name_count] = "i";
    failed = expr_parse(&fill->parsed, fill->expression, names, fill->name_count + 1, err);
    free(names);
    return failed;
}

static void unmap(struct fill *fill)
{
    if (fill->mapping)
        munmap(fill->mapping, fill->mapping_bytes);
    fill->mapping = NULL;
    fill->elements = NULL;
}

static int prepare_file(struct fill *fill, enum element_type type, uint64_t count, struct err *err)
{
    struct npy npy;
    int failed = npy_map(&npy, &fill->mapping, &fill->mapping_bytes, fill->path, err);

    if (failed)
        return failed;
    if (npy.type != type)
        failed = err_set(err, ERR_USAGE, "%s holds %s, the argument is %s", fill->path,
                         element_text(npy.type), element_text(type));
    else if (npy.count != count)
        failed = err_set(err, ERR_USAGE, "%s holds %" PRIu64 " elements, the argument has %" PRIu64,
                         fill->path, npy.count, count);
    fill->elements = (const unsigned char *)fill->mapping + npy.offset;
    if (failed)
        unmap(fill);
    return failed;
}

static int check_fits(double value, enum element_type type, struct err *err)
{
    return element_takes(type, value)
               ? 0
               : err_set(err, ERR_USAGE, "%.15g does not fit in %s", value, element_text(type));
}

static int check_range(const struct fill *fill, enum element_type type, struct err *err)
{
    const bool integer = element_is_integer(type);
    const double most = integer ? 0x1p53 : INFINITY;
    const double low = integer ? ceil(fill->a) : fill->a, high = integer ? floor(fill->b) : fill->b;

    if (low <= high && fabs(fill->a) <= most && fabs(fill->b) <= most && isfinite(fill->b - fill->a))
        return check_fits(low, type, err) ? ERR_USAGE : check_fits(high, type, err);
    if (fill->a <= fill->b && !isfinite(fill->b - fill->a))
        return err_set(err, ERR_USAGE, "from %g to %g is too wide; give [low, high] with a finite high - low",
                       fill->a, fill->b);
    return err_set(err, ERR_USAGE, "nothing lies between %g and %g; give [low, high] with low <= high%s",
                   fill->a, fill->b, integer ? ", both within 2^53" : "");
}

int fill_prepare(struct fill *fill, enum element_type type, uint64_t count, struct err *err)
{
    switch (fill->kind) {
    case FILL_EXPRESSION:
        return prepare_expression(fill, err);
    case FILL_FILE:
        return prepare_file(fill, type, count, err);
    case FILL_UNIFORM:
        return check_range(fill, type, err);
    case FILL_CONSTANT:
        return check_fits(fill->a, type, err);
    case FILL_NORMAL:
        break;
    }
    return 0;
}

/* A random word as a number in [0, 1). */
static double unit(uint64_t random)
{
    return (double)(random >> 11) * 0x1p-53;
}

bool fill_recipe(struct fill_recipe *out, const struct fill *fill, enum element_type type)
{
    const double low = ceil(fill->a);

    *out = (struct fill_recipe){.span = 1};
    if (fill->kind == FILL_CONSTANT)
        element_from_real(&out->first, type, fill->a);
    if (fill->kind != FILL_UNIFORM)
        return fill->kind == FILL_CONSTANT;
    out->stream = hash_stream(fill->seed);
    out->real = !element_is_integer(type);
    if (out->real) {
        out->low = fill->a;
        out->width = fill->b - fill->a;
    } else {
        out->first = (uint64_t)(int64_t)low;
        out->span = (uint64_t)(floor(fill->b) - low) + 1;
    }
    return true;
}

static void read_recipe(const struct fill_recipe *recipe, enum element_type type, uint64_t first, uint64_t n,
                        unsigned char *out)
{
    const size_t size = element_size(type);
    uint64_t random, bits;

    for (uint64_t k = 0; k < n; k++) {
        random = hash_mix(recipe->stream + (first + k) * HASH_STEP);
        if (recipe->real) {
            element_from_real(out + k * size, type, recipe->low + recipe->width * unit(random));
            continue;
        }
        bits = recipe->first + random % recipe->span;
        memcpy(out + k * size, &bits, size);
    }
}

/* Box and Muller's transform of two uniform numbers per element. */
static void read_normal(const struct fill *fill, enum element_type type, uint64_t index, void *out)
{
    const double radius = sqrt(-2 * log(1 - unit(hash_random(fill->seed, 2 * index))));
    const double angle = 2 * M_PI * unit(hash_random(fill->seed, 2 * index + 1));

    element_from_real(out, type, fill->a + fill->b * radius * cos(angle));
}

/* An integer type takes the integer nearest to a real, and of an integer the lowest bits. */
static bool takes_value(enum element_type type, const struct value *value)
{
    if (!element_is_integer(type))
        return element_takes(type, value_real(value));
    return value->kind != VALUE_REAL || element_takes(type, nearbyint(value->real));
}

static int read_element(const struct fill *fill, enum element_type type, const struct value *slots, void *out,
                        struct err *err)
{
    char text[64];
    struct value value;
    int failed = expr_value(&value, fill->parsed, slots, fill->seed, err);

    if (!failed && value.kind == VALUE_STRING)
        failed = err_set(err, ERR_USAGE, "column 1: expected a number");
    if (!failed && !takes_value(type, &value)) {
        value_text(text, sizeof text, &value);
        failed = err_set(err, ERR_USAGE, "column 1: %s does not fit in %s", text, element_text(type));
    }
    if (failed)
        err_prefix(err, "element %" PRId64, slots[fill->name_count].integer);
    else if (value.kind == VALUE_REAL)
        element_from_real(out, type, value.real);
    else
        element_from_integer(out, type, value.integer);
    return failed;
}

/* Of integers only a real type refuses some: an integer type takes the lowest bits of each. */
static bool takes_column(enum element_type type, const int64_t *column, uint64_t count)
{
    uint64_t k = 0;

    while (k < count && (element_is_integer(type) || element_takes(type, (double)column[k])))
        k++;
    return k == count;
}

/* Column by column where all is integers; where not, element by element, which says what is wrong. */
static int read_expression(const struct fill *fill, enum element_type type, uint64_t first, uint64_t n,
                           unsigned char *out, struct err *err)
{
    const size_t size = element_size(type), running = fill->name_count;
    struct value *slots = calloc(running + 1, sizeof *slots);
    int64_t column[EXPR_COLUMN];
    uint64_t count;
    int failed = slots ? 0 : err_memory(err);

    if (slots && running)
        memcpy(slots, fill->values, running * sizeof *slots);
    for (uint64_t done = 0; done < n && !failed; done += count) {
        count = n - done < EXPR_COLUMN ? n - done : EXPR_COLUMN;
        slots[running] = (struct value){.kind = VALUE_INTEGER, .integer = (int64_t)(first + done)};
        if (expr_column(column, fill->parsed, slots, running, fill->seed, count) &&
            takes_column(type, column, count))
            for (uint64_t k = 0; k < count; k++)
                element_from_integer(out + (done + k) * size, type, column[k]);
        else
            for (uint64_t k = 0; k < count && !failed; k++, slots[running].integer++)
                failed = read_element(fill, type, slots, out + (done + k) * size, err);
    }
    free(slots);
    return failed;
}

/* As many copies of the first element, which is there. */
static void repeat(unsigned char *out, size_t size, uint64_t n)
{
    for (size_t done = size, all = n * size, more; done < all; done += more) {
        more = all - done < done ? all - done : done;
        memcpy(out + done, out, more);
    }
}

int fill_read(const struct fill *fill, enum element_type type, uint64_t first, uint64_t n, void *out,
              struct err *err)
{
    const size_t size = element_size(type);
    struct fill_recipe recipe;
    unsigned char *to = out;

    switch (fill->kind) {
    case FILL_EXPRESSION:
        return read_expression(fill, type, first, n, to, err);
    case FILL_FILE:
        memcpy(to, fill->elements + first * size, n * size);
        return 0;
    case FILL_CONSTANT:
        if (n)
            element_from_real(to, type, fill->a);
        repeat(to, size, n);
        return 0;
    case FILL_UNIFORM:
        fill_recipe(&recipe, fill, type);
        read_recipe(&recipe, type, first, n, to);
        return 0;
    case FILL_NORMAL:
        for (uint64_t k = 0; k < n; k++)
            read_normal(fill, type, first + k, to + k * size);
        break;
    }
    return 0;
}

void fill_release(struct fill *fill)
{
    for (size_t k = 0; fill->names && k < fill->name_count; k++)
        free(fill->names[k]);
    free(fill->names);
    free(fill->values);
    free(fill->expression);
    free(fill->path);
    expr_free(fill->parsed);
    unmap(fill);
    *fill = (struct fill){0};
}

static uint64_t hash_value(uint64_t hash, const struct value *value)
{
    uint64_t bits = (uint64_t)value->integer;

    if (value->kind == VALUE_REAL)
        memcpy(&bits, &value->real, sizeof bits);
    return hash_u64(hash_u64(hash, value->kind), bits);
}

uint64_t fill_hash(uint64_t hash, const struct fill *fill)
{
    const struct value a = {.kind = VALUE_REAL, .real = fill->a}, b = {.kind = VALUE_REAL, .real = fill->b};

    hash = hash_u64(hash, fill->kind);
    if (fill->kind == FILL_FILE)
        return hash_u64(hash, fill->content);
    if (fill->kind == FILL_CONSTANT)
        return hash_value(hash, &a);
    hash = hash_u64(hash, fill->seed);
    if (fill->kind != FILL_EXPRESSION)
        return hash_value(hash_value(hash, &a), &b);
    hash = hash_text(hash, fill->expression);
    for (size_t k = 0; k < fill->name_count; k++)
        hash = hash_value(hash_text(hash, fill->names[k]), &fill->values[k]);
    return hash;
}
