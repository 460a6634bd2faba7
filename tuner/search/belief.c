#include "tuner/search/belief.h"

#include "tuner/search/surrogate.h"

#include <math.h>
#include <stdlib.h>

/* Before anything is known: estimates of one space lie within a factor of about two of each other, measured
 * times within a third of corrected estimates; the estimate's own weight may be off by a third. */
static const struct surrogate_prior estimate_prior = {.deviation = 0.7};
static const struct surrogate_prior excess_prior = {.deviation = 0.25, .slope_deviation = 0.3};

/* A variant that failed counts as this much slower than expected: its neighbours are likely to fail too. */
static const double failed = 0.7;

struct belief {
    struct surrogate_parameter *parameters;
    size_t parameter_count;
    struct learned learned;
    struct surrogate *estimates; /* log corrected estimate; null while there is none */
    struct surrogate *excess;    /* log measured - log estimate; null while nothing was measured */
    double middle;               /* mean log estimate of the measured: where the slope turns */
    size_t estimates_searched, excess_searched; /* points when rates were last searched */
};

bool search_estimated(const struct search_forecast *forecast)
{
    return forecast && forecast->predicted && !forecast->unrated;
}

int belief_open(struct belief **out, const struct spec *spec, struct err *err)
{
    struct belief *belief = calloc(1, sizeof *belief);

    *out = NULL;
    if (!belief)
        return err_memory(err);
    if (surrogate_parameters(&belief->parameters, spec, err)) {
        free(belief);
        return ERR_MEMORY;
    }
    belief->parameter_count = spec->parameter_count;
    learn_from(&belief->learned, NULL, 0, NULL);
    *out = belief;
    return 0;
}

void belief_close(struct belief *belief)
{
    if (!belief)
        return;
    surrogate_free(belief->estimates);
    surrogate_free(belief->excess);
    free(belief->parameters);
    free(belief);
}

/* Corrections
 * -----------------------------------------------------------------------------------------------------------
 */

static int learn_corrections(struct belief *belief, const struct known *known, size_t n, struct err *err)
{
    struct learn_point *points = malloc((n + 1) * sizeof *points);
    size_t i, count = 0;
    int code;

    if (!points)
        return err_memory(err);
    for (i = 0; i < n; i++)
        if (known[i].timed && known[i].time_s > 0 && search_estimated(&known[i].forecast))
            points[count++] = (struct learn_point){known[i].forecast.limiter, known[i].forecast.estimate_s,
                                                   known[i].time_s};
    code = learn_from(&belief->learned, points, count, err);
    free(points);
    return code;
}

static double corrected(const struct belief *belief, const struct search_forecast *forecast)
{
    return log(learned_estimate(&belief->learned, forecast->limiter, forecast->estimate_s));
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

static int learn_estimates(struct belief *belief, struct surrogate_point *points, const struct known *known,
                           size_t n, struct err *err)
{
    double fastest = INFINITY;
    size_t i, count = 0;

    for (i = 0; i < n; i++) {
        if (!search_estimated(&known[i].forecast))
            continue;
        points[count] = (struct surrogate_point){.choices = known[i].choices,
                                                 .value = corrected(belief, &known[i].forecast)};
        fastest = fmin(fastest, points[count++].value);
    }
    if (!count)
        return 0;
    for (i = 0; i < count; i++)
        points[i].doubt = doubt(points[i].value, fastest);
    return surrogate_renew(&belief->estimates, &belief->estimates_searched, belief->parameters,
                           belief->parameter_count, points, thin(points, count), estimate_prior, err);
}

/* Log of the estimate: its own, else its neighbours', else 0: the measurements alone decide. */
static double estimate_of(double *deviation, const struct belief *belief, const unsigned *choices,
                          const struct search_forecast *forecast)
{
    if (deviation)
        *deviation = 0;
    if (search_estimated(forecast))
        return corrected(belief, forecast);
    return belief->estimates ? surrogate_value(deviation, belief->estimates, choices, 0) : 0;
}

/* What measuring taught beyond the estimates
 * ----------------------------------------------------------------------------
 */

static int learn_excess(struct belief *belief, struct surrogate_point *points, const struct known *known,
                        size_t n, struct err *err)
{
    double worst = -INFINITY, fastest = INFINITY, log_time;
    size_t i, count = 0;

    belief->middle = 0;
    for (i = 0; i < n; i++) {
        const double estimate = estimate_of(NULL, belief, known[i].choices, &known[i].forecast);

        if (!known[i].timed)
            continue;
        log_time = log(known[i].time_s);
        points[count] = (struct surrogate_point){known[i].choices, estimate, log_time - estimate, 0};
        worst = fmax(worst, points[count].value);
        fastest = fmin(fastest, log_time);
        belief->middle += estimate;
        count++;
    }
    if (!isfinite(worst))
        return 0;
    belief->middle /= (double)count;
    for (i = 0; i < count; i++) {
        if (isnan(points[i].value))
            points[i].value = worst + failed;
        points[i].doubt = doubt(points[i].slope + points[i].value, fastest);
        points[i].slope -= belief->middle;
    }
    count = thin(points, count);
    return surrogate_renew(&belief->excess, &belief->excess_searched, belief->parameters,
                           belief->parameter_count, points, count, excess_prior, err);
}

int belief_learn(struct belief *belief, const struct known *known, size_t n, struct err *err)
{
    struct surrogate_point *points;
    int code = learn_corrections(belief, known, n, err);

    if (code)
        return code;
    points = malloc((n + 1) * sizeof *points);
    if (!points)
        return err_memory(err);
    code = learn_estimates(belief, points, known, n, err);
    if (!code)
        code = learn_excess(belief, points, known, n, err);
    free(points);
    return code;
}

bool belief_expects(struct expected *out, const struct belief *belief, const unsigned *choices,
                    const struct search_forecast *forecast)
{
    double estimate, unsure, excess = 0, more = excess_prior.deviation;

    if (!belief->excess && !belief->estimates)
        return false;
    estimate = estimate_of(&unsure, belief, choices, forecast);
    if (belief->excess)
        excess = surrogate_value(&more, belief->excess, choices, estimate - belief->middle);
    out->time_s = exp(estimate + excess);
    out->deviation = hypot(unsure, more);
    return true;
}

double belief_log_time(const struct belief *belief, const unsigned *choices)
{
    const double estimate = estimate_of(NULL, belief, choices, NULL);

    if (!belief->excess)
        return estimate;
    return estimate + surrogate_value(NULL, belief->excess, choices, estimate - belief->middle);
}
