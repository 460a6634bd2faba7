/* Learning during the run: the first measured variants scale the estimates of the bound that limits them, and
 * what then still differs sets the margin of the rule that prunes by estimate.
 *
 * Few parameters and robust ones: one factor for each limiter, the median of measured / estimated, held near
 * the median of all while it rests on few variants. The raw estimate stays; this gives the corrected one
 * beside it. */
#ifndef MODEL_LEARN_H
#define MODEL_LEARN_H

#include "base/err.h"
#include "model/throughput.h"

#include <stddef.h>

enum { LEARN_LEAST = 8 }; /* variants measured before anything is corrected or pruned */

struct learn_point {
    enum resource limiter; /* of the prediction */
    double estimate_s;     /* raw, > 0 */
    double measured_s;     /* > 0 */
};

struct learned {
    size_t n;                     /* variants it rests on */
    double scale[RESOURCE_COUNT]; /* corrected = raw x scale; 1 while n < LEARN_LEAST */
    double fastest; /* measured / corrected: 0 while n < LEARN_LEAST, else the 5 % quantile, never above 1 */
};

/* ERR_USAGE when a time is not positive, ERR_MEMORY. On failure nothing is learned: all scales are 1. */
int learn_from(struct learned *out, const struct learn_point *points, size_t n, struct err *err);

double learned_estimate(const struct learned *learned, enum resource limiter, double estimate_s);

/* The time that a variant may well reach though its corrected estimate says more: estimate x fastest. A
 * variant is cut only if even that is above the best measured time; 0, so none is, while little is known. */
double learned_fastest(const struct learned *learned, enum resource limiter, double estimate_s);

#endif
