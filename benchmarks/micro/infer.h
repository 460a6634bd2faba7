/* Cache and TLB geometry inferred from latency curves (Wong et al., III.B and Fig. 4; IV.I).
 *
 * A curve is the mean latency of a dependent chase that visits every `stride` bytes of an array again and
 * again, against the array's size. Under LRU and without prefetching:
 *   - latency is flat up to the capacity;
 *   - beyond it sets overflow one after the other, a step each: as many steps as sets, a line apart;
 *   - when all have overflowed, capacity + way on, it is flat again; capacity / way = ways.
 * What the curve does not show stays 0 and `why` says what hinders it: noise, sizes too far apart, hashed
 * sets, a replacement that is not LRU. */
#ifndef MICRO_INFER_H
#define MICRO_INFER_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum { INFER_LEVELS = 8 };

struct infer_curve {
    size_t n;
    const double *bytes;  /* array sizes, ascending, > 0; borrowed */
    const double *cycles; /* mean latency of an access, > 0; borrowed */
    double stride;        /* bytes between elements */
};

struct infer_level {
    double latency;      /* cycles of a hit: the plateau */
    double bytes;        /* capacity: exact when ways are known, else fitted */
    double bytes_beyond; /* smallest measured size that does not fit any more */
    double way_bytes;    /* sets x line; bytes + way_bytes is where the next plateau begins */
    double ways, sets, line;
    char why[200]; /* "not inferable, because ..." for what is 0; "" when everything is known */
};

struct infer_hierarchy {
    size_t count;                           /* levels that the curve leaves; 0 for a flat curve */
    struct infer_level level[INFER_LEVELS]; /* the nearest first */
    double beyond;                          /* cycles of the last plateau, that of what lies behind */
    double noise;                           /* typical relative difference of neighbours that hit */
};

/* ERR_USAGE for fewer than 8 points, or points that are not positive and ascending; ERR_MEMORY. */
int infer_levels(struct infer_hierarchy *out, const struct infer_curve *curve, struct err *err);

#endif
