/* Latency of what is near: shared, local and constant memory.
 *
 * Isolates: a dependent load, one warp an SM, all SMs at once since they do not meet. A word of shared
 * memory holds its own address, so no address is computed; the constant ring holds byte offsets.
 *
 * Unit: cycles from issue to issue.
 *
 * Expected: shared 23 to 33 cycles, and the same more for each further wavefront of a conflict; local like
 * L1; constant in steps against the footprint, a plateau per level.
 *
 * Profile: shared_latency, shared_wavefront_latency, shared_store_latency, local_latency,
 * constant_l*_latency, constant_l*_bytes, curve latency_constant. */
#include "micro/micro.h"

#include "micro/infer.h"
#include "model/sass/arch/geometry.h"

#include <stdio.h>

enum { STEPS = 64, CONSTANT_BYTES = 65536, CONSTANT_STRIDE = 64 };

static int compile_near(struct micro_code *out, const struct micro *micro, const char *name,
                        const char *parts, bool dependent, struct err *err)
{
    const struct micro_kernel kernel = {
        .file = "near.cu",
        .name = name,
        .body = {.parts = parts, .dependent = dependent, .bytes_max = BODY_CACHE},
    };

    return micro_compile(out, micro, &kernel, err);
}

static int run_shared(struct device_value *out, const struct micro *micro, const struct micro_code *code,
                      unsigned spread, struct err *err)
{
    struct call call;

    call_init(&call, micro->sms, LANES, 0);
    call_samples(&call, micro);
    call_unsigned(&call, spread);
    return micro_latency(out, micro, code, &call, STEPS, "near shared_chase", err);
}

static int shared_latency(const struct micro *micro, struct err *err)
{
    struct device_value *values = micro->device->values;
    struct device_value alone, conflict;
    struct micro_code code;
    int rc = compile_near(&code, micro, "shared_chase", "LDS*64", true, err);

    if (rc)
        return rc;
    rc = run_shared(&alone, micro, &code, 1, err);
    if (rc == 0)
        rc = run_shared(&conflict, micro, &code, LANES, err);
    if (rc == 0) {
        values[DEVICE_SHARED_LATENCY] = alone;
        values[DEVICE_SHARED_WAVEFRONT_LATENCY] = conflict;
        values[DEVICE_SHARED_WAVEFRONT_LATENCY].sustained =
            (conflict.sustained - alone.sustained) / (LANES - 1);
        values[DEVICE_SHARED_WAVEFRONT_LATENCY].best = (conflict.best - alone.best) / (LANES - 1);
        values[DEVICE_SHARED_WAVEFRONT_LATENCY].spread = conflict.spread / (LANES - 1);
    }
    micro_code_release(&code);
    return rc;
}

/* A kernel with no argument but its samples. */
static int simple_latency(struct device_value *out, const struct micro *micro, const char *name,
                          const char *parts, bool dependent, struct err *err)
{
    struct micro_code code;
    struct call call;
    int rc = compile_near(&code, micro, name, parts, dependent, err);

    if (rc)
        return rc;
    call_init(&call, micro->sms, LANES, 0);
    call_samples(&call, micro);
    rc = micro_latency(out, micro, &code, &call, STEPS, name, err);
    micro_code_release(&code);
    return rc;
}

static int shared_store(const struct micro *micro, struct err *err)
{
    const struct device_value *load = &micro->device->values[DEVICE_SHARED_LATENCY];
    struct device_value both;
    int rc = simple_latency(&both, micro, "shared_store", "(STS LDS)*64", false, err);

    if (rc)
        return rc;
    if (!load->known)
        return err_set(err, ERR_FORMAT, "without shared_latency there is nothing to subtract");
    both.sustained -= load->sustained;
    both.best -= load->sustained;
    micro->device->values[DEVICE_SHARED_STORE_LATENCY] = both;
    return 0;
}

static int local_latency(const struct micro *micro, struct err *err)
{
    return simple_latency(&micro->device->values[DEVICE_LOCAL_LATENCY], micro, "local_chase", "LDL*64", true,
                          err);
}

static int run_constant(struct device_value *out, const struct micro *micro, const struct micro_code *code,
                        unsigned bytes, struct err *err)
{
    char ring[64];
    struct call call;

    snprintf(ring, sizeof ring, "(i * 4 + %d) %% %u", CONSTANT_STRIDE, bytes);
    call_init(&call, micro->sms, LANES, 0);
    call_samples(&call, micro);
    call_unsigned(&call, 2 * bytes / CONSTANT_STRIDE);
    call_symbol(&call, "ring", CONSTANT_BYTES / 4, ring);
    return micro_latency(out, micro, code, &call, STEPS, "near constant_chase", err);
}

static void constant_levels(const struct micro *micro, const struct infer_hierarchy *found,
                            const struct device_value *like)
{
    static const enum device_value_id latency[] = {DEVICE_CONSTANT_L1_LATENCY, DEVICE_CONSTANT_L2_LATENCY,
                                                   DEVICE_CONSTANT_L3_LATENCY};
    static const enum device_value_id bytes[] = {DEVICE_CONSTANT_L1_BYTES, DEVICE_CONSTANT_L2_BYTES};
    const struct device_curve *curve = &micro->device->curves[DEVICE_CURVE_LATENCY_CONSTANT];
    struct device_value *values = micro->device->values;

    for (size_t l = 0; l < 3 && l <= found->count; l++) {
        const double cycles = l < found->count ? found->level[l].latency : found->beyond;

        values[latency[l]] = *like;
        values[latency[l]].sustained = values[latency[l]].best = cycles;
        if (l < found->count && l < 2) {
            values[bytes[l]] = *like;
            values[bytes[l]].sustained = values[bytes[l]].best =
                reduce_fits(curve->x, curve->y, curve->count, found->level[l].latency);
            values[bytes[l]].spread = 0;
        }
    }
}

static int constant_latency(const struct micro *micro, struct err *err)
{
    enum { POINTS = 40 };
    double bytes[POINTS], cycles[POINTS];
    struct infer_hierarchy found;
    struct device_value value = {0};
    struct micro_code code;
    size_t count = 0;
    int rc = compile_near(&code, micro, "constant_chase", "LDC*64", true, err);

    if (rc)
        return rc;
    for (unsigned size = 512; rc == 0 && size <= CONSTANT_BYTES && count < POINTS;
         size += size < 4096 ? 256 : size / 8 / CONSTANT_STRIDE * CONSTANT_STRIDE) {
        rc = run_constant(&value, micro, &code, size, err);
        bytes[count] = size;
        cycles[count++] = value.sustained;
    }
    if (rc == 0)
        rc = device_curve_set(&micro->device->curves[DEVICE_CURVE_LATENCY_CONSTANT], bytes, cycles, count,
                              "near constant_chase", err);
    if (rc == 0)
        rc = infer_levels(&found, &(struct infer_curve){count, bytes, cycles, CONSTANT_STRIDE}, err);
    if (rc == 0)
        constant_levels(micro, &found, &value);
    micro_code_release(&code);
    return rc;
}

int micro_near_latency(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {
        {"shared_latency", shared_latency, false},
        {"shared_store_latency", shared_store, true},
        {"local_latency", local_latency, false},
        {"constant_latency", constant_latency, false},
    };

    return micro_parts(micro, parts, sizeof parts / sizeof *parts, err);
}
