/* Instruction supply.
 *
 * Isolates: straight-line FFMA of growing length in a loop; with one warp a sub-partition, and with all.
 *
 * Unit: cycles per instruction and sub-partition.
 *
 * Expected: a plateau as long as the code fits a level, a step where it does not. The granularity of a
 * fetch (Wong et al., figure 24) is left out: it enters no term of the model, and this curve gives what the
 * model needs.
 *
 * Profile: instruction_l0_bytes, instruction_l1_bytes, instruction_l2_bytes; curves instruction_supply*. */
#include "micro/micro.h"

#include <stdio.h>

static const unsigned lengths[] = {64,   128,  256,  384,  512,  640,  768,   1024,  1280, 1536,
                                   2048, 3072, 4096, 6144, 7168, 8192, 10240, 12288, 16384};
enum { POINTS = sizeof lengths / sizeof *lengths, INSTRUCTIONS = 65536 };

static int compile_supply(struct micro_code *out, const struct micro *micro, unsigned length, struct err *err)
{
    char option[32], parts[32];
    const struct micro_kernel kernel = {
        .file = "supply.cu",
        .name = "supply",
        .options = {option},
        .body = {.parts = parts, .bookkeeping = MICRO_LOOP},
    };

    snprintf(option, sizeof option, "-DLENGTH=%u", length);
    snprintf(parts, sizeof parts, "- | FFMA*%u", length);
    return micro_compile(out, micro, &kernel, err);
}

/* The longest first: they take longest. */
static void compile_ahead(const void *context, size_t index)
{
    struct micro_code code;
    struct err ignored = {0};

    if (!compile_supply(&code, context, lengths[POINTS - 1 - index], &ignored))
        micro_code_release(&code);
}

static int point(double *few, double *all, const struct micro *micro, unsigned length, struct err *err)
{
    const unsigned passes = INSTRUCTIONS / length < 4 ? 4 : INSTRUCTIONS / length;
    const double work = (double)passes * length;
    struct device_value rate = {0};
    struct micro_code code;
    int rc = compile_supply(&code, micro, length, err);

    if (rc)
        return rc;
    for (unsigned warps = 4; rc == 0 && warps <= 32; warps *= 8) {
        struct call call;

        call_init(&call, micro->sms, 32 * warps, 0);
        call_in(&call, "in", 64);
        call_sink(&call, "sink", micro);
        call_spans(&call, micro);
        call_int(&call, (int)passes);
        rc = micro_rate(&rate, micro, &code, &call, work, 1, "supply", err);
        *(warps == 4 ? few : all) = (double)micro->device->limits.subpartitions / rate.sustained;
    }
    micro_code_release(&code);
    return rc;
}

static void set_bytes(const struct micro *micro, enum device_value_id id, double bytes)
{
    struct device_value *value = &micro->device->values[id];

    *value = (struct device_value){.known = true, .sustained = bytes, .best = bytes};
    snprintf(value->origin, sizeof value->origin, "supply");
}

/* The last length before each step of more than 8 % is what fits a level. */
static void levels(const struct micro *micro, const double *bytes, const double *cycles)
{
    static const enum device_value_id ids[] = {DEVICE_INSTRUCTION_L0_BYTES, DEVICE_INSTRUCTION_L1_BYTES,
                                               DEVICE_INSTRUCTION_L2_BYTES};
    double plateau = cycles[0];
    size_t found = 0;

    for (size_t i = 1; i < POINTS && found < 3; i++) {
        if (cycles[i] > 1.08 * plateau && cycles[i - 1] <= 1.08 * plateau)
            set_bytes(micro, ids[found++], bytes[i - 1]);
        if (cycles[i] > 1.08 * plateau && i + 1 < POINTS && cycles[i + 1] < 1.04 * cycles[i])
            plateau = cycles[i];
    }
}

static int supply(const struct micro *micro, struct err *err)
{
    struct device_curve *curves = micro->device->curves;
    double bytes[POINTS], few[POINTS], all[POINTS];
    int rc = 0;

    micro_ahead(compile_ahead, micro, POINTS);
    for (size_t i = 0; rc == 0 && i < POINTS; i++) {
        bytes[i] = 16.0 * lengths[i];
        rc = point(&few[i], &all[i], micro, lengths[i], err);
    }
    if (rc == 0)
        rc = device_curve_set(&curves[DEVICE_CURVE_INSTRUCTION_SUPPLY], bytes, few, POINTS, "supply", err);
    if (rc == 0)
        rc = device_curve_set(&curves[DEVICE_CURVE_INSTRUCTION_SUPPLY_FULL], bytes, all, POINTS, "supply",
                              err);
    if (rc == 0)
        levels(micro, bytes, few);
    return rc;
}

int micro_supply(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"instruction_supply", supply, false}};

    return micro_parts(micro, parts, 1, err);
}
