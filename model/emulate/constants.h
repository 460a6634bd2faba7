/* Which lines of constant memory are read at places that differ among lanes (LDC with a register): how much of what they read
 * a cache holds goes by those of the sampled blocks. */
#ifndef MODEL_EMULATE_CONSTANTS_H
#define MODEL_EMULATE_CONSTANTS_H

#include "model/emulate/record.h"

/* Takes a request in place of the one before it, whose addresses the pattern has, and counts what it names: addresses, and lines of
 * lanes that are not at the line where they were or beside it. A walk through a table brings lines that all warps soon read,
 * which stands in no count. */
void constants_pattern(struct pattern *pattern, const struct request *request);
void constants_mark(struct emulation *emulation, const struct request *request);
/* Marks them in `count` periods of a loop from the `first` on. */
void constants_mark_periods(struct emulation *emulation, struct request *request, const struct record *record,
                            uint64_t first, uint64_t count);

#endif
