/* What the sampled blocks say of the counts of a grid. For model/memory/traffic.c. */
#ifndef MODEL_TRAFFIC_COUNTS_H
#define MODEL_TRAFFIC_COUNTS_H

#include "model/memory/traffic.h"

/* Fills the counts of *out, which are zeroed, and what goes with them: blocks_equal, access_error. Its warps
 * are set. Where the emulation knows what the grid issues, each instruction is counted as often, and of what
 * it accesses as much as in the sampled blocks that execute it. ERR_MEMORY. */
int traffic_take_counts(struct traffic *out, const struct emulate_result *result, double deviations,
                        struct err *err);

#endif
