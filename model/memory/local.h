/* Local memory: a thread's arrays with computed places, and registers that there were too few of. L2 caches it as it does global
 * memory (CUDA programming guide, compute capability 5.0 and above). That stores go through L1, and that a load finds its line in L1
 * as far as it holds what all resident warps reach between two visits, is taken from global memory: no counter was read. The times
 * of recorded variants with spilled registers fit it. */
#ifndef MODEL_LOCAL_H
#define MODEL_LOCAL_H

#include "base/err.h"
#include "model/memory/traffic.h"

/* Fills what caches answer into the counts of loads from local memory, and adds what they and stores to it ask of L2 to the sums
 * of *out, which stand for global memory alone before. ERR_MEMORY. */
int local_add(struct traffic *out, const struct sass_code *code, const struct traffic_caches *caches,
              double resident_warps, struct err *err);

#endif
