/* How well predicted times agree with measured ones over a space. Pure functions. */
#ifndef VALIDATION_JUDGE_H
#define VALIDATION_JUDGE_H

#include "base/err.h"

#include <stddef.h>

struct judgement {
    size_t count;        /* pairs of a prediction and a measurement */
    double mean_error;   /* absolute, relative to the measured time */
    double median_error; /* likewise */
    double ratio;        /* median of predicted / measured */
    double pairs_right; /* of all pairs whose measured times differ by more than 5 %, the share ordered right;
                           a tie of predictions counts one half */
    double spearman;    /* rank correlation */
    size_t
        first_good; /* 1-based place, in the predicted order, of the first variant within 1 % of the best */
    double
        found_percent[3]; /* best time among the first 1 %, 5 %, 25 % of that order, over the best, less 1 */
};

/* `predicted` and `measured` are positive, n >= 1; a predicted NaN is left out, and counted by its absence.
 * ERR_USAGE when nothing is left, ERR_MEMORY. */
int judge_times(struct judgement *out, const double *predicted, const double *measured, size_t n,
                struct err *err);

struct bound_judgement {
    size_t violated;  /* bounds above the measured time */
    double worst;     /* largest bound / measured */
    double tightness; /* median of bound / measured among variants within twice the best */
    double cut;       /* share of variants whose bound is above the best measured time: cut by it alone */
};

void judge_bounds(struct bound_judgement *out, const double *bound, const double *measured, size_t n);

enum { JUDGE_QUARTERS = 4 };

/* Median absolute error by confidence: [0] of the quarter with the lowest. */
struct confidence_judgement {
    double quarter[JUDGE_QUARTERS];
};

/* n >= 4; of equal confidence the better predicted come first. ERR_MEMORY. */
int judge_confidence(struct confidence_judgement *out, const double *confidence, const double *predicted,
                     const double *measured, size_t n, struct err *err);

#endif
