/* One thread block, from its first instruction to the end of its last warp. */
#ifndef MODEL_EMULATE_RUN_H
#define MODEL_EMULATE_RUN_H

#include "model/emulate/state.h"

/* Executes the block at `position` of the emulation; 0 with result->end set, or an error. */
int run_block(struct emulation *emulation);

#endif
