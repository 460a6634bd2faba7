/* What all instructions ask of L1, L2 and DRAM together, by what was answered to each. For model/memory/reuse.c. */
#ifndef MODEL_REUSE_SUMS_H
#define MODEL_REUSE_SUMS_H

#include "model/memory/reuse_phases.h"

struct traffic_loads reuse_sum_loads(const struct reuse *reuse);
struct traffic_dram reuse_sum_dram(const struct reuse *reuse);
/* For a bound. */
struct traffic_least reuse_sum_least(const struct reuse *reuse);

#endif
