/* What the warps of an SM share serves: load/store units, tags, servers of their own, L2 and DRAM. Nothing outside model/sm includes
 * this. */
#ifndef MODEL_SM_SERVE_H
#define MODEL_SM_SERVE_H

#include "model/sm/state.h"

/* What a warp's instruction that goes at `time` asks for: when what it brings is there, and who comes next can be served. */
void sm_use_memory(struct sm_state *sm, struct sm_warp *warp, const struct sm_request *request, double time);

#endif
