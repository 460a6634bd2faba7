#include "validation/spread.h"

#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

enum { SWEEPS = 200 };

#define LEAST_SIZE 0.01 /* of a residual: below, measuring noise decides */
#define RIDGE      1e-3 /* keeps the weights of features that hardly vary finite */

double spread_of(const struct spread *spread, const double features[INTERVAL_FEATURES])
{
    return interval_spread(spread->weights, features);
}

struct normal {
    double matrix[INTERVAL_FEATURES][INTERVAL_FEATURES], right[INTERVAL_FEATURES];
};

static bool takes_part(const struct spread_row *row, size_t without, size_t also)
{
    return row->kernel != without && row->kernel != also;
}

/* How many rows of its kernel a row stands beside: their weights add up to one. */
static int count_rows(size_t **out, size_t *kernels, const struct spread_row *rows, size_t count,
                      struct err *err)
{
    *kernels = 0;
    for (size_t i = 0; i < count; i++)
        *kernels = rows[i].kernel + 1 > *kernels ? rows[i].kernel + 1 : *kernels;
    *out = calloc(*kernels + 1, sizeof **out);
    if (!*out)
        return err_memory(err);
    for (size_t i = 0; i < count; i++)
        (*out)[rows[i].kernel]++;
    return 0;
}

static void add_row(struct normal *normal, const struct spread_row *row, double weight)
{
    const double size = log(fabs(row->residual) + LEAST_SIZE);

    for (int f = 0; f < INTERVAL_FEATURES; f++) {
        for (int g = 0; g < INTERVAL_FEATURES; g++)
            normal->matrix[f][g] += weight * row->features[f] * row->features[g];
        normal->right[f] += weight * row->features[f] * size;
    }
}

/* Least squares with weights that cannot fall below 0, one after another: a doubt makes no estimate surer. */
static void solve(double weights[INTERVAL_FEATURES], const struct normal *normal)
{
    for (int f = 0; f < INTERVAL_FEATURES; f++)
        weights[f] = 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int f = 0; f < INTERVAL_FEATURES; f++) {
            double rest = normal->right[f];

            for (int g = 0; g < INTERVAL_FEATURES; g++)
                rest -= g == f ? 0 : normal->matrix[f][g] * weights[g];
            if (f == INTERVAL_ALWAYS)
                weights[f] = rest / fmax(normal->matrix[f][f], LEAST_SIZE);
            else
                weights[f] = fmax(rest / (normal->matrix[f][f] + RIDGE), 0);
        }
}

static void fit_weights(double weights[INTERVAL_FEATURES], const struct spread_row *rows, size_t count,
                        const size_t *own, size_t without, size_t also)
{
    struct normal normal = {0};

    for (size_t i = 0; i < count; i++)
        if (takes_part(&rows[i], without, also))
            add_row(&normal, &rows[i], 1. / (double)own[rows[i].kernel]);
    solve(weights, &normal);
}

struct place {
    double at, weight;
};

static int by_place(const void *left, const void *right)
{
    const double a = ((const struct place *)left)->at, b = ((const struct place *)right)->at;

    return (a > b) - (a < b);
}

static double quantile(const struct place *sorted, size_t count, double share)
{
    double all = 0, sum = 0;
    size_t i;

    for (i = 0; i < count; i++)
        all += sorted[i].weight;
    for (i = 0; i + 1 < count && (sum += sorted[i].weight) < share * all; i++)
        ;
    return sorted[i].at;
}

/* The ends, from each kernel's residuals by a fit without it. */
static int fit_ends(struct spread *out, const struct spread_row *rows, size_t count, const size_t *own,
                    size_t kernels, size_t without, struct err *err)
{
    struct place *places = calloc(count + 1, sizeof *places);
    size_t n = 0;

    if (!places)
        return err_memory(err);
    for (size_t k = 0; k < kernels; k++) {
        struct spread other = {0};

        if (k == without || !own[k])
            continue;
        fit_weights(other.weights, rows, count, own, without, k);
        for (size_t i = 0; i < count; i++)
            if (rows[i].kernel == k)
                places[n++] = (struct place){rows[i].residual / spread_of(&other, rows[i].features),
                                             1. / (double)own[k]};
    }
    qsort(places, n, sizeof *places, by_place);
    out->low = n ? quantile(places, n, (1 - SPREAD_HELD) / 2) : 0;
    out->high = n ? quantile(places, n, (1 + SPREAD_HELD) / 2) : 0;
    free(places);
    return 0;
}

int spread_fit(struct spread *out, const struct spread_row *rows, size_t count, size_t without,
               struct err *err)
{
    size_t *own, kernels;
    int code = count_rows(&own, &kernels, rows, count, err);

    *out = (struct spread){0};
    if (code)
        return code;
    fit_weights(out->weights, rows, count, own, without, SIZE_MAX);
    code = fit_ends(out, rows, count, own, kernels, without, err);
    free(own);
    return code;
}

int spread_judge(struct spread_held *out, const struct spread *spread, const struct spread_row *rows,
                 size_t count, size_t kernel, struct err *err)
{
    double *widths = calloc(count + 1, sizeof *widths);

    *out = (struct spread_held){0};
    if (!widths)
        return err_memory(err);
    for (size_t i = 0; i < count; i++) {
        double size;

        if (rows[i].kernel != kernel)
            continue;
        size = spread_of(spread, rows[i].features);
        out->below += rows[i].residual < spread->low * size;
        out->above += rows[i].residual > spread->high * size;
        widths[out->rows++] = exp((spread->high - spread->low) * size);
    }
    if (out->rows) {
        out->below /= (double)out->rows;
        out->above /= (double)out->rows;
        out->held = 1 - out->below - out->above;
        out->width = stats_median(widths, out->rows);
    }
    free(widths);
    return 0;
}
