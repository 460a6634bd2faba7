/* Learning during the run: the first measured variants scale the estimates of the bound that limits them.
 *
 * Few parameters and robust ones: one factor for each limiter, the median of measured / estimated, held near
 * the median of all while it rests on few variants. The raw estimate stays; this gives the corrected one
 * beside it. */
#ifndef MODEL_LEARN_H
#define MODEL_LEARN_H

#include "base/err.h"
#include "model/machine/throughput.h"

#include <stddef.h>

enum { LEARN_LEAST = 8 }; /* variants measured before anything is corrected */

struct learn_point {
    enum resource limiter; /* of the prediction */
    double estimate_s;     /* raw, > 0 */
    double measured_s;     /* > 0 */
};

struct learned {
    size_t n;                     /* variants it rests on */
    double scale[RESOURCE_COUNT]; /* corrected = raw x scale; 1 while n < LEARN_LEAST */
};

/* ERR_USAGE when a time is not positive, ERR_MEMORY. On failure nothing is learned: all scales are 1. */
int learn_from(struct learned *out, const struct learn_point *points, size_t n, struct err *err);

double learned_estimate(const struct learned *learned, enum resource limiter, double estimate_s);

#endif
