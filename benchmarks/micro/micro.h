/* The microbenchmarks, one group a file; calibrate.c runs them in this order. Each opens with its facts: what
 * it isolates, the unit, the expected shape, and the fields of the profile it fills. A group returns an error
 * only where going on makes no sense (no memory); what it could not measure becomes a note. */
#ifndef MICRO_MICRO_H
#define MICRO_MICRO_H

#include "micro/bench.h"

int micro_clock(const struct micro *micro, struct err *err);
int micro_operations(const struct micro *micro, struct err *err);
int micro_source_operations(const struct micro *micro, struct err *err);
int micro_pairs(const struct micro *micro, struct err *err);
int micro_near_latency(const struct micro *micro, struct err *err);
int micro_far_latency(const struct micro *micro, struct err *err);
int micro_carveout(const struct micro *micro, struct err *err);
int micro_sharing(const struct micro *micro, struct err *err);
int micro_tables(const struct micro *micro, struct err *err);
int micro_groups(const struct micro *micro, struct err *err);
int micro_bulk(const struct micro *micro, struct err *err);
int micro_async(const struct micro *micro, struct err *err);
int micro_copies(const struct micro *micro, struct err *err);
int micro_warps(const struct micro *micro, struct err *err);
int micro_turns(const struct micro *micro, struct err *err);
int micro_shared(const struct micro *micro, struct err *err);
int micro_caches(const struct micro *micro, struct err *err);
int micro_dram(const struct micro *micro, struct err *err);
int micro_scattered(const struct micro *micro, struct err *err);
int micro_pieces(const struct micro *micro, struct err *err);
int micro_stores(const struct micro *micro, struct err *err);
int micro_priority(const struct micro *micro, struct err *err);
int micro_loaded(const struct micro *micro, struct err *err);
int micro_spread(const struct micro *micro, struct err *err);
int micro_diverging(const struct micro *micro, struct err *err);
int micro_issue(const struct micro *micro, struct err *err);
int micro_control(const struct micro *micro, struct err *err);
int micro_atomics(const struct micro *micro, struct err *err);
int micro_launch(const struct micro *micro, struct err *err);
int micro_supply(const struct micro *micro, struct err *err);
int micro_registers(const struct micro *micro, struct err *err);

#endif
