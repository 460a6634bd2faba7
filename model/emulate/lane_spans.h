/* Which bytes a request touches. */
#ifndef MODEL_EMULATE_LANE_SPANS_H
#define MODEL_EMULATE_LANE_SPANS_H

#include "model/emulate/access.h"

/* Bytes that lanes touch, without a gap that a whole sector fits in: wherever they are moved, their sectors are
 * those of all bytes from the first to the last. */
struct span {
    uint64_t first, end;
};

/* Of the lanes of a request, of which there is one: by where they begin. How many. */
unsigned lane_spans(struct span spans[LANES], const struct request *request);

#endif
