/* Warps that end before their block does: an SM gives their places to the next block. Where registers limit, hardly anything
 * was gained (benchmarks/micro/README.md). */
#include "model/predict/analyze_work.h"

#include <math.h>

enum { SIMULATED_WARPS = 256 /* that a simulation of an SM takes */ };

/* The share of its block's time for which a mean warp holds its place. */
static double held_share(const struct analyze_work *work)
{
    const struct emulate_result *emulation = &work->out->emulation;
    double held = 0, all = 0;

    for (size_t b = 0; b < emulation->block_count; b++) {
        const struct emulate_block *block = &emulation->blocks[b];
        const double longest = expect_longest_path(work, block);

        for (unsigned w = 0; w < block->warps; w++)
            held += block->weight * fmin(work->paths[block->paths[w]].last / longest, 1);
        all += block->weight * block->warps;
    }
    return held / all;
}

/* A block begins when there are places for all of its warps. What is freed in pieces is not all found together: half of it
 * is, as was measured. */
int analyze_freed(struct analyze_work *work)
{
    const struct occupancy *occupancy = &work->out->occupancy;
    struct residency *at = &work->out->input.residency;
    const double fit = occupancy->limits[LIMITER_WARPS];
    double most = fmin(occupancy->limits[LIMITER_BLOCKS],
                       fmin(occupancy->limits[LIMITER_SHARED], occupancy->limits[LIMITER_BARRIERS]));
    double freed;

    if (launch_cluster_blocks(work->launch) > 1 || analyze_ends_together(work) ||
        occupancy->limits[LIMITER_REGISTERS] < fit)
        return 0;
    freed = (fit - 1) * (1 / held_share(work) - 1);
    most = fmin(most, SIMULATED_WARPS / at->warps_per_block);
    at->places = fit * at->warps_per_block;
    at->blocks_per_sm = fmax(floor(fmin(fit + freed / 2, most)), at->blocks_per_sm);
    return 0;
}
