/* What L1 drops on demand. For model/memory/reuse.c. */
#ifndef MODEL_MEMORY_REUSE_DROPPED_H
#define MODEL_MEMORY_REUSE_DROPPED_H

#include "model/memory/reuse_phases.h"

/* Of what the warp has loaded before, the share that L1 had to drop (CCTL.IVALL) until instruction `i` comes back to it: whoever
 * acquires what other SMs have released drops all of the SM's L1, in each pass of the loop that both are in. */
double reuse_dropped(const struct reuse *reuse, size_t i);

#endif
