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
#include "micro/micro.h"

#include "base/stats.h"
#include "model/infer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 64, LINE = 128, THREADS = 256, CYCLE_MAX = 1 << 20 };

#define ARRAY (UINT64_C(1) << 32) /* one size for all, so that it is allocated once */

#define MB (1024.0 * 1024)
#define CA "ld.global.u64"
#define CG "ld.global.cg.u64"
#define NC "ld.global.nc.u64"

struct chase {
    const char *load;
    unsigned blocks;
    unsigned count;   /* elements of the cycle */
    uint64_t spacing; /* bytes between them */
    unsigned warm;    /* steps before the samples */
    uint64_t flush;
    bool strided; /* the next element in memory instead of a random one */
};

static int compile_chase(struct micro_code *out, const struct micro *micro, const char *load, struct err *err)
{
    char option[64];
    const struct micro_kernel kernel = {
        .file = "chase.cu",
        .name = "chase",
        .options = {option},
        .body = {.parts = "LDG*64", .dependent = true, .bytes_max = BODY_CACHE},
    };

    snprintf(option, sizeof option, "-DLOAD=\"%s\"", load);
    return micro_compile(out, micro, &kernel, err);
}

static uint64_t flush_bytes(const struct micro *micro)
{
    return 3 * micro->device->limits.l2_bytes;
}

/* Cycles per step of each block into runs[blocks], and its SM into sms[blocks] (may be null). */
static int run_chase(double *runs, unsigned *sms, const struct micro *micro, const struct chase *c,
                     struct err *err)
{
    void *out[2] = {NULL, NULL};
    char path[1024] = "";
    struct micro_code code;
    struct call call;
    int rc = micro_cycle(path, micro, c->count, c->blocks, !c->strided, err);

    if (rc == 0)
        rc = compile_chase(&code, micro, c->load, err);
    if (rc)
        return rc;
    call_init(&call, c->blocks, THREADS, 0);
    call_file(&call, "order", ELEMENT_UINT32, c->count + c->blocks, path);
    call_zeros(&call, "array", ROLE_OUT, (ARRAY + flush_bytes(micro)) / 4);
    call_zeros(&call, "control", ROLE_INOUT, 4);
    call_samples(&call, micro);
    call_out(&call, "sms", ELEMENT_UINT32, micro->sms);
    call_unsigned(&call, c->count);
    call_long(&call, c->spacing);
    call_unsigned(&call, c->warm);
    call_long(&call, c->flush);
    rc = call_run_two(out, micro, &code, &call, "samples", "sms", err);
    unlink(path);
    if (rc == 0)
        reduce_samples(runs, out[0], c->blocks, STEPS);
    for (unsigned b = 0; rc == 0 && sms && b < c->blocks; b++)
        sms[b] = ((unsigned *)out[1])[b];
    free(out[0]);
    free(out[1]);
    call_release(&call);
    micro_code_release(&code);
    return rc;
}

/* On every SM in turn. Also the curve over SMs where one is wanted. */
static int chase_sms(struct device_value *out, struct device_curve *curve, double *runs,
                     const struct micro *micro, const struct chase *chase, const char *origin,
                     struct err *err)
{
    double *x = calloc(micro->sms, sizeof *x), *y = calloc(micro->sms, sizeof *y);
    unsigned *sms = calloc(micro->sms, sizeof *sms);
    size_t seen = 0;
    int rc = x && y && sms ? run_chase(runs, sms, micro, chase, err) : err_memory(err);

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
    const struct chase ca = {CA, micro->sms, 64, LINE, 128, 0, false};
    const struct chase nc = {NC, micro->sms, 64, LINE, 128, 0, false};
    int rc = level(micro, DEVICE_L1_LATENCY, -1, &ca, err);

    return rc ? rc : level(micro, DEVICE_READONLY_LATENCY, -1, &nc, err);
}

static int l2_latency(const struct micro *micro, struct err *err)
{
    const struct chase many = {CG, micro->sms, 1 << 16, LINE, 0, 0, false};

    return level(micro, DEVICE_L2_LATENCY, -1, &many, err);
}

/* One line, asked for by every SM: those near its slice answer sooner. */
static int l2_near_and_far(const struct micro *micro, struct err *err)
{
    const struct chase one = {CG, micro->sms, 1, LINE, 0, 0, true};
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
    const struct chase far = {CG, micro->sms, 1 << 21, 2048, 0, flush_bytes(micro), false};
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
        chase.flush = beyond ? flush_bytes(micro) : 0;
        rc = run_chase(&cycles[i], NULL, micro, &chase, err);
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
    return geometric(out, n, capacity, l2 * 2, (double)ARRAY, 2);
}

static int footprint(const struct micro *micro, struct err *err)
{
    enum { POINTS = 64 };
    struct device_curve *curve = &micro->device->curves[DEVICE_CURVE_LATENCY_FOOTPRINT];
    struct infer_hierarchy found;
    double bytes[POINTS];
    const size_t count = footprints(bytes, POINTS, &micro->device->limits);
    int rc = sweep(curve, micro, bytes, count, (struct chase){.load = CA, .blocks = 1}, LINE, "far footprint",
                   err);

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
    static const double strides[] = {8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512};
    enum { POINTS = sizeof strides / sizeof *strides };
    struct device_value *values = micro->device->values;
    double cycles[POINTS], plateau = 0;
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < POINTS; i++) {
        const unsigned count = (unsigned)(MB / strides[i]);
        const struct chase c = {CA, 1, count, (uint64_t)strides[i], count, 0, true};

        rc = run_chase(&cycles[i], NULL, micro, &c, err);
        plateau = cycles[i] > plateau ? cycles[i] : plateau;
    }
    if (rc == 0)
        rc = device_curve_set(&micro->device->curves[DEVICE_CURVE_LATENCY_STRIDE], strides, cycles, POINTS,
                              "far stride", err);
    for (size_t i = 0; rc == 0 && i < POINTS; i++)
        if (cycles[i] > 0.95 * plateau) {
            set_number(&values[DEVICE_SECTOR_BYTES], strides[i], "far stride");
            break;
        }
    return rc;
}

/* Pages: elements 2 MB and a line apart, few enough to stay in L2, so that only the translation can miss. */
static int translation(const struct micro *micro, struct err *err)
{
    enum { POINTS = 32 };
    const uint64_t spacing = (uint64_t)(2 * MB) + LINE;
    struct device_value *values = micro->device->values;
    struct device_curve *curve = &micro->device->curves[DEVICE_CURVE_LATENCY_PAGES];
    struct infer_hierarchy found;
    double bytes[POINTS];
    size_t count = geometric(bytes, 0, POINTS, 16 * (double)spacing, (double)ARRAY, 1.4142135623730951);
    int rc =
        sweep(curve, micro, bytes, count, (struct chase){.load = CG, .blocks = 1}, spacing, "far pages", err);

    if (rc == 0)
        rc = infer_levels(&found, &(struct infer_curve){curve->count, curve->x, curve->y, (double)spacing},
                          err);
    if (rc)
        return rc;
    if (found.count == 0)
        return err_set(err, ERR_FORMAT, "no step up to %.0f MB: the reach is larger", bytes[count - 1] / MB);
    set_number(&values[DEVICE_TLB_REACH], found.level[0].bytes, "far pages");
    set_number(&values[DEVICE_TLB_MISS_LATENCY],
               (found.count > 1 ? found.level[1].latency : found.beyond) - found.level[0].latency,
               "far pages");
    return 0;
}

int micro_far_latency(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {
        {"l1_latency", l1_latency},           {"l2_latency", l2_latency},
        {"l2_near_latency", l2_near_and_far}, {"dram_latency", dram_latency},
        {"latency_footprint", footprint},     {"latency_stride", line_and_sector},
        {"tlb_reach", translation},
    };

    return micro_parts(micro, parts, sizeof parts / sizeof *parts, err);
}
