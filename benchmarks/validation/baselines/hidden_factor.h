/* The latency-hidden-factor model of Yuan et al. 2010 (Journal of Software 21(Suppl.), 251-262), sections 2.2
 * to 2.5, kept for comparison with our own.
 *
 * A warp's code is cut into basic blocks where it waits for data or at a barrier; warps run in turn, one
 * basic block each, so no two are more than one basic block apart. ILP_i is the computing time of basic block
 * i, La_i the latency of the memory it waits for, Bw_i = bytes / bandwidth per SM the time its data takes.
 *
 * Where the paper is open or contradicts itself, this is the reading taken:
 *  - The factor is the share of the latency that is NOT hidden: 0 is fully hidden.
 *  - NT, the "threads of a block" that barriers round to, is in warps per block, as j counts warps.
 *  - At a barrier (j - 1) is rounded down to a multiple of NT in the numerator and up in the denominator, as
 *    the prose of 2.4 says; the printed formula drops the factor NT in both places and its denominator can
 *    turn negative.
 *  - Time of a basic block (2.5) is the computing time of all warps plus what the last warp cannot hide, not
 *    the sum over all warps: that gives 5.7 Gflop/s for the naive 16x16 kernel on a C1060, where bandwidth
 *    alone allows 25.5.
 *  - MemAccessLatency, undefined in 2.5, is what the factor is a share of: the denominator of its formula.
 *  - ILP_{NBB+1} is ILP_1 (the printed NB is a slip); sums run over all basic blocks once.
 *  - Repetitions are fractional: blocks / (resident blocks x SMs).
 *  - A basic block at whose end the warps of a block meet takes the barrier form. Since compute
 *    capability 2.0 the last one does not: warps, not blocks, are replaced.
 *  - Traffic may be ours (counted) or the paper's "all accesses optimal"; whoever fills the struct decides. */
#ifndef BASELINES_HIDDEN_FACTOR_H
#define BASELINES_HIDDEN_FACTOR_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* One basic block as a warp executes it; cycles. */
struct hidden_block {
    double compute;   /* ILP_i > 0: issue time of its instructions, memory instructions among them */
    double latency;   /* La_i: of the memory level waited for; 0 for none */
    double bandwidth; /* Bw_i: bytes of one warp / (bandwidth / SMs) */
    bool barrier;     /* all warps of the thread block meet at its end */
};

/* A stretch of basic blocks executed `repeats` times in a row. */
struct hidden_run {
    const struct hidden_block *blocks; /* borrowed */
    size_t count;
    double repeats;
};

/* The factor of the j-th of `warps` (TLP x BLP) warps, 1 <= j <= warps, the united formula of 2.3.5.
 * `next_compute` is ILP_{i+1}. 0 when there is nothing to hide. */
double hidden_factor(const struct hidden_block *block, double next_compute, double warps, double j);

/* The factor at a barrier (2.4), `warps_per_block` = NT. */
double hidden_factor_barrier(const struct hidden_block *block, double next_compute, double warps, double j,
                             double warps_per_block);

struct hidden_launch {
    double warps;           /* resident on an SM: TLP x BLP */
    double warps_per_block; /* NT */
    double blocks;          /* of the grid */
    double resident_blocks; /* on an SM: BLP */
    double sms;
    double clock_hz;
};

struct hidden_time {
    double basic_blocks;    /* NBB, repeats counted */
    double compute_cycles;  /* of all warps, one repetition */
    double unhidden_cycles; /* one repetition */
    double unhidden_share;  /* of all latency of the kernel (last warp), the share left unhidden: one figure
                               per kernel */
    double repetitions;     /* fractional */
    double time_s;          /* TimeTotal */
};

/* TimeTotal of 2.2 and 2.5. When `shares` is given it receives, run after run, each basic block's unhidden
 * share; for a block inside a repeated run that of an inner repetition. ERR_USAGE for an empty kernel or a
 * count that is not positive. */
int hidden_time(struct hidden_time *out, double *shares, const struct hidden_run *runs, size_t run_count,
                const struct hidden_launch *launch, struct err *err);

#endif
