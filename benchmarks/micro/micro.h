/* The microbenchmarks, one group a file; calibrate.c runs them in the order of groups.def. Each opens with its facts: what
 * it isolates, the unit, the expected shape, and the fields of the profile it fills. A group returns an error
 * only where going on makes no sense (no memory); what it could not measure becomes a note. */
#ifndef MICRO_MICRO_H
#define MICRO_MICRO_H

#include "micro/bench.h"

#define GROUP(text, name, full, file) int micro_##name(const struct micro *micro, struct err *err);
#include "micro/groups.def"
#undef GROUP

#endif
