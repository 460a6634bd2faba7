#include "claims/curve.h"

#include <math.h>
#include <stdlib.h>

struct place {
    double warps, rate;
};

static int by_warps(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    if (a->warps != b->warps)
        return a->warps < b->warps ? -1 : 1;
    return (a->rate < b->rate) - (a->rate > b->rate);
}

int curve_of(struct curve *out, const double *warps, const double *rate, size_t n, struct err *err)
{
    struct place *places = calloc(n + 1, sizeof *places);

    *out = (struct curve){.warps = calloc(2 * n + 1, sizeof *out->warps)};
    if (!places || !out->warps) {
        free(places);
        curve_release(out);
        return err_memory(err);
    }
    out->rate = out->warps + n;
    for (size_t i = 0; i < n; i++)
        places[i] = (struct place){warps[i], rate[i]};
    qsort(places, n, sizeof *places, by_warps);
    for (size_t i = 0; i < n; i++) {
        if (i && places[i].warps == places[i - 1].warps)
            continue;
        out->warps[out->count] = places[i].warps;
        out->rate[out->count++] = places[i].rate;
    }
    free(places);
    if (out->count)
        return 0;
    curve_release(out);
    return err_set(err, ERR_USAGE, "no point to draw a curve through");
}

void curve_release(struct curve *curve)
{
    free(curve->warps);
    *curve = (struct curve){0};
}

double curve_peak(const struct curve *curve)
{
    double peak = 0;

    for (size_t i = 0; i < curve->count; i++)
        peak = fmax(peak, curve->rate[i]);
    return peak;
}

bool curve_grows(const struct curve *curve)
{
    const double *x = curve->warps, *y = curve->rate;
    size_t i = curve->count - 1;

    while (i > 0 && x[i] > 0.75 * x[curve->count - 1])
        i--;
    return curve_peak(curve) > 1.05 * y[i];
}

double curve_needed(const struct curve *curve, double rate)
{
    const double *x = curve->warps, *y = curve->rate;
    size_t i;

    for (i = 0; i < curve->count && y[i] < rate; i++)
        ;
    if (i == curve->count)
        return NAN;
    return i ? x[i - 1] + (x[i] - x[i - 1]) * (rate - y[i - 1]) / (y[i] - y[i - 1]) : x[0];
}
