/* What a launch leaves in L2 for the next one, where they follow each other. Each half of L2 keeps a copy of what its
 * SMs read, so that data of all SMs fills it twice as fast as data of one SM each. */
#ifndef MODEL_MEMORY_REUSE_LEFT_H
#define MODEL_MEMORY_REUSE_LEFT_H

#include "model/memory/reuse_regions.h"

/* The share of `bytes`, touched again and again, that L2 still holds; of data to be evicted first, a share `first` of all,
 * less by half for every `l2_evict_first` of them. */
double reuse_kept_l2(const struct traffic_caches *caches, double first, double bytes);

/* Bytes of a region that both halves hold, if the grid's blocks that read some lie in either by chance, and so do those of the next
 * launch. */
double reuse_copied(const struct reuse_region *reuse_region, double blocks);

/* Whether L2 loses none of so many bytes that blocks write or add to anywhere, again and again. */
bool reuse_held_whole(const struct traffic_caches *caches, double bytes);

/* The share of what the launch before touched that L2 still holds; none after a flush. */
double reuse_left(const struct reuse_regions *reuse_regions);

/* The share of what a launch writes that DRAM gets. */
double reuse_written_back(const struct reuse_regions *reuse_regions);

#endif
