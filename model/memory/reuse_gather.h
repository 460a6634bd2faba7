/* Gathers: blocks that read whole lines anywhere in a region, as rows of a matrix that loaded indices name. Blocks far from
 * each other then come back to the same lines again and again, though no two that were looked at need share one. For
 * model/memory/reuse_regions.c. */
#ifndef MODEL_MEMORY_REUSE_GATHER_H
#define MODEL_MEMORY_REUSE_GATHER_H

#include "model/memory/reuse_regions.h"

/* Whether gaps between lines that are not next to each other are of many lengths, as those of random places are. */
bool reuse_gather_irregular(const struct footprint *print, const struct reuse_region *region);

/* Into how many pieces the region is divided, each of which the blocks of one y and z gather from; 0 where the region's
 * reads, whose sharing is known, are no gather. */
double reuse_gather_pieces(const struct emulate_result *result, const struct reuse_region *region,
                           const unsigned grid[3]);

/* The share of what is gathered from `bytes` again and again that L2 still has, if it gives `part` of itself to that: lines take
 * the places of others at random. Where L2 has halves, which l2_holds tells, each keeps what it is home to and copies of
 * what its SMs read of the other's; a line that is not copied is looked for in its home. 0 to 1. Compared with counters of an
 * NVIDIA H200 for 8 to 512 MB (benchmarks/micro/README.md). */
double reuse_gather_kept(double bytes, const struct traffic_caches *caches, double part);

#endif
