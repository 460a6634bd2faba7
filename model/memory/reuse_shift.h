/* What blocks in a row share that all touch the same but for a constant distance, at any number of blocks from each
 * other: a grid of one dimension whose index is taken apart into rows and columns comes back to a row after many
 * blocks. For model/memory/reuse_regions.c. */
#ifndef MODEL_MEMORY_REUSE_SHIFT_H
#define MODEL_MEMORY_REUSE_SHIFT_H

#include "base/err.h"
#include "model/memory/reuse_regions.h"

/* Fills *out of the sharing's anchor and its neighbour in x, in the region of this number in the result; left as it is, all 0, where blocks are not alike but for a
 * distance, where only next neighbours share, or where the grid has more than one dimension, whose rows of blocks end
 * before they come back to anything. ERR_MEMORY. */
int reuse_shift_find(struct reuse_shift *out, const struct sharing *sharing,
                     const struct emulate_result *result, const struct reuse_region *region, size_t number,
                     bool written, const unsigned grid[3], const struct assumptions *assumed,
                     struct err *err);

/* Different sectors of so many blocks in a row. */
double reuse_shift_together(const struct reuse_shift *shift, double blocks);

/* What a wave of `blocks` blocks asks for that earlier ones had: the share that L2, which holds `holds` bytes, still has
 * of it, where a wave touches `wave` bytes of all regions. */
double reuse_shift_kept(const struct reuse_shift *shift, double blocks, double wave, double holds);

#endif
