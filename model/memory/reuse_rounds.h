/* Blocks that are all resident and take tile after tile, each as far on as the grid is large: the tiles that they work on
 * at the same time are a round, and what a round touches lies in L2 between two that touch the same, as between the waves
 * of a grid that has a block for each tile. */
#ifndef MODEL_MEMORY_REUSE_ROUNDS_H
#define MODEL_MEMORY_REUSE_ROUNDS_H

#include "model/memory/reuse_regions.h"

/* Fills `rounds`, and of each region `piece`: one round where the grid does not read in a known order, or no loop of a block
 * can be one over rounds. A block whose neighbour in a region begins where its own piece ends reads such a piece in each
 * round. */
void reuse_rounds_find(struct reuse_regions *reuse_regions);

/* The share of what a round touches of a region that the next one can touch as well, if all rounds together touch all that
 * the grid does. */
double reuse_rounds_next(const struct reuse_regions *reuse_regions, const struct reuse_region *reuse_region);

#endif
