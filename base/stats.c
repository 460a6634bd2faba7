#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double *sorted_copy(const double *values, size_t n)
{
    double *copy = malloc(n * sizeof *copy);

    if (copy) {
        memcpy(copy, values, n * sizeof *copy);
        qsort(copy, n, sizeof *copy, by_value);
    }
    return copy;
}

static double sorted_quantile(const double *sorted, size_t n, double q)
{
    const double place = q * (double)(n - 1);
    const size_t below = (size_t)place;

    if (below + 1 >= n)
        return sorted[n - 1];
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

double stats_mean(const double *values, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return n ? sum / (double)n : NAN;
}

double stats_quantile(const double *values, size_t n, double q)
{
    double *sorted = n ? sorted_copy(values, n) : NULL;
    double result = sorted ? sorted_quantile(sorted, n, q) : NAN;

    free(sorted);
    return result;
}

double stats_median(const double *values, size_t n)
{
    return stats_quantile(values, n, 0.5);
}

double stats_iqr(const double *values, size_t n)
{
    return stats_quantile(values, n, 0.75) - stats_quantile(values, n, 0.25);
}

/* The largest k with P(Binomial(n, 1/2) < k) <= 0.025: the k-th smallest and largest values enclose the
 * median. */
static size_t median_rank(size_t n)
{
    double term = pow(0.5, (double)n), below = 0;
    size_t k = 0;

    while (k < n && below + term <= 0.025) {
        below += term;
        term *= (double)(n - k) / (double)(k + 1);
        k++;
    }
    return k;
}

struct stats_interval stats_median_interval(const double *values, size_t n)
{
    struct stats_interval interval = {NAN, NAN};
    double *sorted = n ? sorted_copy(values, n) : NULL;
    size_t rank;

    if (!sorted)
        return interval;
    /* Past 1000 values 2^-n underflows and the normal approximation is exact enough. */
    rank = n <= 1000 ? median_rank(n) : (size_t)((double)n / 2 - 0.98 * sqrt((double)n));
    if (rank == 0)
        rank = 1;
    interval.low = sorted[rank - 1];
    interval.high = sorted[n - rank];
    free(sorted);
    return interval;
}

/* Lentz's evaluation of the continued fraction of the incomplete beta function (Abramowitz and
 * Stegun 26.5.8). */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1), result, even, odd, step;

    d = 1 / (fabs(d) < tiny ? tiny : d);
    result = d;
    for (int m = 1; m < 500; m++) {
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 + even * d;
        c = 1 + even / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        result *= d * c;
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 + odd * d;
        c = 1 + odd / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        step = d * c;
        result *= step;
        if (fabs(step - 1) < 1e-14)
            break;
    }
    return result;
}

/* Regularised incomplete beta function I_x(a, b), a, b > 0, 0 <= x <= 1. */
static double beta(double a, double b, double x)
{
    double front;

    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double stats_clopper_pearson_upper(size_t k, size_t n, double level)
{
    double low = 0, high = 1, middle;

    if (k >= n)
        return 1;
    for (int i = 0; i < 100; i++) {
        middle = (low + high) / 2;
        if (beta((double)k + 1, (double)(n - k), middle) < level)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

static double mean_rank(const double *sorted, size_t n, double value)
{
    size_t low = 0, high;

    while (low < n && sorted[low] < value)
        low++;
    for (high = low; high < n && !(sorted[high] > value);)
        high++;
    return ((double)low + (double)high - 1) / 2;
}

double stats_spearman(const double *x, const double *y, size_t n)
{
    double *sx = sorted_copy(x, n), *sy = sorted_copy(y, n);
    double xx = 0, yy = 0, xy = 0, dx, dy;
    const double centre = ((double)n - 1) / 2;

    for (size_t i = 0; sx && sy && i < n; i++) {
        dx = mean_rank(sx, n, x[i]) - centre;
        dy = mean_rank(sy, n, y[i]) - centre;
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    free(sx);
    free(sy);
    return n >= 2 && xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}
