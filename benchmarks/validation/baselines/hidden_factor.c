#include "baselines/hidden_factor.h"

#include <math.h>

/* Cycles warp j waits from its request to its data: it also queues behind `queued` warps (denominators of 2.3
 * and 2.4). */
static double wait_cycles(const struct hidden_block *block, double queued)
{
    return block->latency + block->bandwidth + queued * fmax(0, block->bandwidth - block->compute);
}

/* 1 - hidden / wait, where the warps after j compute block i and `done` warps before it block i + 1. */
static double factor(const struct hidden_block *block, double next_compute, double after, double done,
                     double queued)
{
    const double hidden =
        block->compute * after + done * fmin(next_compute, fmax(block->compute, block->bandwidth));
    const double wait = wait_cycles(block, queued);

    return wait > 0 ? fmax(0, 1 - hidden / wait) : 0;
}

double hidden_factor(const struct hidden_block *block, double next_compute, double warps, double j)
{
    return factor(block, next_compute, warps - j, j - 1, j - 1);
}

static double round_down(double value, double multiple)
{
    return floor(value / multiple) * multiple;
}

static double round_up(double value, double multiple)
{
    return ceil(value / multiple) * multiple;
}

double hidden_factor_barrier(const struct hidden_block *block, double next_compute, double warps, double j,
                             double warps_per_block)
{
    return factor(block, next_compute, warps - j, round_down(j - 1, warps_per_block),
                  round_up(j - 1, warps_per_block));
}

/* Adds `times` executions of a block, followed by one that computes for `next_compute`; returns its unhidden
 * share. *all sums the waits. */
static double add(struct hidden_time *out, double *all, const struct hidden_block *block, double next_compute,
                  double times, const struct hidden_launch *launch)
{
    const double last = launch->warps;
    const double queued = block->barrier ? round_up(last - 1, launch->warps_per_block) : last - 1;
    const double wait = wait_cycles(block, queued);
    const double share = block->barrier
                             ? hidden_factor_barrier(block, next_compute, last, last, launch->warps_per_block)
                             : hidden_factor(block, next_compute, last, last);

    out->basic_blocks += times;
    out->compute_cycles += times * last * block->compute;
    if (block->latency > 0) {
        out->unhidden_cycles += times * wait * share;
        *all += times * wait;
    }
    return share;
}

static int check(const struct hidden_run *runs, size_t run_count, const struct hidden_launch *launch,
                 struct err *err)
{
    if (run_count == 0)
        return err_set(err, ERR_USAGE, "the kernel has no basic blocks");
    for (size_t i = 0; i < run_count; i++)
        if (runs[i].count == 0 || !(runs[i].repeats >= 1))
            return err_set(err, ERR_USAGE,
                           "run %zu has %zu basic blocks and repeats %g times: both at least 1", i,
                           runs[i].count, runs[i].repeats);
    if (!(launch->warps >= 1 && launch->warps_per_block >= 1 && launch->blocks >= 1 &&
          launch->resident_blocks >= 1 && launch->sms >= 1 && launch->clock_hz > 0))
        return err_set(err, ERR_USAGE, "warps, blocks, SMs and clock must be positive");
    return 0;
}

int hidden_time(struct hidden_time *out, double *shares, const struct hidden_run *runs, size_t run_count,
                const struct hidden_launch *launch, struct err *err)
{
    double all = 0;

    *out = (struct hidden_time){0};
    if (check(runs, run_count, launch, err))
        return ERR_USAGE;
    for (size_t r = 0; r < run_count; r++) {
        const struct hidden_run *run = &runs[r], *next = &runs[(r + 1) % run_count];
        double share;

        for (size_t i = 0; i < run->count; i++) {
            if (i + 1 < run->count) {
                share = add(out, &all, &run->blocks[i], run->blocks[i + 1].compute, run->repeats, launch);
            } else { /* the last of a run is followed by its first, and once by the next run's */
                share = add(out, &all, &run->blocks[i], next->blocks[0].compute, 1, launch);
                if (run->repeats > 1)
                    share = add(out, &all, &run->blocks[i], run->blocks[0].compute, run->repeats - 1, launch);
            }
            if (shares)
                *shares++ = share;
        }
    }
    out->unhidden_share = all > 0 ? out->unhidden_cycles / all : 0;
    out->repetitions = launch->blocks / (launch->resident_blocks * launch->sms);
    out->time_s = (out->compute_cycles + out->unhidden_cycles) * out->repetitions / launch->clock_hz;
    return 0;
}
