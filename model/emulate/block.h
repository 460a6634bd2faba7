/* One thread block: from its place in the result to its counts. */
#ifndef MODEL_EMULATE_BLOCK_H
#define MODEL_EMULATE_BLOCK_H

#include "model/emulate/state.h"

/* What of the code is executed, anew; `stores`: also what only stores leave in memory. */
int emulation_slice(struct emulation *emulation, bool stores, struct err *err);

/* Allocates one more block in the result. */
int block_add(struct emulate_block **out, struct emulation *emulation, struct emulate_result *result,
              const unsigned position[3], struct err *err);
void block_release(struct emulate_block *block);

/* Executes it, again with more of the code where that turns out to be needed. */
int block_execute(struct emulation *emulation, struct emulate_block *block, struct err *err);

/* Puts a warp at the first instruction. Warps that run one by one start when their turn comes. */
void warp_start(struct emulation *emulation, struct warp *warp);

#endif
