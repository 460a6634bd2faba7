#include "tuner/compare/comparing.h"

#include "base/queue.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

const unsigned compare_marks[COMPARE_MARKS] = {10, 30, 100, 300};

const struct compare_row compare_ways[COMPARE_WAYS] = {
    [COMPARE_EXHAUSTIVE] = {.name = "exhaustive", .strategy = &strategy_exhaustive},
    [COMPARE_MODEL] = {.name = "model", .strategy = &strategy_model, .worse = "model, 1 run in 10"},
    [COMPARE_RANDOM] = {.name = "random", .strategy = &strategy_random, .worse = "random, 1 run in 10"},
    [COMPARE_OCCUPANCY] = {.name = "occupancy", .strategy = &strategy_planned, .by_occupancy = true},
    [COMPARE_PARETO] = {.name = "pareto", .strategy = &strategy_planned, .on_front = true},
};

const char *compare_way_text(enum compare_way way)
{
    return compare_ways[way].name;
}

static struct compare_spread spread_of(double *values, size_t n)
{
    struct compare_spread out;

    for (size_t i = 0; i < n; i++) /* quantiles interpolate, which infinity does not bear */
        values[i] = fmin(values[i], 1e300);
    out.median = stats_median(values, n);
    out.low = stats_quantile(values, n, 0.1);
    out.high = stats_quantile(values, n, 0.9);
    out.median = out.median < 1e290 ? out.median : INFINITY;
    out.low = out.low < 1e290 ? out.low : INFINITY;
    out.high = out.high < 1e290 ? out.high : INFINITY;
    return out;
}

/* Quality after n trials: what a run that had ended by then found. */
static double quality_after(const struct compare_run *run, size_t n)
{
    if (!run->count || !n)
        return 0;
    return run->quality[(n < run->count ? n : run->count) - 1];
}

static double clock_after(const struct compare_run *run, size_t n)
{
    return run->count ? run->clock_s[(n < run->count ? n : run->count) - 1] : 0;
}

/* The first trial after which the quality is at least 0.99: its number, or where none is, infinity. */
static double trials_to_99(const struct compare_run *run)
{
    for (size_t i = 0; i < run->count; i++)
        if (run->quality[i] >= 0.99)
            return (double)(i + 1);
    return INFINITY;
}

static double seconds_to_99(const struct compare_run *run)
{
    const double trials = trials_to_99(run);

    return isinf(trials) ? INFINITY : run->clock_s[(size_t)trials - 1];
}

static double compiled_of(const struct compare_run *run)
{
    return (double)run->compiled;
}

static double timed_of(const struct compare_run *run)
{
    return (double)run->count;
}

static double end_of(const struct compare_run *run)
{
    return run->end_s;
}

static double busy_of(const struct compare_run *run)
{
    return run->busy;
}

static struct compare_spread over_runs(double (*of)(const struct compare_run *run),
                                       const struct compare_run *runs, unsigned n)
{
    double values[COMPARE_SEEDS_MOST];

    for (unsigned i = 0; i < n; i++)
        values[i] = of(&runs[i]);
    return spread_of(values, n);
}

static struct compare_spread after(double (*of)(const struct compare_run *run, size_t n),
                                   const struct compare_run *runs, unsigned seeds, size_t n)
{
    double values[COMPARE_SEEDS_MOST];

    for (unsigned i = 0; i < seeds; i++)
        values[i] = of(&runs[i], n);
    return spread_of(values, seeds);
}

static int make_curve(struct compared_way *out, const struct compare_run *runs, unsigned seeds,
                      struct err *err)
{
    for (unsigned i = 0; i < seeds; i++)
        out->curve_count = runs[i].count > out->curve_count ? runs[i].count : out->curve_count;
    out->curve = calloc(out->curve_count + 1, sizeof *out->curve);
    out->clock = calloc(out->curve_count + 1, sizeof *out->clock);
    if (!out->curve || !out->clock)
        return err_memory(err);
    for (size_t n = 0; n < out->curve_count; n++) {
        out->curve[n] = after(quality_after, runs, seeds, n + 1);
        out->clock[n] = after(clock_after, runs, seeds, n + 1);
    }
    return 0;
}

static int summarise(struct compared_way *out, const struct compare_run *runs, unsigned seeds,
                     struct err *err)
{
    out->compared = true;
    out->quality = after(quality_after, runs, seeds, SIZE_MAX);
    out->timed = over_runs(timed_of, runs, seeds);
    out->compiled = over_runs(compiled_of, runs, seeds);
    out->seconds = over_runs(end_of, runs, seeds);
    out->busy = over_runs(busy_of, runs, seeds);
    out->trials_to_99 = over_runs(trials_to_99, runs, seeds);
    out->seconds_to_99 = over_runs(seconds_to_99, runs, seeds);
    for (int m = 0; m < COMPARE_MARKS; m++)
        out->after[m] = after(quality_after, runs, seeds, compare_marks[m]);
    return make_curve(out, runs, seeds, err);
}

/* Why a way cannot be compared; null where it can. */
static const char *why_not(const struct compare_options *options, const struct compare_row *row)
{
    if (row->strategy->reads_predictions && !options->predictions)
        return "no calibrated device profile, or no compiler";
    if (row->by_occupancy && !options->replay->resources)
        return "the recording holds no occupancy";
    if (row->on_front && !options->pareto)
        return "not asked for: it takes a prediction of every configuration";
    return NULL;
}

/* A run, on a thread of the queue. */
struct errand {
    const struct compare_options *options;
    enum compare_way way;
    unsigned seed;
    struct compare_run run;
    struct err err;
};

static void do_errand(void *argument)
{
    struct errand *errand = argument;

    compare_run(&errand->run, errand->options, errand->way, errand->seed, &errand->err);
}

/* All seeds of one way. The first error, by seed, is the one told. */
static int do_errands(struct errand *errands, struct queue *queue, unsigned seeds, struct err *err)
{
    void *finished;
    int rc = 0;

    for (unsigned seed = 0; seed < seeds && !rc; seed++)
        rc = queue_submit(queue, 0, do_errand, &errands[seed], err);
    while (queue_wait(queue, &finished, -1))
        ;
    for (unsigned seed = 0; seed < seeds && !rc; seed++)
        if (errands[seed].err.code)
            rc = err_set(err, (enum err_code)errands[seed].err.code, "%s", errands[seed].err.text);
    return rc;
}

static void count_rules(struct compare_rules *out, const struct compare_rules *run)
{
    out->lost_by_bound += run->lost_by_bound;
    out->lost_by_estimate += run->lost_by_estimate;
    out->audits += run->audits;
    out->audits_held += run->audits_held;
}

static int run_way(struct compared *out, const struct compare_options *options, enum compare_way way,
                   struct queue *queue, struct err *err)
{
    struct errand *errands = calloc(options->seeds, sizeof *errands);
    struct compare_run *runs = calloc(options->seeds, sizeof *runs);
    int rc = errands && runs ? 0 : err_memory(err);

    for (unsigned seed = 0; seed < options->seeds && !rc; seed++)
        errands[seed] = (struct errand){.options = options, .way = way, .seed = seed};
    if (!rc)
        rc = do_errands(errands, queue, options->seeds, err);
    for (unsigned seed = 0; seed < options->seeds && !rc; seed++) {
        runs[seed] = errands[seed].run;
        count_rules(&out->rules, &runs[seed].rules);
    }
    if (!rc)
        rc = summarise(&out->ways[way], runs, options->seeds, err);
    for (unsigned seed = 0; errands && seed < options->seeds; seed++)
        compare_run_release(&errands[seed].run);
    free(errands);
    free(runs);
    return rc;
}

/* Every way at the number of trials that the model took. */
static void look_at_model(struct compared *out)
{
    const struct compared_way *model = &out->ways[COMPARE_MODEL];

    for (int w = 0; w < COMPARE_WAYS; w++) {
        struct compared_way *way = &out->ways[w];
        const size_t trials = (size_t)model->timed.median;

        way->at_model = (struct compare_spread){NAN, NAN, NAN};
        if (way->compared && model->compared && trials)
            way->at_model = way->curve[(trials < way->curve_count ? trials : way->curve_count) - 1];
    }
}

int compare(struct compared *out, const struct compare_options *options, struct err *err)
{
    const struct replay *replay = options->replay;
    struct queue *queue = NULL;
    int w, rc = queue_open(&queue, &options->jobs, 1, err);

    *out = (struct compared){.valid = replay->count,
                             .ran = replay->ran,
                             .best = replay->best,
                             .best_s = replay->best_s,
                             .seeds = options->seeds,
                             .cores = options->cores};
    for (w = 0; w < COMPARE_WAYS && !rc; w++) {
        out->ways[w].why_not = why_not(options, &compare_ways[w]);
        if (!out->ways[w].why_not)
            rc = run_way(out, options, (enum compare_way)w, queue, err);
    }
    queue_close(queue);
    if (rc)
        compared_release(out);
    else
        look_at_model(out);
    return rc;
}

void compared_release(struct compared *compared)
{
    for (int w = 0; w < COMPARE_WAYS; w++) {
        free(compared->ways[w].curve);
        free(compared->ways[w].clock);
    }
    *compared = (struct compared){0};
}
