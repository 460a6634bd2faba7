/* Short looks at blocks of a grid: where they begin to read each region of memory. */
#ifndef MODEL_EMULATE_PEEK_H
#define MODEL_EMULATE_PEEK_H

#include "model/emulate/state.h"

/* How many warp instructions of a block it takes until it has read of every wanted region (one flag each); *first gets
 * its lowest sectors, as of emulation_peek(). 0 where PEEK_MOST do not lead there. */
int peek_reach(uint64_t *instructions, uint64_t *first, struct emulation *emulation,
               const unsigned position[3], const bool *wanted, struct err *err);

#endif
