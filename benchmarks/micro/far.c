/* Latency of what lies outside the SM: L1, L2, DRAM, address translation.
 *
 * Isolates: a dependent load, one warp, one SM after the other with all others asleep. Each element of a
 * random cycle (Sattolo) holds the address of the next, so nothing is prefetched and no address computed:
 * chase_overhead is 0 by construction. One line for all SMs tells the near part of L2 from the far one; a
 * cycle over 4 GB, pushed out of the caches first, is DRAM; elements a page apart and few enough for L2
 * show the translation.
 *
 * Unit: cycles from issue to issue. A run is an SM.
 *
 * Expected: plateaus against the footprint, at about 33 (L1), 200 to 280 (L2) and 500 to 700 cycles (DRAM)
 * on an H100.
 *
 * Profile: l1_latency, readonly_latency, l2_latency, l2_near_latency, l2_far_latency, dram_latency, tlb_*,
 * l1_bytes, l2_bytes, sector_bytes, chase_overhead; curves latency_*. */
#include "micro/chase.h"
#include "micro/micro.h"

#include "base/stats.h"
#include "micro/infer.h"
#include "model/sass/arch/geometry.h"

#include <stdio.h>
#include <stdlib.h>

enum { CYCLE_MAX = 1 << 20 };

#define MB (1024.0 * 1024)
/* On every SM in turn. Also the curve over SMs where one is wanted. */
static int chase_sms(struct device_value *out, struct device_curve *curve, double *runs,
                     const struct micro *micro, const struct chase *chase, const char *origin,
                     struct err *err)
{
    double *x = calloc(micro->sms, sizeof *x), *y = calloc(micro->sms, sizeof *y);
    unsigned *sms = calloc(micro->sms, sizeof *sms);
    size_t seen = 0;
    int rc = x && y && sms ? chase_run(runs, sms, micro, chase, err) : err_memory(err);

    if (rc == 0)
        rc = reduce_runs(out, runs, micro->sms, false, origin, err);
    for (unsigned sm = 0; rc == 0 && sm < micro->sms; sm++)
        for (unsigned b = 0; b < micro->sms; b++)
            if (sms[b] == sm && (seen == 0 || x[seen - 1] != sm)) {
                x[seen] = sm;
                y[seen++] = runs[b];
            }
    if (rc == 0 && seen != micro->sms)
        rc = device_note(micro->device, err, "%s: ran on %zu of %u SMs", origin, seen, micro->sms);
    if (rc == 0 && curve)
        rc = device_curve_set(curve, x, y, seen, origin, err);
    free(x);
    free(y);
    free(sms);
    return rc;
}

static int level(const struct micro *micro, enum device_value_id id, int curve, const struct chase *chase,
                 struct err *err)
{
    double *runs = calloc(micro->sms, sizeof *runs);
    struct device_curve *by_sm = curve < 0 ? NULL : &micro->device->curves[curve];
    int rc = runs ? chase_sms(&micro->device->values[id], by_sm, runs, micro, chase, "far chase", err)
                  : err_memory(err);

    free(runs);
    return rc;
}

static int l1_latency(const struct micro *micro, struct err *err)
{
    const struct chase ca = {
        .load = CHASE_CA, .blocks = micro->sms, .count = 64, .spacing = LINE, .warm = 128};
    const struct chase nc = {
        .load = CHASE_NC, .blocks = micro->sms, .count = 64, .spacing = LINE, .warm = 128};
    int rc = level(micro, DEVICE_L1_LATENCY, -1, &ca, err);

    return rc || !micro->full ? rc : level(micro, DEVICE_READONLY_LATENCY, -1, &nc, err);
}

static int l2_latency(const struct micro *micro, struct err *err)
{
    const struct chase many = {.load = CHASE_CG, .blocks = micro->sms, .count = 1 << 16, .spacing = LINE};

    return level(micro, DEVICE_L2_LATENCY, -1, &many, err);
}

/* One line, asked for by every SM: those near its slice answer sooner. */
static int l2_near_and_far(const struct micro *micro, struct err *err)
{
    const struct chase one = {
        .load = CHASE_CG, .blocks = micro->sms, .count = 1, .spacing = LINE, .strided = true};
    struct device_value *values = micro->device->values, both;
    double *runs = calloc(micro->sms, sizeof *runs);
    int rc = runs ? chase_sms(&both, &micro->device->curves[DEVICE_CURVE_LATENCY_L2_SM], runs, micro, &one,
                              "far chase, one line", err)
                  : err_memory(err);

    if (rc == 0) {
        values[DEVICE_L2_NEAR_LATENCY] = values[DEVICE_L2_FAR_LATENCY] = both;
        values[DEVICE_L2_NEAR_LATENCY].sustained = stats_quantile(runs, micro->sms, 0.25);
        values[DEVICE_L2_FAR_LATENCY].sustained = stats_quantile(runs, micro->sms, 0.75);
        values[DEVICE_L2_FAR_LATENCY].best = stats_median(runs, micro->sms);
    }
    free(runs);
    return rc;
}

static int dram_latency(const struct micro *micro, struct err *err)
{
    const struct chase far = {.load = CHASE_CG,
                              .blocks = micro->sms,
                              .count = 1 << 21,
                              .spacing = 2048,
                              .flush = chase_flush_bytes(micro)};
    struct device_value *overhead = &micro->device->values[DEVICE_CHASE_OVERHEAD];

    *overhead = (struct device_value){.known = true};
    snprintf(overhead->origin, sizeof overhead->origin, "far chase");
    return level(micro, DEVICE_DRAM_LATENCY, DEVICE_CURVE_LATENCY_DRAM_SM, &far, err);
}

static void set_number(struct device_value *out, double number, const char *origin)
{
    *out = (struct device_value){.known = true, .sustained = number, .best = number};
    snprintf(out->origin, sizeof out->origin, "%s", origin);
}

/* The curve of one SM over growing footprints. */
static int sweep(struct device_curve *out, const struct micro *micro, const double *bytes, size_t count,
                 struct chase chase, uint64_t spacing_min, const char *origin, struct err *err)
{
    double *cycles = calloc(count, sizeof *cycles);
    int rc = cycles ? 0 : err_memory(err);

    for (size_t i = 0; rc == 0 && i < count; i++) {
        const double elements = bytes[i] / (double)spacing_min;
        const bool beyond = bytes[i] > 2.0 * (double)micro->device->limits.l2_bytes && spacing_min < 4096;

        chase.count = (unsigned)(elements < CYCLE_MAX ? elements : CYCLE_MAX);
        chase.spacing = (uint64_t)(bytes[i] / chase.count) / 8 * 8;
        chase.warm = beyond ? 0 : chase.count;
        chase.flush = beyond ? chase_flush_bytes(micro) : 0;
        rc = chase_run(&cycles[i], NULL, micro, &chase, err);
    }
    if (rc == 0)
        rc = device_curve_set(out, bytes, cycles, count, origin, err);
    free(cycles);
    return rc;
}

static size_t geometric(double *out, size_t n, size_t capacity, double first, double last, double factor)
{
    for (double x = first; x <= last * 1.001 && n < capacity; x *= factor) {
        const double bytes = (double)((uint64_t)(x / LINE + 0.5) * LINE);

        if (n == 0 || bytes > out[n - 1])
            out[n++] = bytes;
    }
    return n;
}

/* Octaves, and close steps where a level ends. */
static size_t footprints(double *out, size_t capacity, const struct device_limits *limits)
{
    const double l1 = (double)limits->unified_bytes, l2 = (double)limits->l2_bytes;
    size_t n = geometric(out, 0, capacity, 4096, l1 / 2.1, 2);

    n = geometric(out, n, capacity, l1 / 2, l1 * 1.5, 1.0905077326652577);
    n = geometric(out, n, capacity, l1 * 2, l2 / 4.1, 2);
    n = geometric(out, n, capacity, l2 / 4, l2 * 1.5, 1.189207115002721);
    return geometric(out, n, capacity, l2 * 2, (double)CHASE_ARRAY, 2);
}

static int footprint(const struct micro *micro, struct err *err)
{
    enum { POINTS = 64 };
    struct device_curve *curve = &micro->device->curves[DEVICE_CURVE_LATENCY_FOOTPRINT];
    struct infer_hierarchy found;
    double bytes[POINTS];
    const size_t count = footprints(bytes, POINTS, &micro->device->limits);
    int rc = sweep(curve, micro, bytes, count, (struct chase){.load = CHASE_CA, .blocks = 1}, LINE,
                   "far footprint", err);

    if (rc == 0)
        rc = infer_levels(&found, &(struct infer_curve){curve->count, curve->x, curve->y, LINE}, err);
    if (rc)
        return rc;
    for (size_t l = 0; l < found.count && l < 2; l++)
        set_number(&micro->device->values[l ? DEVICE_L2_BYTES : DEVICE_L1_BYTES],
                   reduce_fits(curve->x, curve->y, curve->count, found.level[l].latency), "far footprint");
    return 0;
}

/* Elements in order, past L1: as long as the stride is below what a miss brings, some loads hit. */
static int line_and_sector(const struct micro *micro, struct err *err)
{
    static const double strides[] = {8, 16, 24, 32, 48, 64, 96, 128, 192, 256};
    enum { POINTS = sizeof strides / sizeof *strides };
    struct device_value *values = micro->device->values;
    double cycles[POINTS], plateau = 0;
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < POINTS; i++) {
        const unsigned count = (unsigned)(MB / strides[i]);
        const struct chase c = {.load = CHASE_CA,
                                .blocks = 1,
                                .count = count,
                                .spacing = (uint64_t)strides[i],
                                .warm = count,
                                .strided = true};

        rc = chase_run(&cycles[i], NULL, micro, &c, err);
        plateau = cycles[i] > plateau ? cycles[i] : plateau;
    }
    if (rc == 0)
        rc = device_curve_set(&micro->device->curves[DEVICE_CURVE_LATENCY_STRIDE], strides, cycles, POINTS,
                              "far stride", err);
    for (size_t i = POINTS; rc == 0 && i > 0 && cycles[i - 1] > 0.9 * plateau; i--)
        set_number(&values[DEVICE_SECTOR_BYTES], strides[i - 1], "far stride");
    return rc;
}

static uint64_t page_array(const struct micro *micro)
{
    return micro->device->limits.memory_bytes / 100 * 85;
}

/* Most of the memory with elements farther and farther apart, few enough to stay in L2: translations miss as
 * long as there are more elements than entries, whatever memory an entry spans. */
static int spans(const struct micro *micro, struct err *err)
{
    enum { POINTS = 12, LEAST = 8 };
    const uint64_t array = page_array(micro);
    double strides[POINTS], cycles[POINTS];
    size_t count = 0;
    int rc = 0;

    for (double stride = 2 * MB; rc == 0 && count < POINTS && (double)array / stride >= LEAST; stride *= 2) {
        const uint64_t spacing = (uint64_t)stride + LINE;
        const unsigned elements = (unsigned)(array / spacing);
        const struct chase chase = {.load = CHASE_CG,
                                    .blocks = 1,
                                    .count = elements,
                                    .spacing = spacing,
                                    .warm = elements,
                                    .array = array};

        rc = chase_run(&cycles[count], NULL, micro, &chase, err);
        strides[count++] = stride;
    }
    return rc ? rc
              : device_curve_set(&micro->device->curves[DEVICE_CURVE_LATENCY_SPANS], strides, cycles, count,
                                 "far pages", err);
}

/* The largest distance of elements at which translations miss: what an entry spans. 0: none does. */
static double entry_span(const struct device_curve *curve)
{
    const double hit = stats_quantile(curve->y, curve->count, 0);
    double span = 0;

    for (size_t i = 0; i < curve->count; i++)
        span = curve->y[i] > 1.05 * hit ? curve->x[i] : span;
    return span;
}

/* A growing footprint with an element an entry. */
static int translation(const struct micro *micro, struct err *err)
{
    enum { POINTS = 48 };
    const double array = (double)page_array(micro),
                 span = entry_span(&micro->device->curves[DEVICE_CURVE_LATENCY_SPANS]);
    const uint64_t spacing = (uint64_t)span + LINE;
    struct device_value *values = micro->device->values;
    struct device_curve *curve = &micro->device->curves[DEVICE_CURVE_LATENCY_PAGES];
    const struct chase chase = {.load = CHASE_CG, .blocks = 1, .array = page_array(micro)};
    double bytes[POINTS], hit, reach;
    size_t count;
    int rc;

    if (span <= 0)
        return err_set(err, ERR_FORMAT, "no step up to %.0f MB: the reach is larger", array / MB);
    count = geometric(bytes, 0, POINTS, 16 * (double)spacing, array / 3, 1.4142135623730951);
    count = geometric(bytes, count, POINTS, array / 2.9, array, 1.0905077326652577);
    rc = sweep(curve, micro, bytes, count, chase, spacing, "far pages", err);
    if (rc)
        return rc;
    hit = stats_median(curve->y, count / 2);
    reach = reduce_fits(bytes, curve->y, count, hit);
    set_number(&values[DEVICE_TLB_REACH], reach, "far pages");
    set_number(&values[DEVICE_TLB_MISS_LATENCY], curve->y[count - 1] - hit, "far pages");
    return device_note(
        micro->device, err,
        "tlb: translations reach %.3g GB; misses with elements up to %.0f MB apart: %.0f entries of as "
        "much, if they are full",
        reach / 1024 / MB, span / MB, reach / span);
}

int micro_far_latency(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {
        {"l1_latency", l1_latency, false},
        {"l2_latency", l2_latency, false},
        {"l2_near_latency", l2_near_and_far, true},
        {"dram_latency", dram_latency, false},
        {"latency_footprint", footprint, false},
        {"latency_stride", line_and_sector, true},
        {"latency_spans", spans, true},
        {"tlb_reach", translation, true},
    };

    return micro_parts(micro, parts, sizeof parts / sizeof *parts, err);
}
