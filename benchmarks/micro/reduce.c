#include "micro/reduce.h"

#include "base/stats.h"
#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int reduce_runs(struct device_value *out, const double *runs, size_t count, bool higher, const char *origin,
                struct err *err)
{
    if (count == 0)
        return err_set(err, ERR_FORMAT, "no run to take a value from");
    for (size_t i = 0; i < count; i++)
        if (!isfinite(runs[i]) || runs[i] < 0)
            return err_set(err, ERR_FORMAT, "run %zu gave %g", i, runs[i]);
    *out = (struct device_value){
        .known = true,
        .sustained = stats_median(runs, count),
        .best = stats_quantile(runs, count, higher ? 1 : 0),
        .spread = stats_iqr(runs, count),
    };
    snprintf(out->origin, sizeof out->origin, "%s", origin);
    return 0;
}

void reduce_samples(double *out, const int64_t *samples, size_t blocks, double steps)
{
    double lanes[LANES];

    for (size_t b = 0; b < blocks; b++) {
        for (int l = 0; l < LANES; l++)
            lanes[l] = (double)samples[b * LANES + (size_t)l];
        out[b] = stats_median(lanes, LANES) / steps;
    }
}

static int by_place(const void *a, const void *b)
{
    const uint64_t x = ((const struct span *)a)->place, y = ((const struct span *)b)->place;
    const uint64_t sm_x = x & UINT32_MAX, sm_y = y & UINT32_MAX;

    return sm_x != sm_y ? (sm_x > sm_y) - (sm_x < sm_y) : (x > y) - (x < y);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Blocks of an SM with their whole time, from warps sorted by block; returns how many. */
static size_t blocks_of(struct span *out, const struct span *warps, size_t count)
{
    size_t blocks = 0;

    for (size_t i = 0; i < count; i++) {
        struct span *block;

        if (blocks == 0 || out[blocks - 1].place != warps[i].place)
            out[blocks++] = warps[i];
        block = &out[blocks - 1];
        block->enter = least(block->enter, warps[i].enter);
        block->start = most_of(block->start, warps[i].start);
        block->stop = most_of(block->stop, warps[i].stop);
    }
    return blocks;
}

/* The most blocks of an SM that were there when one of them began. */
static unsigned most_at_once(const struct span *blocks, size_t count)
{
    unsigned most = 0;

    for (size_t i = 0; i < count; i++) {
        unsigned there = 0;

        for (size_t j = 0; j < count; j++)
            there += blocks[j].enter <= blocks[i].enter && blocks[i].enter < blocks[j].stop;
        most = there > most ? there : most;
    }
    return most;
}

static void sum_up(struct sm_time *out, struct span *merged, const struct span *warps, size_t count)
{
    const size_t blocks = blocks_of(merged, warps, count);
    int64_t first = merged[0].enter, last = merged[0].stop;

    for (size_t i = 1; i < blocks; i++) {
        first = least(first, merged[i].enter);
        last = most_of(last, merged[i].stop);
    }
    *out = (struct sm_time){
        .sm = (unsigned)(warps[0].place & UINT32_MAX),
        .warps = (unsigned)count,
        .blocks = (unsigned)blocks,
        .most = most_at_once(merged, blocks),
        .cycles = blocks == 1 ? (double)(merged[0].stop - merged[0].start) : NAN,
        .lifetime = (double)(last - first),
    };
}

size_t reduce_spans(struct sm_time *out, size_t capacity, const struct span *spans, size_t count)
{
    struct span *sorted = malloc((count ? count : 1) * sizeof *sorted);
    struct span *merged = malloc((count ? count : 1) * sizeof *merged);
    size_t sms = 0;

    for (size_t i = 0; sorted && i < count; i++)
        sorted[i] = spans[i];
    if (sorted && merged) {
        qsort(sorted, count, sizeof *sorted, by_place);
        for (size_t i = 0, next; i < count && sms < capacity; i = next) {
            for (next = i; next < count && (uint32_t)sorted[next].place == (uint32_t)sorted[i].place;)
                next++;
            sum_up(&out[sms++], merged, sorted + i, next - i);
        }
    }
    free(sorted);
    free(merged);
    return sms;
}

double reduce_fits(const double *x, const double *y, size_t count, double plateau)
{
    double fits = 0;

    for (size_t i = 0; i < count && y[i] <= 1.05 * plateau; i++)
        fits = x[i];
    return fits;
}
