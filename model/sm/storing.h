/* Epilogues: how long tensor pipes have nothing to do because a warp group stores the results of its products before it goes on
 * with the next. Nothing outside model/sm includes this. */
#ifndef MODEL_SM_STORING_H
#define MODEL_SM_STORING_H

#include "model/sm/state.h"

/* For how long a sub-partition's pipe, when a group of the block brings its next product, had nothing to do while that group
 * stored. */
static inline double sm_stored_for(const struct sm_partition *at, const struct sm_block_slot *slot,
                                   unsigned group)
{
    return at->products.issued ? later(slot->stored[group] - at->products.free, 0) : 0;
}

/* The share of the simulated time, over all sub-partitions. */
double sm_storing_share(const struct sm_state *sm);

#endif
