#include "model/predict/learn.h"

#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

/* Variants of one limiter that count as much as the median over all variants. */
static const double PRIOR = 4;

static void nothing(struct learned *out)
{
    enum resource r;

    *out = (struct learned){0};
    for (r = 0; r < RESOURCE_COUNT; r++)
        out->scale[r] = 1;
}

static int check(const struct learn_point *points, size_t n, struct err *err)
{
    for (size_t i = 0; i < n; i++)
        if (!(points[i].estimate_s > 0 && points[i].measured_s > 0 && isfinite(points[i].estimate_s)))
            return err_set(err, ERR_USAGE,
                           "variant %zu: estimate %g s, measured %g s: positive times are meant", i,
                           points[i].estimate_s, points[i].measured_s);
    return 0;
}

/* Log ratios of the variants with this limiter; RESOURCE_COUNT for all. Returns how many. */
static size_t gather(double *ratios, const struct learn_point *points, size_t n, enum resource limiter)
{
    size_t i, count = 0;

    for (i = 0; i < n; i++)
        if (limiter == RESOURCE_COUNT || points[i].limiter == limiter)
            ratios[count++] = log(points[i].measured_s / points[i].estimate_s);
    return count;
}

static void learn_scales(struct learned *out, double *ratios, const struct learn_point *points, size_t n)
{
    const double all = stats_median(ratios, gather(ratios, points, n, RESOURCE_COUNT));
    enum resource r;

    for (r = 0; r < RESOURCE_COUNT; r++) {
        const size_t count = gather(ratios, points, n, r);
        const double weight = (double)count / ((double)count + PRIOR);
        const double own = count ? stats_median(ratios, count) : all;

        out->scale[r] = exp(weight * own + (1 - weight) * all);
    }
}

int learn_from(struct learned *out, const struct learn_point *points, size_t n, struct err *err)
{
    double *ratios;

    nothing(out);
    if (check(points, n, err))
        return ERR_USAGE;
    out->n = n;
    if (n < LEARN_LEAST)
        return 0;
    ratios = calloc(n, sizeof *ratios);
    if (!ratios)
        return err_memory(err);
    learn_scales(out, ratios, points, n);
    free(ratios);
    return 0;
}

double learned_estimate(const struct learned *learned, enum resource limiter, double estimate_s)
{
    return estimate_s * learned->scale[limiter];
}
