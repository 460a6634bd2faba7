/* The steps of analyze() that are files of their own, and what they share. */
#ifndef MODEL_PREDICT_ANALYZE_WORK_H
#define MODEL_PREDICT_ANALYZE_WORK_H

#include "model/predict/analyze.h"

struct analyze_work {
    struct analysis *out;
    const struct machine *machine;
    const struct cubin *cubin;
    const struct cubin_kernel *kernel;
    const struct launch *launch;
    const struct analyze_options *options;
    struct replay_code ops;
    struct replay *paths; /* simulated, one per path of the emulation */
    bool apart; /* blocks come apart, so that the traffic is another than what the latency was found with */
    double
        needed_share; /* of the resident blocks, which get as much done as all of them; where a counter hands out work */
    struct err *err;
};

/* Turns an error into a refusal, except for those that say nothing about the variant. Returns the code. */
int analyze_refuse(struct analyze_work *work, int code, const struct err *why);

/* Executes a sample of the blocks. Needs occupancy. */
int analyze_emulation(struct analyze_work *work);

/* Replays every path by itself: the latency bound and what it waits for, in place of what an earlier call found.
 * Needs occupancy and traffic. */
int analyze_latency(struct analyze_work *work);

/* Cycles of the longest path of a block's warps, 1 or more. Needs the latency. */
double expect_longest_path(const struct analyze_work *work, const struct emulate_block *block);

/* Whether the warps of a block meet at barriers more than once, so that none ends before the others. Needs the latency. */
bool analyze_ends_together(const struct analyze_work *work);

/* Blocks that an SM holds in places which warps of others have left. Needs the latency. */
int analyze_freed(struct analyze_work *work);

/* What unequal warps and blocks lose. Needs the simulation. */
int analyze_imbalance(struct analyze_work *work);

/* Simulates the resident warps of an SM together: full waves, and a partial one at its own occupancy where waves
 * are few. Needs the latency. */
int analyze_simulation(struct analyze_work *work);

#endif
