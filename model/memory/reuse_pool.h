/* Pieces of memory of which all blocks of a grid touch some: as where they gather, or go round a small buffer. Sampled
 * blocks far from each other then share what neighbours' distances do not explain. For model/memory/reuse_regions.c. */
#ifndef MODEL_MEMORY_REUSE_POOL_H
#define MODEL_MEMORY_REUSE_POOL_H

#include "model/memory/reuse_regions.h"

/* Fills pool and most of *sharing, all else of which is given, and takes out of it what neighbours share by chance alone. Of
 * what is read in a known order, which says what blocks share, only most. */
void reuse_pool_find(struct sharing *sharing, const struct emulate_result *result,
                     const struct reuse_region *region, const unsigned grid[3],
                     const struct assumptions *assumed, bool written);

/* Of so many sectors, each of which a block touches with the same probability, so that it touches `each` of them: those that
 * `blocks` blocks touch. */
double reuse_pool_drawn(double pool, double each, double blocks);

/* Different sectors of so many blocks, or of as many as would ask for as much were nothing shared but by chance. */
double reuse_pool_touched(const struct reuse_pool *pool, double blocks);

#endif
