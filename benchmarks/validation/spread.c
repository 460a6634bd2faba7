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

/* What a fit needs of the rows, kernel by kernel, so that leaving one out costs no pass over the rows. */
struct kernels {
    struct normal *own; /* of each kernel, whose rows' weights add up to one */
    size_t *rows;       /* that take part */
    size_t count;
    struct normal all;
};

static bool takes_part(const struct spread_row *row)
{
    return !(row->reach > 0);
}

static void release(struct kernels *kernels)
{
    free(kernels->own);
    free(kernels->rows);
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

static void add_normal(struct normal *to, const struct normal *from, double times)
{
    for (int f = 0; f < INTERVAL_FEATURES; f++) {
        for (int g = 0; g < INTERVAL_FEATURES; g++)
            to->matrix[f][g] += times * from->matrix[f][g];
        to->right[f] += times * from->right[f];
    }
}

static int add_kernels(struct kernels *out, const struct spread_row *rows, size_t count, struct err *err)
{
    *out = (struct kernels){0};
    for (size_t i = 0; i < count; i++)
        out->count = rows[i].kernel + 1 > out->count ? rows[i].kernel + 1 : out->count;
    out->own = calloc(out->count + 1, sizeof *out->own);
    out->rows = calloc(out->count + 1, sizeof *out->rows);
    if (!out->own || !out->rows)
        return err_memory(err);
    for (size_t i = 0; i < count; i++)
        out->rows[rows[i].kernel] += takes_part(&rows[i]);
    for (size_t i = 0; i < count; i++)
        if (takes_part(&rows[i]))
            add_row(&out->own[rows[i].kernel], &rows[i], 1. / (double)out->rows[rows[i].kernel]);
    for (size_t k = 0; k < out->count; k++)
        add_normal(&out->all, &out->own[k], 1);
    return 0;
}

static void fit_weights(double weights[INTERVAL_FEATURES], const struct kernels *kernels, size_t without,
                        size_t also)
{
    struct normal normal = kernels->all;

    if (without < kernels->count)
        add_normal(&normal, &kernels->own[without], -1);
    if (also < kernels->count && also != without)
        add_normal(&normal, &kernels->own[also], -1);
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

/* The ends, from each kernel's residuals by a fit without it. Half of the weight goes by kernels, half by rows: by rows
 * alone the interval would be that of the largest spaces, by kernels alone it holds more of all rows than it says, since
 * those of the large spaces err less. */
static int fit_ends(struct spread *out, const struct spread_row *rows, size_t count,
                    const struct kernels *kernels, size_t without, struct err *err)
{
    struct place *places = calloc(count + 1, sizeof *places);
    struct spread *others = calloc(kernels->count + 1, sizeof *others);
    size_t n = 0, kernels_left = 0, rows_left = 0;

    for (size_t k = 0; k < kernels->count; k++)
        if (k != without && kernels->rows[k]) {
            kernels_left++;
            rows_left += kernels->rows[k];
        }
    for (size_t k = 0; others && k < kernels->count; k++)
        fit_weights(others[k].weights, kernels, without, k);
    for (size_t i = 0; places && others && i < count; i++) {
        const size_t k = rows[i].kernel;

        if (k != without && takes_part(&rows[i]))
            places[n++] =
                (struct place){rows[i].residual / spread_of(&others[k], rows[i].features),
                               1. / (double)(kernels_left * kernels->rows[k]) + 1. / (double)rows_left};
    }
    if (n)
        qsort(places, n, sizeof *places, by_place);
    out->low = n ? quantile(places, n, (1 - SPREAD_HELD) * SPREAD_FASTER) : 0;
    out->high = n ? quantile(places, n, 1 - (1 - SPREAD_HELD) * (1 - SPREAD_FASTER)) : 0;
    n = places && others;
    free(places);
    free(others);
    return n ? 0 : err_memory(err);
}

int spread_fit(struct spread *out, const struct spread_row *rows, size_t count, size_t without,
               struct err *err)
{
    struct kernels kernels;
    int rc = add_kernels(&kernels, rows, count, err);

    *out = (struct spread){0};
    if (!rc) {
        fit_weights(out->weights, &kernels, without, SIZE_MAX);
        rc = fit_ends(out, rows, count, &kernels, without, err);
    }
    release(&kernels);
    return rc;
}

/* Rows of one kernel. */
struct own {
    const struct spread_row **rows;
    size_t count;
};

static int by_estimate(const void *left, const void *right)
{
    const double a = (*(const struct spread_row *const *)left)->estimate_s,
                 b = (*(const struct spread_row *const *)right)->estimate_s;

    return (a > b) - (a < b);
}

/* Takes the trials out of the rows. */
static struct interval_trials draw(struct own *own, struct spread_trials how)
{
    struct interval_trials trials = {0};
    const size_t all = own->count;
    size_t kept = 0;

    if (how.best)
        qsort(own->rows, all, sizeof *own->rows, by_estimate);
    for (size_t i = 0; i < all; i++) {
        const struct spread_row *row = own->rows[i];

        if (trials.count < how.count && (how.best || i == (2 * trials.count + 1) * all / (2 * how.count)))
            interval_add_trial(&trials, 1, exp(row->residual));
        else
            own->rows[kept++] = row;
    }
    own->count = kept;
    return trials;
}

static void judge_rows(struct spread_held *out, double *widths, const struct spread *spread,
                       const struct own *own, const struct interval_trials *trials)
{
    for (size_t i = 0; i < own->count; i++) {
        const struct spread_row *row = own->rows[i];
        const double size = spread_of(spread, row->features);
        const struct interval_ends before = {spread->low * size, spread->high * size + row->reach},
                                   ends = interval_after(before, trials);

        out->below += row->residual < ends.low;
        out->above += row->residual > ends.high;
        widths[out->rows++] = exp(ends.high - ends.low);
    }
    out->below /= (double)out->rows;
    out->above /= (double)out->rows;
    out->held = 1 - out->below - out->above;
    out->width = stats_median(widths, out->rows);
}

int spread_judge(struct spread_held *out, const struct spread *spread, const struct spread_row *rows,
                 size_t count, size_t kernel, struct spread_trials trials, struct err *err)
{
    double *widths = calloc(count + 1, sizeof *widths);
    struct own own = {.rows = calloc(count + 1, sizeof *own.rows)};
    const int rc = widths && own.rows ? 0 : err_memory(err);

    *out = (struct spread_held){0};
    for (size_t i = 0; i < count && !rc; i++)
        if (rows[i].kernel == kernel)
            own.rows[own.count++] = &rows[i];
    if (own.count >= (trials.count ? trials.count + SPREAD_JUDGED : 1)) {
        const struct interval_trials drawn = draw(&own, trials);

        judge_rows(out, widths, spread, &own, &drawn);
    }
    free(widths);
    free(own.rows);
    return rc;
}
