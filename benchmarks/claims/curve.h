/* Throughput against occupancy, and the occupancy that a throughput needs. */
#ifndef CLAIMS_CURVE_H
#define CLAIMS_CURVE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct curve {
    double *warps; /* resident on an SM, ascending, distinct; owned */
    double *rate;  /* the highest at that occupancy; part of the same memory */
    size_t count;
};

/* From `n` points in any order. ERR_USAGE where there is none, ERR_MEMORY. */
int curve_of(struct curve *out, const double *warps, const double *rate, size_t n, struct err *err);
void curve_release(struct curve *curve);

double curve_peak(const struct curve *curve);

/* Whether the last quarter of its occupancies still adds over 5 %: then the peak is not the kernel's. */
bool curve_grows(const struct curve *curve);

/* Warps at which the curve, straight between its points, first reaches `rate`: the first point's where that
 * is enough, NaN where it never does. */
double curve_needed(const struct curve *curve, double rate);

#endif
