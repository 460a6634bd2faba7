/* Groups of variants that differ in one parameter alone, and whether the model saw what it does; and steps
 * from variant to variant by changing one parameter at a time. All of the points that have a prediction. */
#ifndef VALIDATION_GROUPS_H
#define VALIDATION_GROUPS_H

#include "base/err.h"
#include "validation/collect.h"

#include <stddef.h>
#include <stdio.h>

/* Variants that get slower though more warps are resident (Volkov 3.3: occupancy is no goal in itself). */
struct falls {
    size_t groups; /* in which the parameter changes occupancy */
    size_t fell;   /* whose fastest of the highest occupancy is over 2 % slower than one of a lower */
    size_t seen;   /* of these, predicted to be slower too */
    const struct point *from, *to; /* of the group that falls most; null when none does */
};
int falls_of(struct falls *out, const struct collection *from, size_t parameter, struct err *err);

/* Whether the value predicted to be best is the measured best. */
struct choices {
    size_t groups;
    size_t right;                   /* the same value, or a variant within 1 % of the best */
    double cost_median, cost_worst; /* measured time of the predicted choice over the best's, less 1 */
};
int choices_of(struct choices *out, const struct collection *from, size_t parameter, struct err *err);

/* Advice to change one parameter: the neighbour predicted fastest, if it is predicted over 1 % faster. Asked
 * for the slower half of the measured variants. */
struct steps {
    size_t asked, advised;
    size_t faster;                        /* of the advised, those whose first step measured faster */
    double predicted_gain, measured_gain; /* of the first step: medians of the speed-up */
    double before, after; /* medians of the time over the best, less 1: at the start, and where advice ends */
};
int steps_of(struct steps *out, const struct collection *from, struct err *err);

/* The errors of the points with one value of a parameter. */
struct by_value {
    size_t count;
    double mean_error, ratio;       /* absolute, relative; median of predicted / measured */
    double best_s, best_estimate_s; /* measured and predicted time of the measured best */
};
int by_value_of(struct by_value *out, const struct collection *from, size_t parameter, unsigned value,
                struct err *err);

/* Markdown: tables of falls, of unroll factors and of steps over all kernels. ERR_MEMORY, ERR_USAGE. */
int groups_write(FILE *out, const struct collection *const *collections, size_t count, struct err *err);

/* Markdown: for one kernel its values side by side, where that is asked of it; else nothing. */
int groups_write_values(FILE *out, const struct collection *collection, struct err *err);

#endif
