/* Diverging loads: what each further sector or line of a request costs.
 *
 * Isolates: one load whose lanes lie 4, 8, 16, 32, 64, 128 bytes apart: 4 to 32 sectors in 1 to 32 lines;
 * throughput with all warps hitting L1 and, past it, L2; latency with one warp hitting L1.
 *
 * Unit: cycles per request and SM.
 *
 * Expected: proportional to the sectors or lines; fully diverging against coalesced throughput worse than
 * the ratio of their bytes, which is 8 (seed 000 saw 28 to 33 and 56).
 *
 * Profile: l1_request, l1_sector, l1_line, sector_latency, line_latency; curves sectors_request,
 * sectors_l2. */
#include "micro/micro.h"

#include <stdio.h>

enum { PASSES = 32, LENGTH = 8, THREADS = 512, STEPS = 64 };

static const unsigned spreads[] = {4, 8, 16, 32, 64, 128};
enum { POINTS = sizeof spreads / sizeof *spreads };

static int compile_diverging(struct micro_code *out, const struct micro *micro, const char *load,
                             struct err *err)
{
    char option[64];
    const struct micro_kernel kernel = {
        .file = "diverging.cu",
        .name = "diverging",
        .options = {option, "-DLENGTH=8"},
        .body = {.parts = "- | LDG*8",
                 .bookkeeping = MICRO_LOOP " LOP3 R2UR IMAD LEA",
                 .bytes_max = BODY_CACHE},
    };

    snprintf(option, sizeof option, "-DLOAD_PTX=\"%s\"", load);
    return micro_compile(out, micro, &kernel, err);
}

/* Cycles per request and SM against sectors. The loads of a pass lie 4 KB apart. */
static int throughput(double cycles[POINTS], const struct micro *micro, const char *load, uint64_t warp_bytes,
                      uint64_t window, struct err *err)
{
    struct micro_code code;
    int rc = compile_diverging(&code, micro, load, err);

    if (rc)
        return rc;
    for (size_t i = 0; rc == 0 && i < POINTS; i++) {
        struct device_value rate;
        struct call call;

        call_init(&call, micro->sms, THREADS, 0);
        call_in(&call, "data", (window + LENGTH * 4096 + 8192) / 4);
        call_sink(&call, "sink", micro);
        call_spans(&call, micro);
        call_int(&call, PASSES);
        call_unsigned(&call, spreads[i]);
        call_long(&call, warp_bytes);
        call_long(&call, window);
        call_unsigned(&call, 0);
        rc = micro_rate(&rate, micro, &code, &call, PASSES * LENGTH, 1, "diverging", err);
        cycles[i] = 1 / rate.sustained;
        call_release(&call);
    }
    micro_code_release(&code);
    return rc;
}

static void set_slope(struct device_value *out, double from, double to, double steps)
{
    *out = (struct device_value){.known = true};
    out->sustained = out->best = to > from ? (to - from) / steps : 0;
    snprintf(out->origin, sizeof out->origin, "diverging");
}

static double sectors(unsigned spread)
{
    return spread < 32 ? spread : 32;
}

static int set_curve(const struct micro *micro, enum device_curve_id id, const double *cycles,
                     struct err *err)
{
    double x[POINTS];

    for (size_t i = 0; i < POINTS; i++) /* equal counts of sectors in more lines stand a hair to the right */
        x[i] = spreads[i] <= 32 ? sectors(spreads[i]) : 32 + spreads[i] / 1024.0;
    return device_curve_set(&micro->device->curves[id], x, cycles, POINTS, "diverging", err);
}

static int l1(const struct micro *micro, struct err *err)
{
    struct device_value *values = micro->device->values;
    double cycles[POINTS];
    int rc = throughput(cycles, micro, "ld.global.u32", 0, 4096, err);

    if (rc)
        return rc;
    set_slope(&values[DEVICE_L1_REQUEST], 0, cycles[0], 1);             /* coalesced: 4 sectors of one line */
    set_slope(&values[DEVICE_L1_SECTOR], cycles[0], cycles[3], 32 - 4); /* 32 sectors in 8 lines */
    set_slope(&values[DEVICE_L1_LINE], cycles[3], cycles[5], 32 - 8);   /* 32 sectors in 32 lines */
    return set_curve(micro, DEVICE_CURVE_SECTORS_REQUEST, cycles, err);
}

static int l2(const struct micro *micro, struct err *err)
{
    double cycles[POINTS];
    int rc = throughput(cycles, micro, "ld.global.cg.u32", 36864, 16 << 20, err);

    return rc ? rc : set_curve(micro, DEVICE_CURVE_SECTORS_L2, cycles, err);
}

static int latency_of(struct device_value *out, const struct micro *micro, const struct micro_code *code,
                      unsigned spread, struct err *err)
{
    struct call call;
    int rc;

    call_init(&call, micro->sms, 32, 0);
    call_zeros(&call, "words", ROLE_OUT, (uint64_t)micro->sms * 32 * 256 / 4);
    call_samples(&call, micro);
    call_unsigned(&call, spread);
    rc = micro_latency(out, micro, code, &call, STEPS, "diverging chase", err);
    call_release(&call);
    return rc;
}

static int latency(const struct micro *micro, struct err *err)
{
    const struct micro_kernel kernel = {
        .file = "diverging.cu",
        .name = "diverging_chase",
        .options = {"-DLENGTH=8", "-DLOAD_PTX=\"ld.global.u32\""},
        .body = {.parts = "LDG*64", .dependent = true, .bytes_max = BODY_CACHE},
    };
    struct device_value *values = micro->device->values, together, apart, lines;
    struct micro_code code;
    int rc = micro_compile(&code, micro, &kernel, err);

    if (rc)
        return rc;
    rc = latency_of(&together, micro, &code, 8, err); /* 8 bytes a lane: 8 sectors in 2 lines */
    if (rc == 0)
        rc = latency_of(&apart, micro, &code, 32, err); /* 32 sectors in 8 lines */
    if (rc == 0)
        rc = latency_of(&lines, micro, &code, 128, err); /* 32 sectors in 32 lines */
    if (rc == 0) {
        set_slope(&values[DEVICE_SECTOR_LATENCY], together.sustained, apart.sustained, 32 - 8);
        set_slope(&values[DEVICE_LINE_LATENCY], apart.sustained, lines.sustained, 32 - 8);
    }
    micro_code_release(&code);
    return rc;
}

int micro_diverging(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"l1_sector", l1}, {"sectors_l2", l2}, {"sector_latency", latency}};

    return micro_parts(micro, parts, sizeof parts / sizeof *parts, err);
}
