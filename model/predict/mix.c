#include "model/predict/mix.h"

#include <stdlib.h>

/* The share of a mean block's work below which one is over as soon as it has begun. */
static const double NEXT_TO_NOTHING = 1. / 16;

/* What the sampled blocks with `least` work or more weigh. */
static double weight_of(const struct emulate_result *emulation, double least)
{
    double weight = 0;

    for (size_t b = 0; b < emulation->block_count; b++)
        weight += (double)emulation->blocks[b].issued >= least ? emulation->blocks[b].weight : 0;
    return weight;
}

static double mean_work(const struct emulate_result *emulation)
{
    double work = 0;

    for (size_t b = 0; b < emulation->block_count; b++)
        work += emulation->blocks[b].weight * (double)emulation->blocks[b].issued;
    return work / weight_of(emulation, 0);
}

static size_t common_divisor(size_t a, size_t b)
{
    return b ? common_divisor(b, a % b) : a;
}

/* By how much to go on around n places, so that all are come to, and neighbours by turns that are far apart. */
static size_t step_apart(size_t n)
{
    size_t step = (size_t)(0.618 * (double)n) + 1;

    while (common_divisor(step, n) != 1)
        step++;
    return step;
}

static int by_work(const void *a, const void *b)
{
    const struct emulate_block *const *x = a, *const *y = b;

    return ((*x)->issued > (*y)->issued) - ((*x)->issued < (*y)->issued);
}

/* The sampled blocks, those with less work first: places that are fewer than them take the middle of each part. */
static void order_by_work(const struct emulate_block **out, const struct emulate_result *emulation)
{
    for (size_t b = 0; b < emulation->block_count; b++)
        out[b] = &emulation->blocks[b];
    qsort(out, emulation->block_count, sizeof *out, by_work);
}

/* The blocks that an SM's `n` places hold: of the sampled ones each as often as its weight asks for, but none that ends
 * as soon as it begins, whose place the next one has. Returns how much work a block of the grid has, relative to the
 * mean of those. */
static double mix(const struct emulate_block **out, const struct emulate_block *const *ordered,
                  const struct emulate_result *emulation, size_t n)
{
    const double work = mean_work(emulation), least = NEXT_TO_NOTHING * work;
    const double weight = weight_of(emulation, least);
    const size_t apart = step_apart(n);
    const struct emulate_block *last = ordered[0];
    double chosen = 0, before = 0;
    size_t p = 0;

    for (size_t b = 0; b < emulation->block_count && p < n; b++) {
        const struct emulate_block *block = ordered[b];

        before += (double)block->issued >= least ? block->weight : 0;
        for (; p < n && before > weight * ((double)p + 0.5) / (double)n; p++) {
            out[p * apart % n] = last = block;
            chosen += (double)block->issued;
        }
    }
    for (; p < n; p++) { /* by rounding */
        out[p * apart % n] = last;
        chosen += (double)last->issued;
    }
    return work / (chosen / (double)n);
}

int mix_blocks(const struct emulate_block **out, double *share, const struct emulate_result *emulation,
               size_t n, struct err *err)
{
    const struct emulate_block **ordered = calloc(emulation->block_count, sizeof *ordered);

    if (!ordered)
        return err_memory(err);
    order_by_work(ordered, emulation);
    *share = mix(out, ordered, emulation, n);
    free(ordered);
    return 0;
}
