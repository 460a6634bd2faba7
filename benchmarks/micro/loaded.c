/* Latency under load.
 *
 * Isolates: the mean latency of a load while others are in flight: each chain of a warp waits for its own
 * loads alone, so latency = time x chains in flight / loads, by Little's law, whatever the queue. Warps
 * and chains set the load.
 *
 * Unit: cycles against bytes per cycle and SM. The address arithmetic of a step, which an idle level shows
 * above its latency by the chase, is subtracted; in shared memory and L1 there is none, each word holds
 * the address of the next.
 *
 * Expected: flat at the unloaded latency, then rising, then a wall at the level's throughput.
 *
 * Beside stores: a chain of a warp walks lines anywhere in DRAM while other warps store. DRAM goes from reads to writes and back
 * as seldom as it can: a load waits the longer the more is written, also where DRAM has time for more.
 *
 * Profile: curves loaded_shared, loaded_l1, loaded_l2, loaded_dram, loaded_dram_write. */
#include "micro/micro.h"
#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 8, LINE_WORDS = LINE / 4 };
enum { WALK = 400, REST = 4000, ROW_BYTES = 512 }; /* steps; cycles from one storing of a warp to the next */
#define FAR_BYTES    (UINT64_C(1) << 32)
#define STORED_BYTES (UINT64_C(1) << 30)
#define AROUND       MICRO_LOOP " LOP3 IMAD LEA IADD3.X ULEA S2UR R2UR"

struct load_level {
    enum device_curve_id curve;
    const char *read, *define; /* "-DREAD(p)=...", "-DLEVEL_SHARED", "-DLEVEL_POINTERS" or null */
    unsigned width;            /* bytes a lane loads */
    const char *instruction;
    uint64_t bytes; /* of the window, a power of two */
    unsigned step;  /* words from one load of a chain to the next */
    unsigned passes;
};

static int compile_loaded(struct micro_code *out, const struct micro *micro, const struct load_level *level,
                          unsigned chains, struct err *err)
{
    char option[32], parts[32];
    const struct micro_kernel kernel = {
        .file = "loaded.cu",
        .name = "loaded",
        .options = {level->read, option, "-DSTEPS=8", level->define},
        .body = {.parts = parts, .bookkeeping = AROUND, .bytes_max = BODY_CACHE},
    };

    snprintf(option, sizeof option, "-DCHAINS=%u", chains);
    snprintf(parts, sizeof parts, "- | %s*%u", level->instruction, STEPS * chains);
    return micro_compile(out, micro, &kernel, err);
}

/* One point: cycles of a step of a chain, and bytes per cycle and SM. */
static int run_loaded(double *bytes, double *cycles, const struct micro *micro,
                      const struct load_level *level, unsigned warps, unsigned chains, struct err *err)
{
    const uint64_t all = (uint64_t)micro->sms * warps;
    const uint64_t words = level->bytes / level->width;
    const bool shared = level->define && !strcmp(level->define, "-DLEVEL_SHARED");
    struct device_value rate;
    struct micro_code code;
    struct call call;
    int rc = compile_loaded(&code, micro, level, chains, err);

    if (rc)
        return rc;
    call_init(&call, micro->sms, LANES * warps, shared ? (unsigned)level->bytes : 0);
    call_zeros(&call, "zeros", ROLE_OUT, shared ? LANES : level->bytes / 4);
    call_sink(&call, "sink", micro);
    call_spans(&call, micro);
    call_int(&call, (int)level->passes);
    call_unsigned(&call, level->step);
    call_unsigned(&call, (unsigned)(words - 1));
    call_unsigned(&call, (unsigned)(words / (all * chains) / LINE_WORDS * LINE_WORDS));
    call_unsigned(&call, level->bytes <= micro->device->limits.l2_bytes ? (unsigned)words : 0);
    rc = micro_rate(&rate, micro, &code, &call, (double)level->passes * STEPS * chains, 1, "loaded", err);
    if (rc == 0) {
        /* rate: loads per cycle and SM; in flight: warps x chains */
        *bytes = rate.sustained * LANES * level->width;
        *cycles = warps * chains / rate.sustained;
    }
    micro_code_release(&code);
    return rc;
}

static int by_load(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The arithmetic of a step is what an idle level shows above its latency by the chase. */
static double overhead(const struct micro *micro, enum device_value_id latency, double idle)
{
    const struct device_value *known = &micro->device->values[latency];

    return known->known && idle > known->sustained ? idle - known->sustained : 0;
}

static int sweep(const struct micro *micro, const struct load_level *level, enum device_value_id latency,
                 struct err *err)
{
    static const unsigned loads[][2] = {{1, 1},  {2, 1},  {4, 1},  {8, 1},  {12, 1}, {16, 1}, {24, 1},
                                        {32, 1}, {24, 2}, {32, 2}, {24, 4}, {32, 4}, {32, 8}};
    enum { POINTS = sizeof loads / sizeof *loads };
    double points[POINTS][2], x[POINTS], y[POINTS], arithmetic, idle = INFINITY;
    size_t kept = 0;
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < POINTS; i++)
        rc = run_loaded(&points[i][0], &points[i][1], micro, level, loads[i][0], loads[i][1], err);
    if (rc)
        return rc;
    for (size_t i = 0; i < POINTS; i++)
        idle = points[i][1] < idle ? points[i][1] : idle;
    arithmetic = overhead(micro, latency, idle);
    qsort(points, POINTS, sizeof *points, by_load);
    for (size_t i = 0; i < POINTS; i++) {
        bool beaten = kept > 0 && points[i][0] <= x[kept - 1] * 1.001;

        for (size_t j = i + 1; j < POINTS; j++) /* past the wall: more in flight, and no more for it */
            beaten |= points[j][1] <= points[i][1];
        if (beaten)
            continue;
        x[kept] = points[i][0];
        y[kept++] = points[i][1] - arithmetic;
    }
    return device_curve_set(&micro->device->curves[level->curve], x, y, kept, "loaded", err);
}

static int shared(const struct micro *micro, struct err *err)
{
    const struct load_level level = {
        DEVICE_CURVE_LOADED_SHARED, "-DREAD(p)=*(p)", "-DLEVEL_SHARED", 4, "LDS", 32768, 32, 256};

    return sweep(micro, &level, DEVICE_SHARED_LATENCY, err);
}

static int l1(const struct micro *micro, struct err *err)
{
    const struct load_level level = {
        DEVICE_CURVE_LOADED_L1, "-DREAD(p)=*(p)", "-DLEVEL_POINTERS", 8, "LDG", 32768, 32, 256};

    return sweep(micro, &level, DEVICE_L1_LATENCY, err);
}

static int l2(const struct micro *micro, struct err *err)
{
    const struct load_level level = {
        DEVICE_CURVE_LOADED_L2, "-DREAD(p)=__ldcg(p)", NULL, 4, "LDG", 16 << 20, 33 * 32, 64};

    return sweep(micro, &level, DEVICE_L2_LATENCY, err);
}

static int dram(const struct micro *micro, struct err *err)
{
    const struct load_level level = {
        DEVICE_CURVE_LOADED_DRAM, "-DREAD(p)=__ldcg(p)", NULL, 4, "LDG", FAR_BYTES, 32, 32};

    return sweep(micro, &level, DEVICE_DRAM_LATENCY, err);
}

/* One point: bytes stored per cycle and SM, and cycles of a step of the walk, by `writers` warps. */
static int run_by_stores(double *bytes, double *cycles, const struct micro *micro,
                         const struct micro_code *code, unsigned writers, struct err *err)
{
    double walked = 0, steps = 0, rows = 0;
    int64_t *samples = NULL;
    struct call call;
    int rc;

    call_init(&call, micro->sms, LANES * (1 + writers), 0);
    call_zeros(&call, "zeros", ROLE_OUT, FAR_BYTES / 4);
    call_zeros(&call, "stored", ROLE_INOUT, STORED_BYTES / 4);
    call_samples(&call, micro);
    call_int(&call, WALK);
    call_unsigned(&call, (unsigned)(FAR_BYTES / 4 - 1));
    call_unsigned(&call, (unsigned)(STORED_BYTES / ROW_BYTES - 1));
    call_int(&call, REST);
    rc = call_run((void **)&samples, micro, code, &call, "samples", err);
    for (unsigned block = 0; !rc && block < micro->sms; block++) {
        walked += (double)samples[4 * block];
        steps += (double)samples[4 * block + 1];
        rows += (double)samples[4 * block + 2];
    }
    free(samples);
    if (rc == 0) {
        *cycles = walked / steps;
        *bytes = (writers ? rows * ROW_BYTES / walked : 0) + LINE * steps / walked;
    }
    return rc;
}

static int dram_by_stores(const struct micro *micro, struct err *err)
{
    static const unsigned writers[] = {0, 1, 2, 4, 6, 8, 10, 12, 14, 16, 20, 24};
    enum { POINTS = sizeof writers / sizeof *writers };
    const struct micro_kernel kernel = {
        .file = "loaded.cu",
        .name = "loaded_by_stores",
        .options = {"-DREAD(p)=*(p)", "-DSTEPS=8", "-DCHAINS=1"},
        .body = {.bookkeeping = AROUND " STG LDG IADD3 SHF BSSY BSYNC BRA ISETP ATOMS LDS STS BAR",
                 .any_order = true},
    };
    double x[POINTS], y[POINTS], bytes = 0, cycles = 0, idle = 0;
    struct micro_code code;
    size_t kept = 0;
    int rc = micro_compile(&code, micro, &kernel, err);

    if (rc)
        return rc;
    for (size_t i = 0; i < POINTS && !rc; i++) {
        rc = run_by_stores(&bytes, &cycles, micro, &code, writers[i], err);
        idle = i ? idle : cycles;
        x[kept] = bytes;
        y[kept] = device_sustained(micro->device, DEVICE_DRAM_LATENCY) + cycles - idle;
        kept += !rc && (!kept || bytes > x[kept - 1] * 1.001);
    }
    micro_code_release(&code);
    return rc ? rc
              : device_curve_set(&micro->device->curves[DEVICE_CURVE_LOADED_DRAM_WRITE], x, y, kept, "loaded",
                                 err);
}

int micro_loaded(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"loaded_shared", shared, false},
                                        {"loaded_l1", l1, true},
                                        {"loaded_l2", l2, false},
                                        {"loaded_dram", dram, false},
                                        {"loaded_dram_write", dram_by_stores, false}};

    return micro_parts(micro, parts, sizeof parts / sizeof *parts, err);
}
