/* The union of a set of sectors and its copies at equal distances along some axes, as of the blocks of a grid: at the
 * least, and exactly where its stretches are few. For model/memory/reuse_least.c. */
#ifndef MODEL_MEMORY_LATTICE_H
#define MODEL_MEMORY_LATTICE_H

#include "base/err.h"
#include "model/emulate/footprint.h"

/* Sectors one after another. */
struct stretch {
    uint64_t first, count;
};

/* Ascending, none next to another. Zeroed: none. */
struct stretches {
    struct stretch *list;
    size_t count;
};

enum { STRETCHES_MOST = 1 << 14 };

/* Those of a footprint in a region; none where there are more than STRETCHES_MOST. ERR_MEMORY. To be released in any
 * case. */
int stretches_find(struct stretches *out, const struct footprint *footprint, uint64_t address, uint64_t bytes,
                   struct err *err);
void stretches_release(struct stretches *stretches);
/* Whether b is a, so many sectors further on. */
bool stretches_moved(const struct stretches *a, const struct stretches *b, int64_t sectors);

/* Copies along an axis. */
struct lattice_axis {
    int64_t step; /* from one to the next, in sectors */
    uint64_t count;
};

/* Sectors of the union, or fewer: *all is false then. *stretches are changed. ERR_MEMORY. */
int lattice_sectors(double *out, bool *all, struct stretches *stretches, const struct lattice_axis *axes,
                    size_t count, struct err *err);

#endif
