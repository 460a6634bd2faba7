#include "tuner/strategy/posterior.h"

#include <math.h>
#include <stdlib.h>

/* Before anything is known: estimates of one space lie within a factor of about two of each other, measured
 * times within a third of corrected estimates; the estimate's own weight may be off by a third. */
static const struct surrogate_prior estimate_prior = {.deviation = 0.7};
static const struct surrogate_prior excess_prior = {.deviation = 0.25, .slope_deviation = 0.3};

/* What is faster by more than this (logarithm) than all before changes how much each point says. */
static const double surprising = 0.01;

/* A variant that failed counts as this much slower than expected: its neighbours are likely to fail too. */
static const double failed = 0.7;

struct posterior {
    struct surrogate_parameter *parameters;
    size_t parameter_count;
    struct learned learned;
    struct surrogate *estimates; /* log corrected estimate; null while there is none */
    struct surrogate *excess;    /* log measured - log estimate; null while nothing was measured */
    double middle;               /* mean log estimate of the measured: where the slope turns */
    double fastest_estimate;     /* logarithms: of all, ... */
    double fastest, worst;       /* ... measured, and the most that one was slower than its estimate */
    uint64_t learned_anew;       /* how often */
    size_t estimates_searched, excess_searched; /* points when rates were last searched */
};

bool search_estimated(const struct search_prediction *prediction)
{
    return prediction && prediction->predicted && !prediction->unrated;
}

int posterior_open(struct posterior **out, const struct surrogate_parameter *parameters, size_t count,
                   struct err *err)
{
    struct posterior *posterior = calloc(1, sizeof *posterior);

    *out = NULL;
    if (!posterior)
        return err_memory(err);
    posterior->parameters = surrogate_copied(parameters, count);
    if (!posterior->parameters) {
        free(posterior);
        return err_memory(err);
    }
    posterior->parameter_count = count;
    learn_from(&posterior->learned, NULL, 0, NULL);
    *out = posterior;
    return 0;
}

void posterior_close(struct posterior *posterior)
{
    if (!posterior)
        return;
    surrogate_free(posterior->estimates);
    surrogate_free(posterior->excess);
    free(posterior->parameters);
    free(posterior);
}

/* Corrections -------------------------------------------------------------- */

static int learn_corrections(struct posterior *posterior, const struct observation *observations, size_t n,
                             struct err *err)
{
    struct learn_point *points = malloc((n + 1) * sizeof *points);
    size_t i, count = 0;
    int rc;

    if (!points)
        return err_memory(err);
    for (i = 0; i < n; i++)
        if (observations[i].timed && observations[i].time_s > 0 &&
            search_estimated(&observations[i].prediction))
            points[count++] =
                (struct learn_point){observations[i].prediction.limiter,
                                     observations[i].prediction.estimate_s, observations[i].time_s};
    rc = learn_from(&posterior->learned, points, count, err);
    free(points);
    return rc;
}

static double corrected(const struct posterior *posterior, const struct search_prediction *prediction)
{
    return log(learned_estimate(&posterior->learned, prediction->limiter, prediction->estimate_s));
}

/* Estimates ---------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const double x = ((const struct surrogate_point *)a)->value,
                 y = ((const struct surrogate_point *)b)->value;

    return (x > y) - (x < y);
}

/* What is much slower than the fastest says little of what may win. */
static double doubt(double log_time, double log_fastest)
{
    const double slower = log_time - log_fastest;

    return slower * slower;
}

/* Too many: the better half, where it matters, and the rest thinned evenly. */
static size_t thin(struct surrogate_point *points, size_t n)
{
    const size_t best = SURROGATE_POINTS / 2, rest = SURROGATE_POINTS - best;

    if (n <= SURROGATE_POINTS)
        return n;
    qsort(points, n, sizeof *points, by_value);
    for (size_t i = 0; i < rest; i++)
        points[best + i] = points[best + i * (n - best) / rest];
    return SURROGATE_POINTS;
}

static struct surrogate_point estimate_point(const struct posterior *posterior,
                                             const struct observation *observation)
{
    return (struct surrogate_point){.choices = observation->choices,
                                    .value = corrected(posterior, &observation->prediction)};
}

static int learn_estimates(struct posterior *posterior, struct surrogate_point *points,
                           const struct observation *observations, size_t n, struct err *err)
{
    double fastest = INFINITY;
    size_t i, count = 0;

    for (i = 0; i < n; i++) {
        if (!search_estimated(&observations[i].prediction))
            continue;
        points[count] = estimate_point(posterior, &observations[i]);
        fastest = fmin(fastest, points[count++].value);
    }
    if (!count)
        return 0;
    for (i = 0; i < count; i++)
        points[i].doubt = doubt(points[i].value, fastest);
    posterior->fastest_estimate = fastest;
    return surrogate_renew(&posterior->estimates, &posterior->estimates_searched, posterior->parameters,
                           posterior->parameter_count, points, thin(points, count), count, estimate_prior,
                           err);
}

/* Log of the estimate: its own, else its neighbours', else 0: the measurements alone decide. */
static double estimate_of(double *deviation, const struct posterior *posterior, const unsigned *choices,
                          const struct search_prediction *prediction)
{
    if (deviation)
        *deviation = 0;
    if (search_estimated(prediction))
        return corrected(posterior, prediction);
    return posterior->estimates ? surrogate_value(deviation, posterior->estimates, choices, 0) : 0;
}

/* What measuring taught beyond the estimates ------------------------------- */

/* Its value: by how much it was slower than its estimate, NaN where it failed; its slope: the estimate. */
static struct surrogate_point excess_point(const struct posterior *posterior,
                                           const struct observation *observation)
{
    const double estimate = estimate_of(NULL, posterior, observation->choices, &observation->prediction);

    return (struct surrogate_point){observation->choices, estimate, log(observation->time_s) - estimate, 0};
}

/* By what all of them are compared with. */
static void settle_excess(const struct posterior *posterior, struct surrogate_point *point)
{
    if (isnan(point->value))
        point->value = posterior->worst + failed;
    point->doubt = doubt(point->slope + point->value, posterior->fastest);
    point->slope -= posterior->middle;
}

static int learn_excess(struct posterior *posterior, struct surrogate_point *points,
                        const struct observation *observations, size_t n, struct err *err)
{
    size_t i, count = 0, thinned;

    posterior->middle = 0;
    posterior->worst = -INFINITY;
    posterior->fastest = INFINITY;
    for (i = 0; i < n; i++) {
        if (!observations[i].timed)
            continue;
        points[count] = excess_point(posterior, &observations[i]);
        posterior->worst = fmax(posterior->worst, points[count].value);
        posterior->fastest = fmin(posterior->fastest, points[count].slope + points[count].value);
        posterior->middle += points[count++].slope;
    }
    if (!isfinite(posterior->worst))
        return 0;
    posterior->middle /= (double)count;
    for (i = 0; i < count; i++)
        settle_excess(posterior, &points[i]);
    thinned = thin(points, count);
    return surrogate_renew(&posterior->excess, &posterior->excess_searched, posterior->parameters,
                           posterior->parameter_count, points, thinned, count, excess_prior, err);
}

int posterior_learn(struct posterior *posterior, const struct observation *observations, size_t n,
                    struct err *err)
{
    struct surrogate_point *points;
    int rc = learn_corrections(posterior, observations, n, err);

    if (rc)
        return rc;
    points = malloc((n + 1) * sizeof *points);
    if (!points)
        return err_memory(err);
    rc = learn_estimates(posterior, points, observations, n, err);
    if (!rc)
        rc = learn_excess(posterior, points, observations, n, err);
    free(points);
    posterior->learned_anew++;
    return rc;
}

/* What is added ------------------------------------------------------------ */

static bool add_estimates(struct posterior *posterior, struct surrogate_point *points,
                          const struct observation *observations, size_t n)
{
    size_t i, count = 0;

    for (i = 0; i < n; i++) {
        if (observations[i].timed || !search_estimated(&observations[i].prediction))
            continue;
        points[count] = estimate_point(posterior, &observations[i]);
        points[count].doubt =
            doubt(points[count].value, fmin(points[count].value, posterior->fastest_estimate));
        count++;
    }
    return !count || (posterior->estimates && surrogate_add(posterior->estimates, points, count));
}

static bool add_excess(struct posterior *posterior, struct surrogate_point *points,
                       const struct observation *observations, size_t n)
{
    size_t i, count = 0;

    for (i = 0; i < n; i++) {
        if (!observations[i].timed)
            continue;
        if (log(observations[i].time_s) < posterior->fastest - surprising)
            return false;
        points[count] = excess_point(posterior, &observations[i]);
        settle_excess(posterior, &points[count++]);
    }
    return !count || (posterior->excess && surrogate_add(posterior->excess, points, count));
}

int posterior_add(bool *added, struct posterior *posterior, const struct observation *observations, size_t n,
                  struct err *err)
{
    struct surrogate_point *points = malloc((n + 1) * sizeof *points);

    *added = false;
    if (!points)
        return err_memory(err);
    *added =
        add_estimates(posterior, points, observations, n) && add_excess(posterior, points, observations, n);
    free(points);
    return 0;
}

/* What is expected --------------------------------------------------------- */

bool posterior_expects(struct expected *out, const struct posterior *posterior, const unsigned *choices,
                       const struct search_prediction *prediction)
{
    double estimate, unsure, excess = 0, more = excess_prior.deviation;

    if (!posterior->excess && !posterior->estimates)
        return false;
    estimate = estimate_of(&unsure, posterior, choices, prediction);
    if (posterior->excess)
        excess = surrogate_value(&more, posterior->excess, choices, estimate - posterior->middle);
    out->time_s = exp(estimate + excess);
    out->deviation = hypot(unsure, more);
    return true;
}

double posterior_log_time(const struct posterior *posterior, const unsigned *choices)
{
    const double estimate = estimate_of(NULL, posterior, choices, NULL);

    if (!posterior->excess)
        return estimate;
    return estimate + surrogate_value(NULL, posterior->excess, choices, estimate - posterior->middle);
}

bool posterior_follow(struct expected *out, struct posterior_view *view, const struct posterior *posterior,
                      const unsigned *choices, const struct search_prediction *prediction)
{
    double excess, more;

    if (!posterior->excess)
        return posterior_expects(out, posterior, choices, prediction);
    if (view->of != posterior->learned_anew) {
        view->of = posterior->learned_anew;
        view->excess.n = 0;
        view->estimate = estimate_of(&view->unsure, posterior, choices, prediction);
    }
    excess = surrogate_follow(&more, &view->excess, posterior->excess, choices,
                              view->estimate - posterior->middle);
    out->time_s = exp(view->estimate + excess);
    out->deviation = hypot(view->unsure, more);
    return true;
}
