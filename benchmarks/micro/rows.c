/* Rows in DRAM that thread blocks walk along by bulk copies, each its own.
 *
 * Isolates: as many bytes under way on an SM, by few blocks with much of a row each or by many with little, and rows that
 * lie a power of two apart or 4 KB more; one block an SM with more and more under way, and when each SM has done.
 *
 * Unit: speed relative to rows 4 KB further apart; relative to the other SMs; SMs.
 *
 * Expected: no difference. An NVIDIA H200 reads rows a multiple of 128 KB apart slower where each block has 8 KB under way,
 * and serves 24 of 132 SMs better once 96 KB of each are under way: those that share their way to L2 with three others, not
 * with five.
 *
 * Profile: dram_favoured; curves dram_favour, dram_in_step. */
#include "micro/micro.h"
#include "model/sass/arch/arch.h"
#include "base/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 32, ROW = 256 << 10, MORE = 4 << 10, TOGETHER = 128 << 10 };
#define BYTES  (UINT64_C(1) << 31) /* as dram.c, so that the buffers are filled once */
#define SAMPLE 1e-3
#define AROUND                                                                                               \
    MICRO_LOOP " SYNCS LOP3 IMAD UIMAD LEA SHF S2UR SEL ULEA ULOP3 USHF R2UR ELECT BSSY BSYNC WARPSYNC "     \
               "UPRMT USEL LDS VOTEU PRMT USETP UPLOP3 VOTE"

struct ring {
    unsigned piece, stages, blocks_per_sm, pieces; /* of a row */
    uint64_t distance;
};

static int compile_rows(struct micro_code *out, const struct micro *micro, const struct ring *ring,
                        struct err *err)
{
    char size[32], stages[32];
    const struct micro_kernel kernel = {
        .file = "rows.cu",
        .name = "rows_read",
        .options = {size, stages},
        .body = {.parts = "- | UBLKCP", .bookkeeping = AROUND, .any_order = true},
    };

    snprintf(size, sizeof size, "-DPIECE=%u", ring->piece);
    snprintf(stages, sizeof stages, "-DSTAGES=%u", ring->stages);
    return micro_compile(out, micro, &kernel, err);
}

static void call_rows(struct call *call, const struct micro *micro, const struct ring *ring)
{
    call_init(call, micro->sms * ring->blocks_per_sm, THREADS, ring->piece * ring->stages);
    call_in(call, "in", BYTES / 4);
    call_sink(call, "sink", micro);
    call_spans(call, micro);
    call_long(call, ring->distance);
    call_unsigned(call, ring->pieces);
}

/* In step ---------------------------------------------------------------------------------------------------- */

static int time_rows(double *seconds, const struct micro *micro, const struct ring *ring, struct err *err)
{
    struct device_value value;
    struct micro_code code;
    struct trial trial;
    struct call call;
    int rc = compile_rows(&code, micro, ring, err);

    if (rc)
        return rc;
    call_rows(&call, micro, ring);
    rc = call_time(&trial, micro, &code, &call, SAMPLE, err);
    if (rc == 0)
        rc = reduce_runs(&value, trial.samples_s, trial.sample_count, false, "rows", err);
    *seconds = rc ? 0 : value.sustained;
    trial_release(&trial);
    micro_code_release(&code);
    return rc;
}

static int in_step(const struct micro *micro, struct err *err)
{
    static const unsigned stages[] = {2, 4, 8};
    enum { POINTS = sizeof stages / sizeof *stages, PIECE = 4 << 10 };
    double x[POINTS], y[POINTS], together, apart;
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < POINTS; i++) {
        struct ring ring = {PIECE, stages[i], TOGETHER / PIECE / stages[i], ROW / PIECE, ROW};

        rc = time_rows(&together, micro, &ring, err);
        ring.distance += MORE;
        if (rc == 0)
            rc = time_rows(&apart, micro, &ring, err);
        x[i] = PIECE * stages[i];
        y[i] = rc ? 0 : fmin(apart / together, 1);
    }
    return rc ? rc
              : device_curve_set(&micro->device->curves[DEVICE_CURVE_DRAM_IN_STEP], x, y, POINTS, "rows",
                                 err);
}

/* Who is favoured -------------------------------------------------------------------------------------------- */

static int by_length(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* How long each SM takes for its row, the shortest first: cycles[micro->sms]. */
static int time_sms(double *cycles, const struct micro *micro, const struct ring *ring, struct err *err)
{
    struct span *spans = NULL;
    struct micro_code code;
    struct call call;
    int rc = compile_rows(&code, micro, ring, err);

    if (rc)
        return rc;
    call_rows(&call, micro, ring);
    rc = call_run((void **)&spans, micro, &code, &call, "spans", err);
    for (unsigned b = 0; rc == 0 && b < micro->sms; b++)
        cycles[b] = (double)(spans[b].stop - spans[b].start);
    if (rc == 0)
        qsort(cycles, micro->sms, sizeof *cycles, by_length);
    free(spans);
    micro_code_release(&code);
    return rc;
}

/* How much faster the first `n` of the SMs went than the others, while these had to share with them. */
static double favour_of(const double *cycles, unsigned n, unsigned sms)
{
    const double first = stats_mean(cycles, n), then = stats_mean(cycles + n, sms - n);
    /* what the first left to the others when they had done */
    const double gained = (then - first) * n / (first * (sms - n));

    return then / (first * (1 - gained));
}

/* The others take the same time but for some hundredths. */
static unsigned count_favoured(const double *cycles, unsigned sms)
{
    const double usual = cycles[sms / 2];
    unsigned n = 0;

    while (cycles[n] < 0.9 * usual)
        n++;
    return n;
}

static int favoured(const struct micro *micro, struct err *err)
{
    static const unsigned stages[] = {12, 8, 6, 4}; /* the deepest queue tells who they are */
    enum { POINTS = sizeof stages / sizeof *stages, PIECE = 16 << 10, PIECES = 256 };
    double *cycles = calloc(micro->sms, sizeof *cycles), x[POINTS], y[POINTS];
    struct device_value *value = &micro->device->values[DEVICE_DRAM_FAVOURED];
    unsigned n = 0;
    int rc = cycles ? 0 : err_memory(err);

    for (size_t i = 0; rc == 0 && i < POINTS; i++) {
        const struct ring ring = {PIECE, stages[i], 1, PIECES, (uint64_t)PIECE * PIECES + MORE};
        const size_t at = POINTS - 1 - i;

        rc = time_sms(cycles, micro, &ring, err);
        if (i == 0 && rc == 0)
            n = count_favoured(cycles, micro->sms);
        x[at] = PIECE * stages[i];
        y[at] = rc == 0 && n > 0 ? fmax(favour_of(cycles, n, micro->sms), 1) : 1;
    }
    free(cycles);
    if (rc)
        return rc;
    *value = (struct device_value){.known = true, .best = n, .sustained = n};
    snprintf(value->origin, sizeof value->origin, "rows");
    return device_curve_set(&micro->device->curves[DEVICE_CURVE_DRAM_FAVOUR], x, y, POINTS, "rows", err);
}

int micro_rows(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"dram_in_step", in_step, false}, {"dram_favoured", favoured, false}};
    const struct arch *arch = arch_of(micro->device->sm);

    return arch && arch->bulk_copies ? micro_parts(micro, parts, sizeof parts / sizeof *parts, err) : 0;
}
