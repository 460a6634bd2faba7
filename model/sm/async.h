/* What runs beside the warps of an SM: the copy engine, and the phases of mbarriers and of barriers of the
 * block that warps and copies arrive at. The emulation noted which phase an instruction arrives at or waits
 * for (struct emulate_event), so no counters are simulated: a phase ends when all that was noted for it has
 * come. A warp that waits for one stays where it is until then. Nothing outside model/sm includes this. */
#ifndef MODEL_SM_ASYNC_H
#define MODEL_SM_ASYNC_H

#include "model/sm/state.h"

/* Whether the blocks' warps wait for phases that were noted. */
bool sm_async_applies(const struct sm_input *in);

/* How many arrivals each phase of the input's blocks needs; ERR_MEMORY. */
int sm_async_init(struct sm_async *out, const struct sm_input *in, struct err *err);
void sm_async_release(struct sm_async *async);

/* What an instruction asks of the copy engine and of mbarriers. */
void sm_async_request(struct sm_request *request, const struct sm_input *in, size_t i);

/* The instruction that the warp which went last on a sub-partition issued at `time`: true when that changes
 * what others can do. */
bool sm_async_step(struct sm_state *sm, struct sm_partition *at, const struct sm_request *request, size_t i,
                   double time);

/* A block slot at its block's beginning. */
void sm_async_begin(struct sm_state *sm, struct sm_block_slot *slot);

/* Each path, loops at full length, up to `most` instructions; `*all` sums up over the blocks' warps, with those
 * behind. ERR_MEMORY. */
int sm_async_lists(struct sm_list **out, const struct sm_input *in, size_t most, double *all,
                   struct err *err);

#endif
