/* Local memory: a thread's arrays with computed places, and registers that there were too few of. L2 caches it as it does global
 * memory (CUDA programming guide, compute capability 5.0 and above). By the counters of an NVIDIA H200 every sector stored goes through
 * L1 to L2, also where the same word is stored again, and a load finds its line in L1 as far as it holds what all resident warps
 * reach between two visits: of arrays read from end to end, half, 0.75, 1, 1.5, 2 and 4 times L1, 0.96, 0.82, 0.72, 0.46, 0.23 (0.1 in
 * steps of five words) and none hit, where kept_at_random() says 1, 1, 1, 0.4, 0.2 and 0.02; of words that are read and written in
 * turn 0.97, 0.92, 0.89, 0.76, 0.48 and none (benchmarks/micro/README.md).
 *
 * What goes through the caches beside it displaces it. By the counters, of a lattice's collision with 96 bytes of spilled registers
 * a thread, stored once and loaded in four rounds, L1 held 0.66 and L2 0.37 of the rest, and all that was stored went to DRAM. */
#ifndef MODEL_LOCAL_H
#define MODEL_LOCAL_H

#include "base/err.h"
#include "model/memory/traffic.h"

/* Fills what caches answer into the counts of loads from local memory, and adds what they and stores to it ask of L2 to the sums
 * of *out, which stand for global memory alone before. ERR_MEMORY. */
int local_add(struct traffic *out, const struct sass_code *code, const struct traffic_caches *caches,
              double resident_warps, struct err *err);

#endif
