/* How long each thread block of a grid lasts, where one of its coordinates says so: causal attention, triangular products. */
#ifndef MODEL_BLOCK_ORDER_H
#define MODEL_BLOCK_ORDER_H

#include "base/err.h"

#include <stddef.h>

struct block_point {
    double coordinate, cycles;
};

struct block_order {
    unsigned grid[3];
    unsigned axis;              /* of the coordinate */
    struct block_point *points; /* by coordinate, ascending; owned */
    size_t count;               /* 0: no coordinate says it */
};

/* Of blocks at `positions`, which last cycles[] > 0. A coordinate says it where with it they last longer and longer, or shorter and
 * shorter, in 95 % of the pairs that differ: six coordinates at least, of which most differ. Where two do, the one that does more
 * often. ERR_MEMORY. To be released in either case. */
int block_order_of(struct block_order *out, const unsigned grid[3], const unsigned (*positions)[3],
                   const double *cycles, size_t count, struct err *err);
void block_order_release(struct block_order *order);

/* Of block number `block` of the grid, x fastest: between the nearest coordinates on both sides, linearly. */
double block_order_cycles(const struct block_order *order, size_t block);

#endif
