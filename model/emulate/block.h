/* One thread block: from its place in the result to its counts (block.c), and once more its beginning (beginning.c). */
#ifndef MODEL_EMULATE_BLOCK_H
#define MODEL_EMULATE_BLOCK_H

#include "model/emulate/state.h"

/* What of the code is executed, anew; `stores`: also what only stores leave in memory. */
int emulation_slice(struct emulation *emulation, bool stores, struct err *err);
/* Puts into `out`, in place of what it holds, what is executed of the emulation's code: its own slice, or, for a block whose
 * warps wait for each other, one that follows what they wait for. See slice_init(). */
int emulation_slice_as(struct slice *out, const struct emulation *emulation, enum slice_aim aim, bool stores,
                       bool apart, struct err *err);

/* Allocates one more block in the result. */
int block_add(struct emulate_block **out, struct emulation *emulation, struct emulate_result *result,
              const unsigned position[3], struct err *err);
void block_release(struct emulate_block *block);

/* Executes it, again with more of the code where that turns out to be needed. */
int block_execute(struct emulation *emulation, struct emulate_block *block, struct err *err);

/* Clears what the block before it left, and puts the warps that run together at the first instruction. ERR_MEMORY. */
int block_start(struct emulation *emulation, struct emulate_block *block, struct err *err);

/* Of a block whose warps were executed one by one: notes which phases they arrive at and wait for, as far as its beginning goes,
 * executed once more with its warps together. It counts nothing; what can never end is the end of the emulation's result. */
int block_note_beginning(struct emulation *emulation, struct emulate_block *block, struct err *err);

/* Puts a warp at the first instruction. Warps that run one by one start when their turn comes. */
void warp_start(struct emulation *emulation, struct warp *warp);

#endif
