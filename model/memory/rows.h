/* Thread blocks that walk along rows of their own at the same time. */
#ifndef MODEL_MEMORY_ROWS_H
#define MODEL_MEMORY_ROWS_H

#include "model/machine/machine.h"
#include "model/memory/traffic.h"

/* How many times as long DRAM takes for what copies bring, 1 or more, of which each block has `under_way` bytes under way.
 * Equal blocks go in step: where their rows lie at distances that agree in the lower bits of their addresses, all ask for
 * such places at a time, and not all of DRAM has them. The more a block has under way the less it matters. */
double rows_slowed(const struct machine *machine, const struct traffic *traffic,
                   const struct emulate_result *result, double under_way);

#endif
