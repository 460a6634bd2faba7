/* What so many blocks of a grid ask for of a region, by what they share with their neighbours or by the order of the grid.
 * For model/memory/reuse_regions.c. */
#ifndef MODEL_MEMORY_REUSE_BLOCKS_H
#define MODEL_MEMORY_REUSE_BLOCKS_H

#include "model/memory/reuse_regions.h"

/* Bytes that `blocks` blocks of a region ask for in the order in which they are dispatched, x first, then y, what
 * neighbours share counted once. What a layer in z shares with the one before counts once as far as it is still in L2
 * when its turn comes: `held`. */
double blocks_ask(const struct sharing *s, const struct launch *launch, double blocks, double held);
/* Different ones of them: of a piece of memory that all touch some of at random, those that are met once at least. */
double blocks_touch(const struct sharing *s, const struct launch *launch, double blocks, double held,
                    const struct reuse_region *reuse_region);

/* Where the region is in the emulation's. */
size_t region_number(const struct reuse_region *reuse_region, const struct reuse_regions *reuse_regions);
/* Whether the order of the grid says where in the region each block reads: neighbours read the same or apart. */
bool blocks_ordered(const struct reuse_region *reuse_region, const struct reuse_regions *reuse_regions);
/* Then: different bytes of the whole grid; different places of a mean wave of `blocks` blocks, from the first waves of the
 * grid (ERR_MEMORY); bytes of so many with `bytes` each. */
double places_touch(const struct reuse_region *reuse_region, const struct reuse_regions *reuse_regions);
int places_of_wave(double *out, const struct reuse_region *reuse_region,
                   const struct reuse_regions *reuse_regions, double blocks, struct err *err);
double places_bytes(const struct reuse_region *reuse_region, double bytes, double places);
/* What `blocks` blocks, one after another, read of a region at most where rows of blocks, those along x, read nothing that
 * others do: the part of what the grid reads that is of so many rows as they lie in, wherever they begin. INFINITY where rows
 * share something, as they do where they go anywhere, or where that was not looked at. */
double rows_touch(const struct reuse_region *reuse_region, const struct reuse_regions *reuse_regions,
                  double blocks);

#endif
