/* The footprint model of the caches, for traffic.c: what traffic.h describes. */
#ifndef MODEL_TRAFFIC_CACHE_H
#define MODEL_TRAFFIC_CACHE_H

#include "model/traffic.h"

/* Share of the loads' sectors beyond a block's first touches that L1 answers. `loads` are sectors a block's
 * loads ask L1 for, `lines` likewise, `turns` how often a warp executes its most frequent load. */
double cache_l1_reuse(const struct traffic_machine *machine, double footprint_sectors, double lines,
                      double turns);

/* Fills the L2 and DRAM members of `traffic` from the sample's footprints; read sectors must be there. */
void cache_fill(struct traffic *traffic, const struct emulate_result *result, const struct launch *launch,
                const struct traffic_machine *machine);

#endif
