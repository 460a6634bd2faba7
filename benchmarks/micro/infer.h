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

/* capacity = ways x sets x line: any three give the fourth. */
struct infer_geometry {
    double bytes, ways, sets, line; /* 0: unknown */
};

/* Completes `geometry`. ERR_USAGE when fewer than three are known, when the fourth is not a whole number, or
 * when all four are and contradict each other. */
int infer_fourth(struct infer_geometry *geometry, struct err *err);

/* Chases of `elements` and of `elements` + 1 elements at growing strides (Wong et al., Fig. 14). */
struct infer_tlb_strides {
    size_t n;
    const double *stride; /* bytes, ascending */
    const double *fits;   /* cycles with `elements` */
    const double *spills; /* cycles with one more */
    double elements;
};

struct infer_tlb {
    double entries;        /* of a fully associative level; 0 when not inferable */
    double entry_bytes;    /* memory that one entry spans */
    double reach;          /* entries x entry_bytes */
    double next_way_bytes; /* way of the level behind: stride from which all share a set; 0 if never */
    double hit, miss;      /* cycles: translation hits; misses and hits the level behind */
    double beyond;         /* cycles when that misses as well; 0 if never seen */
    char why[200];
};

int infer_tlb_of(struct infer_tlb *out, const struct infer_tlb_strides *strides, struct err *err);

/* Two groups of elements that meet in the sets of a TLB level, the second moved by growing offsets (Wong et
 * al., Fig. 15): the entry is as large as the smallest offset from which they do not meet any more. 0 and a
 * reason in `why` (200 bytes) when latency never falls or never was raised. */
double infer_tlb_entry(const double *offset, const double *cycles, size_t n, char *why);

#endif
