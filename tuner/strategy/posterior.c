#include "tuner/strategy/posterior.h"

#include <math.h>
#include <stdlib.h>

/* Before anything is known: estimates of one space lie within a factor of about two of each other, measured
 * times within a third of corrected estimates; the estimate's own weight may be off by a third. */
static const struct surrogate_prior estimate_prior = {.deviation = 0.7};
static const struct surrogate_prior excess_prior = {.deviation = 0.25, .slope_deviation = 0.3};

/* A variant that failed counts as this much slower than expected: its neighbours are likely to fail too. */
static const double failed = 0.7;

struct posterior {
    struct surrogate_parameter *parameters;
    size_t parameter_count;
    struct learned learned;
    struct surrogate *estimates; /* log corrected estimate; null while there is none */
    struct surrogate *excess;    /* log measured - log estimate; null while nothing was measured */
    double middle;               /* mean log estimate of the measured: where the slope turns */
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

/* Corrections
 * -----------------------------------------------------------------------------------------------------------
 */

static int learn_corrections(struct posterior *posterior, const struct observation *observations, size_t n,
                             struct err *err)
{
    struct learn_point *points = malloc((n + 1) * sizeof *points);
    size_t i, count = 0;
    int code;

    if (!points)
        return err_memory(err);
    for (i = 0; i < n; i++)
        if (observations[i].timed && observations[i].time_s > 0 &&
            search_estimated(&observations[i].prediction))
            points[count++] =
                (struct learn_point){observations[i].prediction.limiter,
                                     observations[i].prediction.estimate_s, observations[i].time_s};
    code = learn_from(&posterior->learned, points, count, err);
    free(points);
    return code;
}

static double corrected(const struct posterior *posterior, const struct search_prediction *prediction)
{
    return log(learned_estimate(&posterior->learned, prediction->limiter, prediction->estimate_s));
}

/* Estimates
 * -------------------------------------------------------------------------------------------------------------
 */

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
    size_t i;

    if (n <= SURROGATE_POINTS)
        return n;
    qsort(points, n, sizeof *points, by_value);
    for (i = 0; i < rest; i++)
        points[best + i] = points[best + i * (n - best) / rest];
    return SURROGATE_POINTS;
}

static int learn_estimates(struct posterior *posterior, struct surrogate_point *points,
                           const struct observation *observations, size_t n, struct err *err)
{
    double fastest = INFINITY;
    size_t i, count = 0;

    for (i = 0; i < n; i++) {
        if (!search_estimated(&observations[i].prediction))
            continue;
        points[count] = (struct surrogate_point){.choices = observations[i].choices,
                                                 .value = corrected(posterior, &observations[i].prediction)};
        fastest = fmin(fastest, points[count++].value);
    }
    if (!count)
        return 0;
    for (i = 0; i < count; i++)
        points[i].doubt = doubt(points[i].value, fastest);
    return surrogate_renew(&posterior->estimates, &posterior->estimates_searched, posterior->parameters,
                           posterior->parameter_count, points, thin(points, count), estimate_prior, err);
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

/* What measuring taught beyond the estimates
 * ----------------------------------------------------------------------------
 */

static int learn_excess(struct posterior *posterior, struct surrogate_point *points,
                        const struct observation *observations, size_t n, struct err *err)
{
    double worst = -INFINITY, fastest = INFINITY, log_time;
    size_t i, count = 0;

    posterior->middle = 0;
    for (i = 0; i < n; i++) {
        const double estimate =
            estimate_of(NULL, posterior, observations[i].choices, &observations[i].prediction);

        if (!observations[i].timed)
            continue;
        log_time = log(observations[i].time_s);
        points[count] = (struct surrogate_point){observations[i].choices, estimate, log_time - estimate, 0};
        worst = fmax(worst, points[count].value);
        fastest = fmin(fastest, log_time);
        posterior->middle += estimate;
        count++;
    }
    if (!isfinite(worst))
        return 0;
    posterior->middle /= (double)count;
    for (i = 0; i < count; i++) {
        if (isnan(points[i].value))
            points[i].value = worst + failed;
        points[i].doubt = doubt(points[i].slope + points[i].value, fastest);
        points[i].slope -= posterior->middle;
    }
    count = thin(points, count);
    return surrogate_renew(&posterior->excess, &posterior->excess_searched, posterior->parameters,
                           posterior->parameter_count, points, count, excess_prior, err);
}

int posterior_learn(struct posterior *posterior, const struct observation *observations, size_t n,
                    struct err *err)
{
    struct surrogate_point *points;
    int code = learn_corrections(posterior, observations, n, err);

    if (code)
        return code;
    points = malloc((n + 1) * sizeof *points);
    if (!points)
        return err_memory(err);
    code = learn_estimates(posterior, points, observations, n, err);
    if (!code)
        code = learn_excess(posterior, points, observations, n, err);
    free(points);
    return code;
}

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
