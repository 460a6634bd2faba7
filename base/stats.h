/* Statistics of small samples. Functions that order values work on a copy; an empty sample gives NaN. */
#ifndef BASE_STATS_H
#define BASE_STATS_H

#include <stddef.h>

double stats_mean(const double *values, size_t n);
double stats_median(const double *values, size_t n);

/* The q-quantile, 0 <= q <= 1, by linear interpolation between order statistics (Hyndman and Fan's type 7). */
double stats_quantile(const double *values, size_t n, double q);
double stats_iqr(const double *values, size_t n);

/* 95 % interval of the median from order statistics (binomial, two-sided, conservative); for n < 6 the whole
 * range. */
struct stats_interval {
    double low, high;
};
struct stats_interval stats_median_interval(const double *values, size_t n);

/* Clopper-Pearson upper limit on a share, for k successes in n trials, at a one-sided confidence `level`: 0
 * of 40 at 0.95 gives 0.0722, and 0.975 is the upper end of the two-sided 95 % interval. n = 0 gives 1. */
double stats_clopper_pearson_upper(size_t k, size_t n, double level);

/* Spearman's rank correlation of pairs, ties at their mean rank; NaN when either side is constant or n < 2. */
double stats_spearman(const double *x, const double *y, size_t n);

#endif
