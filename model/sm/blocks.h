/* Where the warps of a block meet: at its barrier, and at its end. Nothing outside model/sm includes this. */
#ifndef MODEL_SM_BLOCKS_H
#define MODEL_SM_BLOCKS_H

#include "model/sm/state.h"

/* The warp that went last on a sub-partition ended at `time`, or came to its block's barrier; true when that changes what
 * others can do. */
bool sm_end_warp(struct sm_state *sm, struct sm_partition *partition, double time);
bool sm_arrive(struct sm_state *sm, struct sm_partition *partition, double time);

#endif
