#include "model/device/device.h"

#include "base/array.h"
#include "model/device/device_words.h"
#include "model/sass/arch/arch.h"
#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KB 1024u

_Static_assert((int)ARCH_CARVEOUTS <= (int)DEVICE_CARVEOUTS,
               "a device has all carve-outs of its architecture");

static const struct device_value_info values[] = {
#define DEVICE_VALUE(id, name, unit, better, use, description)                                               \
    [DEVICE_##id] = {name, unit, description, better, use},
#include "model/device/device.def"
#undef DEVICE_VALUE
};

static const struct device_curve_info curves[] = {
#define DEVICE_CURVE(id, name, x, y, above, use, description)                                                \
    [DEVICE_CURVE_##id] = {name, x, y, description, above, use},
#include "model/device/device.def"
#undef DEVICE_CURVE
};

static const char *const ops[] = {
#define DEVICE_OP(id, mnemonic) [DEVICE_OP_##id] = mnemonic,
#include "model/device/device.def"
#undef DEVICE_OP
};

static void fill_limits(struct device_limits *out, const struct arch *arch, const struct arch_limits *a)
{
    *out = (struct device_limits){
        .subpartitions = SUB_PARTITIONS,
        .warp_size = LANES,
        .warps_per_sm = a->warps,
        .blocks_per_sm = a->blocks,
        .threads_per_block = 1024,
        .registers_per_sm = 65536,
        .registers_per_block = 65536,
        .registers_per_thread = 255,
        .register_granule = 256,
        .shared_per_block = 48 * KB,
        .shared_per_block_optin = a->optin_kb * KB,
        .shared_reserved = arch->shared_reserved_bytes,
        .shared_granule = a->shared_granule,
        .barriers_per_sm = a->barriers,
        .unified_bytes = a->unified_kb * KB,
        .constant_bytes = 64 * KB,
        .block_x_max = 1024,
        .block_y_max = 1024,
        .block_z_max = 64,
        .grid_x_max = 2147483647,
        .grid_y_max = 65535,
        .grid_z_max = 65535,
    };
    for (size_t i = 0; i < ARCH_CARVEOUTS && (i == 0 || a->carveouts_kb[i]); i++)
        out->carveouts[out->carveout_count++] = a->carveouts_kb[i] * KB;
    out->shared_per_sm = out->carveouts[out->carveout_count - 1];
}

bool device_in_range(double *least, double *most, const char *unit, double value)
{
    static const struct {
        const char *unit;
        double least, most;
    } ranges[] = {
#define DEVICE_UNIT(unit, least, most) {unit, least, most},
#include "model/device/device.def"
#undef DEVICE_UNIT
    };

    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (!strcmp(ranges[i].unit, unit)) {
            *least = ranges[i].least;
            *most = ranges[i].most;
            return value >= *least && value <= *most;
        }
    return true;
}

size_t device_lacks(const char **names, const struct device *device)
{
    size_t count = 0;

    for (size_t v = 0; v < DEVICE_VALUE_COUNT; v++)
        if (!device->values[v].known && values[v].full == READ && strcmp(values[v].unit, "FMA/cycle") != 0)
            names[count++] = values[v].name;
    return count;
}

int device_limits_of(struct device_limits *out, unsigned sm, struct err *err)
{
    const struct arch *arch;
    char known[128] = "";
    size_t used = 0;

    *out = (struct device_limits){0};
    for (size_t i = 0; (arch = arch_row(i)) != NULL; i++)
        for (size_t k = 0; k < ARCH_LIMITS && arch->limits[k].sm; k++) {
            if (arch->limits[k].sm == sm) {
                fill_limits(out, arch, &arch->limits[k]);
                return 0;
            }
            if (used < sizeof known)
                used += (size_t)snprintf(known + used, sizeof known - used, " sm_%u", arch->limits[k].sm);
        }
    return err_set(err, ERR_USAGE, "sm_%u: the limits of this architecture are not known; known are%s", sm,
                   known);
}

void device_target(char out[DEVICE_TARGET_BYTES], unsigned sm)
{
    const struct arch *arch = arch_of(sm);

    snprintf(out, DEVICE_TARGET_BYTES, "sm_%u%s", sm, arch && arch->specific_code ? "a" : "");
}

bool device_can_launch(char *reason, size_t size, unsigned sm, const struct launch *launch)
{
    const struct arch *arch = arch_of(sm);
    char what[128];

    if (!arch || arch->bulk_copies || !launch_needs_bulk_copies(what, sizeof what, launch))
        return true;
    snprintf(reason, size, "%s needs cp.async.bulk, which sm_%u does not have", what, sm);
    return false;
}

int device_need_occupancy(const struct device *device, struct err *err)
{
    static const struct {
        const char *name;
        size_t offset;
    } needed[] = {
#define NEEDED(field) {#field, offsetof(struct device_limits, field)}
        NEEDED(warps_per_sm),     NEEDED(blocks_per_sm),       NEEDED(threads_per_block),
        NEEDED(registers_per_sm), NEEDED(registers_per_block), NEEDED(registers_per_thread),
        NEEDED(shared_per_sm),    NEEDED(shared_per_block),
#undef NEEDED
    };

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!*(const uint64_t *)((const char *)&device->limits + needed[i].offset))
            return err_set(err, ERR_MISSING,
                           "the profile of %s lacks limits.%s, without which its occupancy is unknown",
                           device->name, needed[i].name);
    return 0;
}

void device_init(struct device *device)
{
    memset(device, 0, sizeof *device);
}

void device_curve_release(struct device_curve *curve)
{
    free(curve->x);
    free(curve->y);
    *curve = (struct device_curve){0};
}

void device_release(struct device *device)
{
    for (size_t i = 0; i < DEVICE_CURVE_COUNT; i++)
        device_curve_release(&device->curves[i]);
    for (size_t i = 0; i < DEVICE_OP_COUNT; i++)
        device_curve_release(&device->ops[i].roofline);
    for (size_t i = 0; i < device->note_count; i++)
        free(device->notes[i]);
    free(device->notes);
    free(device->pairs);
    free(device->sources);
    device_init(device);
}

bool device_same_kind(const struct device *a, const struct device *b)
{
    return a->sm == b->sm && !strcmp(a->name, b->name);
}

bool device_has(const struct device *device, enum device_value_id id)
{
    return device->values[id].known;
}

double device_sustained(const struct device *device, enum device_value_id id)
{
    return device->values[id].known ? device->values[id].sustained : NAN;
}

double device_best(const struct device *device, enum device_value_id id)
{
    return device->values[id].known ? device->values[id].best : NAN;
}

static int op_of_length(const char *mnemonic, size_t length)
{
    for (int i = 0; i < DEVICE_OP_COUNT; i++)
        if (strlen(ops[i]) == length && !memcmp(ops[i], mnemonic, length))
            return i;
    return -1;
}

int device_op_find(const char *mnemonic)
{
    size_t length = strlen(mnemonic);

    for (;;) {
        const int op = op_of_length(mnemonic, length);

        if (op >= 0)
            return op;
        while (length > 0 && mnemonic[length - 1] != '.')
            length--;
        if (length == 0)
            return -1;
        length--;
    }
}

const char *device_op_text(enum device_op_id id)
{
    return ops[id];
}

const struct device_value_info *device_value_info(enum device_value_id id)
{
    return &values[id];
}

const struct device_curve_info *device_curve_info(enum device_curve_id id)
{
    return &curves[id];
}

double device_curve_at(const struct device_curve *curve, double x)
{
    const double *xs = curve->x, *ys = curve->y;
    size_t i = 1;

    if (curve->count == 0)
        return NAN;
    if (x <= xs[0])
        return ys[0];
    if (x >= xs[curve->count - 1])
        return ys[curve->count - 1];
    while (xs[i] < x)
        i++;
    return ys[i - 1] + (ys[i] - ys[i - 1]) * (x - xs[i - 1]) / (xs[i] - xs[i - 1]);
}

int device_curve_set(struct device_curve *curve, const double *x, const double *y, size_t count,
                     const char *origin, struct err *err)
{
    struct device_curve fresh = {.count = count};

    for (size_t i = 0; i < count; i++) {
        if (!isfinite(x[i]) || !isfinite(y[i]))
            return err_set(err, ERR_FORMAT, "point %zu of a curve is not finite", i);
        if (i > 0 && x[i] <= x[i - 1])
            return err_set(err, ERR_FORMAT, "point %zu of a curve does not lie right of the one before", i);
        if (x[i] < 0 || y[i] < 0)
            return err_set(err, ERR_FORMAT, "point %zu of a curve is negative", i);
    }
    fresh.x = malloc((count ? count : 1) * sizeof *x);
    fresh.y = malloc((count ? count : 1) * sizeof *y);
    if (!fresh.x || !fresh.y) {
        device_curve_release(&fresh);
        return err_memory(err);
    }
    memcpy(fresh.x, x, count * sizeof *x);
    memcpy(fresh.y, y, count * sizeof *y);
    snprintf(fresh.origin, sizeof fresh.origin, "%s", origin);
    device_curve_release(curve);
    *curve = fresh;
    return 0;
}

int device_note(struct device *device, struct err *err, const char *format, ...)
{
    char text[1024];
    va_list arguments;

    if (ARRAY_GROW(device->notes, device->note_count, err))
        return ERR_MEMORY;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    device->notes[device->note_count] = strdup(text);
    if (!device->notes[device->note_count])
        return err_memory(err);
    device->note_count++;
    return 0;
}

int device_pair_add(struct device *device, enum device_op_id a, enum device_op_id b, double cycles,
                    struct err *err)
{
    if (ARRAY_GROW(device->pairs, device->pair_count, err))
        return ERR_MEMORY;
    device->pairs[device->pair_count++] = (struct device_pair){a, b, cycles};
    return 0;
}

int device_source_add(struct device *device, const struct device_source *source, struct err *err)
{
    if (ARRAY_GROW(device->sources, device->source_count, err))
        return ERR_MEMORY;
    device->sources[device->source_count++] = *source;
    return 0;
}

static bool published(const struct device_value *value)
{
    return value->known && (!strncmp(value->origin, "published: ", strlen("published: ")) ||
                            !strncmp(value->origin, "as on ", strlen("as on ")));
}

bool device_is_published(const struct device *device)
{
    bool found = device->source[0] != 0;

    for (size_t i = 0; i < DEVICE_VALUE_COUNT; i++)
        found |= published(&device->values[i]);
    for (size_t i = 0; i < DEVICE_OP_COUNT; i++)
        found |= published(&device->ops[i].latency) || published(&device->ops[i].interval);
    return found;
}

bool device_is_calibrated(const struct device *device)
{
    bool found = false;

    for (size_t i = 0; i < DEVICE_VALUE_COUNT; i++)
        found |= device->values[i].known;
    for (size_t i = 0; i < DEVICE_OP_COUNT; i++)
        found |= device->ops[i].latency.known || device->ops[i].interval.known;
    return found;
}
