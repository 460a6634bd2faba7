/* Fits the predicted 80 % interval of the time to measured times, and judges it on kernels left out of the
 * fit:
 *
 *   validation_intervals [--output FILE] POINTS
 *
 * POINTS is what `validation --points` writes. Prints a table; with --output the weights are written as
 * model/predict/interval.def holds them. */
#include "validation/program.h"

#include "base/array.h"
#include "model/machine/assumptions.h"
#include "validation/spread.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 64, TEXT = 8192, COLUMNS = 10 };

/* Columns of the points. */
enum column { KERNEL, MEASURED = 2, ESTIMATE, BOUND, CONFIDENCE, LIMITER = 7, HIDDEN, REACH };

struct sample {
    struct spread_row *rows;
    size_t count;
    char (*names)[NAME]; /* of kernels */
    size_t kernels;
};

static void release(struct sample *sample)
{
    free(sample->rows);
    free(sample->names);
}

/* The kernel's number; a new one comes last. */
static int find_kernel(size_t *out, struct sample *sample, const char *name, struct err *err)
{
    for (size_t k = 0; k < sample->kernels; k++)
        if (!strncmp(sample->names[k], name, NAME - 1)) {
            *out = k;
            return 0;
        }
    if (ARRAY_GROW(sample->names, sample->kernels, err))
        return ERR_MEMORY;
    snprintf(sample->names[sample->kernels], NAME, "%s", name);
    *out = sample->kernels++;
    return 0;
}

static int add_row(struct sample *sample, const struct spread_row *row, struct err *err)
{
    if (ARRAY_GROW(sample->rows, sample->count, err))
        return ERR_MEMORY;
    sample->rows[sample->count++] = *row;
    return 0;
}

/* A line without a prediction has a reason in place of a limiter, and is no row; nor is the heading, nor what is
 * predicted without an interval. */
static int take_line(struct sample *out, char *line, struct err *err)
{
    char *columns[COLUMNS], *at = line;
    struct prediction p = {0};
    struct spread_row row = {0};
    double measured;
    int n = 0, limiter;

    while (n < COLUMNS && (columns[n] = strsep(&at, "\t\n")) != NULL)
        n++;
    limiter = n < COLUMNS ? -1 : resource_find(columns[LIMITER]);
    if (limiter < 0)
        return 0;
    p.limiter = (enum resource)limiter;
    measured = atof(columns[MEASURED]);
    p.estimate_s = atof(columns[ESTIMATE]);
    p.bound_s = atof(columns[BOUND]);
    p.confidence = atof(columns[CONFIDENCE]);
    p.latency_hidden = atoi(columns[HIDDEN]) != 0;
    if (!(measured > 0 && p.estimate_s > 0 && p.confidence > 0))
        return 0;
    row.residual = log(measured / p.estimate_s);
    row.estimate_s = p.estimate_s;
    row.reach = log(atof(columns[REACH]));
    interval_features(row.features, &p);
    if (find_kernel(&row.kernel, out, columns[KERNEL], err))
        return ERR_MEMORY;
    return add_row(out, &row, err);
}

static int read_points(struct sample *out, const char *path, struct err *err)
{
    char line[TEXT];
    FILE *file = fopen(path, "r");
    int rc = file ? 0 : err_set(err, ERR_SYSTEM, "%s: cannot be read", path);

    while (!rc && fgets(line, sizeof line, file))
        rc = take_line(out, line, err);
    if (file)
        fclose(file);
    if (!rc && !out->count)
        rc = err_set(err, ERR_FORMAT, "%s: no point has a prediction and a measurement", path);
    return rc;
}

static void put_row(const char *name, const struct spread_held *held)
{
    printf("| %s | %zu | %.0f %% | %.0f %% | %.0f %% | %.2f |\n", name, held->rows, 100 * held->held,
           100 * held->below, 100 * held->above, held->width);
}

/* The means over kernels, and over measurements, of which most are of few kernels. */
struct totals {
    struct spread_held kernels, measurements;
    size_t judged;
};

static void add_held(struct totals *to, const struct spread_held *held)
{
    const double rows = (double)held->rows;

    to->judged++;
    to->kernels.rows += held->rows;
    to->kernels.held += held->held;
    to->kernels.below += held->below;
    to->kernels.above += held->above;
    to->kernels.width += log(held->width);
    to->measurements.held += rows * held->held;
    to->measurements.below += rows * held->below;
    to->measurements.above += rows * held->above;
    to->measurements.width += rows * log(held->width);
}

static void put_mean(const char *name, struct spread_held sums, size_t rows, double by)
{
    sums = (struct spread_held){rows, sums.held / by, sums.below / by, sums.above / by, exp(sums.width / by)};
    put_row(name, &sums);
}

/* Each kernel by a fit without it. */
static int judge_kernels(const struct sample *sample, size_t kernels, struct err *err)
{
    struct totals totals = {0};
    int rc = 0;

    printf("| kernel, left out of the fit | variants | held | faster | slower | high / low |\n"
           "|---|---:|---:|---:|---:|---:|\n");
    for (size_t k = 0; k < kernels && !rc; k++) {
        struct spread_held held;
        struct spread spread;

        rc = spread_fit(&spread, sample->rows, sample->count, k, err);
        if (!rc)
            rc = spread_judge(&held, &spread, sample->rows, sample->count, k, (struct spread_trials){0}, err);
        if (rc || !held.rows)
            continue;
        put_row(sample->names[k], &held);
        add_held(&totals, &held);
    }
    if (rc || !totals.judged)
        return rc;
    put_mean("mean of kernels", totals.kernels, totals.kernels.rows, (double)totals.judged);
    put_mean("of all measurements", totals.measurements, totals.kernels.rows, (double)totals.kernels.rows);
    return 0;
}

/* The same where some trials of the kernel are known. */
static int judge_after(struct spread_trials trials, const struct sample *sample, size_t kernels,
                       struct err *err)
{
    double held_sum = 0, width_sum = 0;
    size_t judged = 0, under_half = 0;

    for (size_t k = 0; k < kernels; k++) {
        struct spread_held held;
        struct spread spread;
        int rc = spread_fit(&spread, sample->rows, sample->count, k, err);

        if (!rc)
            rc = spread_judge(&held, &spread, sample->rows, sample->count, k, trials, err);
        if (rc)
            return rc;
        if (!held.rows)
            continue;
        judged++;
        held_sum += held.held;
        width_sum += log(held.width);
        under_half += held.held < 0.5;
    }
    if (judged)
        printf("| %zu, %s | %zu | %.0f %% | %zu | %.2f |\n", trials.count,
               !trials.count ? "none"
               : trials.best ? "those predicted fastest"
                             : "evenly drawn",
               judged, 100 * held_sum / (double)judged, under_half, exp(width_sum / (double)judged));
    return 0;
}

static int judge_trials(const struct sample *sample, size_t kernels, struct err *err)
{
    static const size_t counts[] = {0, 1, 2, 4, 8};

    printf("\n| trials known of the kernel | kernels | held, mean of kernels | under half | high / low |\n"
           "|---|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int best = 0; best <= (counts[i] > 0); best++)
            if (judge_after((struct spread_trials){counts[i], best}, sample, kernels, err))
                return err->code;
    return 0;
}

static int write_def(const char *path, const struct spread *spread, const struct sample *sample,
                     size_t kernels, struct err *err)
{
    FILE *out = fopen(path, "w");
    int failed;

    if (!out)
        return err_set(err, ERR_SYSTEM, "%s: cannot be written", path);
    fprintf(
        out,
        "/* Written by validation_intervals (benchmarks/validation), from %zu variants of %zu kernels.\n"
        " * The spread of log(measured / estimate) is exp(sum of weight x feature); the interval reaches\n"
        " * from INTERVAL_LOW to INTERVAL_HIGH times the spread beyond log(estimate). */\n",
        sample->count, kernels);
    for (int f = 0; f < INTERVAL_FEATURES; f++)
        fprintf(out, "INTERVAL_FEATURE(%s, %.4g, \"%s\")\n", interval_feature_name((enum interval_feature)f),
                spread->weights[f], interval_feature_text((enum interval_feature)f));
    fprintf(out, "INTERVAL_END(LOW, %.4g)\nINTERVAL_END(HIGH, %.4g)\n", spread->low, spread->high);
    fprintf(out, "#undef INTERVAL_FEATURE\n#undef INTERVAL_END\n");
    failed = ferror(out);
    if (fclose(out) || failed)
        return err_set(err, ERR_SYSTEM, "%s: cannot be written", path);
    return 0;
}

static int run(const char *points, const char *output, struct err *err)
{
    struct sample sample = {0};
    struct spread spread;
    int rc = read_points(&sample, points, err);

    if (!rc)
        rc = judge_kernels(&sample, sample.kernels, err);
    if (!rc)
        rc = judge_trials(&sample, sample.kernels, err);
    if (!rc)
        rc = spread_fit(&spread, sample.rows, sample.count, SIZE_MAX, err);
    if (!rc && output)
        rc = write_def(output, &spread, &sample, sample.kernels, err);
    release(&sample);
    return rc;
}

int main(int argc, char **argv)
{
    const char *output = NULL;
    const struct program_option options[] = {{"output", .text = &output}, {0}};
    const int first = program_options(argc, argv, options);
    struct err err = {0};

    if (first < 0 || first + 1 != argc) {
        fprintf(stderr, "usage: validation_intervals [--output FILE] POINTS\n");
        return 2;
    }
    if (run(argv[first], output, &err)) {
        fprintf(stderr, "validation_intervals: %s\n", err.text);
        return 1;
    }
    return 0;
}
