/* Shared memory under load, and what bank conflicts cost.
 *
 * Isolates: LDS, STS and shared additions of all warps of an SM to addresses whose conflict degree is
 * known: lane l takes the access l * spread, so spread 1 has none and spread 2, 4, ... 32 has as many
 * lanes in a bank. Wide accesses go in halves (8 bytes) and quarters (16 bytes) of a warp, whose lanes can
 * meet 16 and 8 times.
 *
 * Unit: cycles per warp instruction and SM; bytes per cycle and SM.
 *
 * Expected: 128 bytes per cycle without conflicts; cycles proportional to the degree.
 *
 * Profile: shared_read, shared_write, shared_wavefront, atomic_shared_*, curves bank_conflicts_*. */
#include "micro/micro.h"

#include <stdio.h>

enum { PASSES = 256, THREADS = 1024, WINDOW = 16384, BANKS_BYTES = 128 };

/* Accesses of a pass: as many as leave 64 registers for 1024 threads. */
static unsigned length_of(unsigned width)
{
    return 128 / width;
}

static int compile_shared(struct micro_code *out, const struct micro *micro, const char *name, unsigned width,
                          const char *parts, struct err *err)
{
    char option[32], length[32];
    const struct micro_kernel kernel = {
        .file = "shared.cu",
        .name = name,
        .options = {option, length},
        .body = {.parts = parts, .bookkeeping = MICRO_LOOP " IMAD HFMA2", .bytes_max = BODY_CACHE},
    };

    snprintf(option, sizeof option, "-DWIDTH=%u", width);
    snprintf(length, sizeof length, "-DLENGTH=%u", length_of(width));
    return micro_compile(out, micro, &kernel, err);
}

/* Warp instructions per cycle and SM. */
static int run_shared(struct device_value *out, const struct micro *micro, const struct micro_code *code,
                      unsigned width, unsigned spread, struct err *err)
{
    struct call call;

    call_init(&call, micro->sms, THREADS, WINDOW + 16);
    call_sink(&call, "sink", micro);
    call_spans(&call, micro);
    call_int(&call, PASSES);
    call_unsigned(&call, spread);
    call_unsigned(&call, WINDOW - 1);
    return micro_rate(out, micro, code, &call, PASSES * length_of(width), 1, "shared", err);
}

static void scale(struct device_value *value, double factor)
{
    value->sustained *= factor;
    value->best *= factor;
    value->spread *= factor;
}

static int rate(struct device_value *out, const struct micro *micro, const char *name, unsigned width,
                const char *parts, unsigned spread, struct err *err)
{
    struct micro_code code;
    int rc = compile_shared(&code, micro, name, width, parts, err);

    if (rc)
        return rc;
    rc = run_shared(out, micro, &code, width, spread, err);
    micro_code_release(&code);
    return rc;
}

static int throughput(const struct micro *micro, struct err *err)
{
    struct device_value *values = micro->device->values;
    int rc = rate(&values[DEVICE_SHARED_READ], micro, "shared_read", 16, "- | LDS.128*8", 1, err);

    if (rc)
        return rc;
    scale(&values[DEVICE_SHARED_READ], 512);
    rc = rate(&values[DEVICE_SHARED_WRITE], micro, "shared_write", 16, "- | STS.128*8", 1, err);
    if (rc == 0)
        scale(&values[DEVICE_SHARED_WRITE], 512);
    return rc;
}

static void invert(struct device_value *value)
{
    value->spread /= value->sustained * value->sustained;
    value->sustained = 1 / value->sustained;
    value->best = 1 / value->best;
}

static int conflicts(const struct micro *micro, unsigned width, const char *parts, enum device_curve_id curve,
                     struct err *err)
{
    static const unsigned spreads[] = {1, 2, 4, 8, 16, 32};
    enum { POINTS = sizeof spreads / sizeof *spreads };
    double degree[POINTS], cycles[POINTS];
    struct micro_code code;
    size_t count = 0;
    int rc = compile_shared(&code, micro, "shared_read", width, parts, err);

    if (rc)
        return rc;
    for (size_t i = 0; rc == 0 && i < POINTS && spreads[i] * width <= BANKS_BYTES; i++) {
        struct device_value value;

        rc = run_shared(&value, micro, &code, width, spreads[i], err);
        degree[count] = spreads[i];
        cycles[count++] = 1 / value.sustained;
    }
    if (rc == 0)
        rc = device_curve_set(&micro->device->curves[curve], degree, cycles, count, "shared", err);
    micro_code_release(&code);
    return rc;
}

static int all_conflicts(const struct micro *micro, struct err *err)
{
    struct device_value *wavefront = &micro->device->values[DEVICE_SHARED_WAVEFRONT];
    int rc = conflicts(micro, 4, "- | LDS*32", DEVICE_CURVE_BANK_4, err);

    if (rc == 0) { /* the slope: what each further wavefront takes */
        const struct device_curve *curve = &micro->device->curves[DEVICE_CURVE_BANK_4];

        *wavefront = (struct device_value){.known = true};
        wavefront->sustained = wavefront->best = (curve->y[curve->count - 1] - curve->y[0]) / 31;
        snprintf(wavefront->origin, sizeof wavefront->origin, "shared");
    }
    if (rc || !micro->full)
        return rc;
    rc = conflicts(micro, 8, "- | LDS.64*16", DEVICE_CURVE_BANK_8, err);
    return rc ? rc : conflicts(micro, 16, "- | LDS.128*8", DEVICE_CURVE_BANK_16, err);
}

static int additions(const struct micro *micro, enum device_value_id id, unsigned spread, struct err *err)
{
    struct device_value *value = &micro->device->values[id];
    int rc = rate(value, micro, "shared_atomic", 4, "- | ATOMS*32", spread, err);

    if (rc == 0)
        invert(value);
    return rc;
}

static int additions_same(const struct micro *micro, struct err *err)
{
    return additions(micro, DEVICE_ATOMIC_SHARED_SAME, 0, err);
}

static int additions_distinct(const struct micro *micro, struct err *err)
{
    return additions(micro, DEVICE_ATOMIC_SHARED_DISTINCT, 1, err);
}

int micro_shared(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"shared_read", throughput, true},
                                        {"bank_conflicts", all_conflicts, false},
                                        {"atomic_shared_same", additions_same, true},
                                        {"atomic_shared_distinct", additions_distinct, false}};

    return micro_parts(micro, parts, sizeof parts / sizeof *parts, err);
}
