#include "validation/judge.h"

#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

struct pair {
    double predicted, measured;
};

static int by_prediction(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;

    if (a->predicted != b->predicted)
        return a->predicted < b->predicted ? -1 : 1;
    return (a->measured < b->measured) - (a->measured > b->measured); /* among equals the worst comes first */
}

static double best_of(const struct pair *pairs, size_t n)
{
    double best = INFINITY;

    for (size_t i = 0; i < n; i++)
        best = fmin(best, pairs[i].measured);
    return best;
}

static void judge_order(struct judgement *out, const struct pair *sorted)
{
    static const double parts[] = {0.01, 0.05, 0.25};
    const size_t n = out->count;
    const double best = best_of(sorted, n);
    double right = 0, all = 0;
    size_t i;

    for (i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            const double a = sorted[i].measured, b = sorted[j].measured;

            if (fmax(a, b) <= 1.05 * fmin(a, b))
                continue;
            all++;
            right += sorted[i].predicted == sorted[j].predicted ? 0.5 : a < b;
        }
    out->pairs_right = all > 0 ? right / all : NAN;
    for (i = 0; i < n && sorted[i].measured > 1.01 * best; i++)
        ;
    out->first_good = i + 1;
    for (i = 0; i < 3; i++)
        out->found_percent[i] = best_of(sorted, (size_t)fmax(ceil(parts[i] * (double)n), 1)) / best - 1;
}

static void judge_sizes(struct judgement *out, const struct pair *pairs, double *scratch, double *other)
{
    const size_t n = out->count;

    for (size_t i = 0; i < n; i++)
        scratch[i] = fabs(pairs[i].predicted / pairs[i].measured - 1);
    out->mean_error = stats_mean(scratch, n);
    out->median_error = stats_median(scratch, n);
    for (size_t i = 0; i < n; i++)
        scratch[i] = pairs[i].predicted / pairs[i].measured;
    out->ratio = stats_median(scratch, n);
    for (size_t i = 0; i < n; i++) {
        scratch[i] = pairs[i].predicted;
        other[i] = pairs[i].measured;
    }
    out->spearman = stats_spearman(scratch, other, n);
}

int judge_times(struct judgement *out, const double *predicted, const double *measured, size_t n,
                struct err *err)
{
    struct pair *pairs = calloc(n + 1, sizeof *pairs);
    double *scratch = calloc(2 * n + 1, sizeof *scratch);
    int rc = 0;

    *out = (struct judgement){0};
    if (!pairs || !scratch)
        rc = err_memory(err);
    for (size_t i = 0; i < n && !rc; i++)
        if (predicted[i] > 0 && measured[i] > 0)
            pairs[out->count++] = (struct pair){predicted[i], measured[i]};
    if (!rc && !out->count)
        rc = err_set(err, ERR_USAGE, "no variant has both a prediction and a measurement");
    if (!rc) {
        qsort(pairs, out->count, sizeof *pairs, by_prediction);
        judge_order(out, pairs);
        judge_sizes(out, pairs, scratch, scratch + n);
    }
    free(pairs);
    free(scratch);
    return rc;
}

void judge_bounds(struct bound_judgement *out, const double *bound, const double *measured, size_t n)
{
    double best = INFINITY, *near = calloc(n + 1, sizeof *near);
    size_t i, close = 0, cut = 0;

    *out = (struct bound_judgement){.tightness = NAN};
    for (i = 0; i < n; i++)
        best = fmin(best, measured[i]);
    for (i = 0; i < n; i++) {
        out->violated += bound[i] > measured[i];
        out->worst = fmax(out->worst, bound[i] / measured[i]);
        cut += bound[i] > best;
        if (near && measured[i] <= 2 * best)
            near[close++] = bound[i] / measured[i];
    }
    if (close)
        out->tightness = stats_median(near, close);
    out->cut = n ? (double)cut / (double)n : 0;
    free(near);
}

struct trusted {
    double confidence, error;
};

static int by_confidence(const void *left, const void *right)
{
    const struct trusted *a = left, *b = right;

    if (a->confidence != b->confidence)
        return a->confidence < b->confidence ? -1 : 1;
    return (a->error > b->error) - (a->error < b->error);
}

int judge_confidence(struct confidence_judgement *out, const double *confidence, const double *predicted,
                     const double *measured, size_t n, struct err *err)
{
    struct trusted *all = calloc(n + 1, sizeof *all);
    double *errors = calloc(n + 1, sizeof *errors);
    const int rc = all && errors ? 0 : err_memory(err);

    *out = (struct confidence_judgement){0};
    for (size_t i = 0; i < n && !rc; i++)
        all[i] = (struct trusted){confidence[i], fabs(predicted[i] / measured[i] - 1)};
    if (!rc) {
        qsort(all, n, sizeof *all, by_confidence);
        for (size_t i = 0; i < n; i++)
            errors[i] = all[i].error;
        for (size_t q = 0; q < JUDGE_QUARTERS; q++) {
            const size_t first = q * n / JUDGE_QUARTERS, end = (q + 1) * n / JUDGE_QUARTERS;

            out->quarter[q] = stats_median(errors + first, end - first);
        }
    }
    free(errors);
    free(all);
    return rc;
}
