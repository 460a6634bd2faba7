/* Fits the spread of log(measured / estimate) to what makes an estimate doubtful (model/predict/interval.h),
 * and judges the intervals that follow on kernels that had no part in the fit. Pure. */
#ifndef VALIDATION_SPREAD_H
#define VALIDATION_SPREAD_H

#include "base/err.h"
#include "model/predict/interval.h"

#include <stdbool.h>
#include <stddef.h>

/* A variant that was predicted and measured. */
struct spread_row {
    double features[INTERVAL_FEATURES];
    double residual; /* log(measured / estimate) */
    double estimate_s;
    double
        reach; /* how much higher its interval reaches for a reason of its own: then it is no part of a fit */
    size_t kernel; /* 0 up; each weighs the same */
};

struct spread {
    double weights[INTERVAL_FEATURES]; /* >= 0, but for INTERVAL_ALWAYS */
    double low, high; /* ends of the interval: low and high times the spread beyond log(estimate) */
};

/* By all rows but those of kernel `without` (SIZE_MAX: all). The weights minimise the squared error of the
 * log of the residuals' sizes; the ends hold SPREAD_HELD of what kernels left out of a fit in turn have.
 * ERR_MEMORY. */
int spread_fit(struct spread *out, const struct spread_row *rows, size_t count, size_t without,
               struct err *err);

/* A residual's place between the ends is residual / spread_of(). */
double spread_of(const struct spread *spread, const double features[INTERVAL_FEATURES]);

/* More than the interval's 80 %: what the model was mended by is held more often than kernels that it never saw, of which ends
 * that held 80 % here held 70 %, and ends that held 82 % held 69 and 74 %. */
#define SPREAD_HELD 0.83
/* Of what is not held, the share that is faster: of kernels never seen twice as many variants are faster than intervals whose two
 * sides miss as many here as are slower. */
#define SPREAD_FASTER (1. / 3)

/* What the intervals hold of one kernel's rows. */
struct spread_held {
    size_t rows;
    double held, below, above; /* shares */
    double width;              /* high / low, the median */
};

/* Trials of the kernel that are known when the rest of it is judged. */
struct spread_trials {
    size_t count;
    bool best; /* those predicted fastest; else evenly drawn from the rows in their order */
};

/* ERR_MEMORY. Nothing (rows 0) of a kernel with fewer than SPREAD_JUDGED rows beside the trials. */
int spread_judge(struct spread_held *out, const struct spread *spread, const struct spread_row *rows,
                 size_t count, size_t kernel, struct spread_trials trials, struct err *err);

enum { SPREAD_JUDGED = 8 }; /* where there are trials; else 1 */

#endif
