#include "tuner/strategy/cost.h"

#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

/* Before anything is known: compile times of one space lie within a factor of two of each other. */
static const struct surrogate_prior prior = {.deviation = 0.7};

/* Seconds, before the first of its kind. */
static const double first_compile_s = 0.3, first_trial_s = 0.02;

/* Nothing is free, or its gain per second would be infinite. */
static const double least_s = 1e-3;

struct cost {
    struct surrogate_parameter *parameters;
    size_t parameter_count;
    struct surrogate *compile; /* log seconds; null while nothing is known */
    size_t searched;           /* points when rates were last searched */
    double usual_s;            /* median */
    double trials_s;           /* of all trials */
    size_t trials;
};

int cost_open(struct cost **out, const struct surrogate_parameter *parameters, size_t count, struct err *err)
{
    struct cost *cost = calloc(1, sizeof *cost);

    *out = NULL;
    if (!cost)
        return err_memory(err);
    cost->usual_s = first_compile_s;
    cost->parameter_count = count;
    cost->parameters = surrogate_copied(parameters, count);
    if (!cost->parameters) {
        free(cost);
        return err_memory(err);
    }
    *out = cost;
    return 0;
}

void cost_close(struct cost *cost)
{
    if (!cost)
        return;
    surrogate_free(cost->compile);
    free(cost->parameters);
    free(cost);
}

/* Of what has ended. */
static void take_median(struct cost *cost, const struct cost_point *points, size_t n, double *scratch)
{
    size_t i, ended = 0;

    for (i = 0; i < n; i++)
        if (points[i].ended)
            scratch[ended++] = fmax(points[i].seconds, least_s);
    if (ended)
        cost->usual_s = stats_median(scratch, ended);
}

/* Whether a point says anything: it has ended, or takes longer than was expected of it. */
static bool teaches(const struct cost *cost, const struct cost_point *point)
{
    return point->ended || point->seconds > 2 * cost_compile_s(cost, point->choices);
}

/* Too many are thinned evenly, but what takes long is kept: it is rare, and costs the most. What has not
 * ended in so long is as likely as not to take as long again. */
static size_t gather(struct surrogate_point *out, const struct cost *cost, const struct cost_point *points,
                     size_t n)
{
    const double few = n > SURROGATE_POINTS ? (double)SURROGATE_POINTS / 2 / (double)n : 1;
    double share = 0;
    size_t i, count = 0;

    for (i = 0; i < n && count < SURROGATE_POINTS; i++) {
        const double seconds = fmax(points[i].ended ? points[i].seconds : 2 * points[i].seconds, least_s);

        if (!teaches(cost, &points[i]))
            continue;
        share += seconds > 4 * cost->usual_s ? 1 : few;
        if (share < 1)
            continue;
        share -= 1;
        out[count++] = (struct surrogate_point){.choices = points[i].choices, .value = log(seconds)};
    }
    return count;
}

int cost_learn(struct cost *cost, const struct cost_point *points, size_t n, struct err *err)
{
    struct surrogate_point *chosen = malloc(SURROGATE_POINTS * sizeof *chosen);
    double *scratch = malloc((n + 1) * sizeof *scratch);
    int rc = chosen && scratch ? 0 : err_memory(err);
    size_t count;

    if (!rc) {
        take_median(cost, points, n, scratch);
        count = gather(chosen, cost, points, n);
        if (count)
            rc = surrogate_renew(&cost->compile, &cost->searched, cost->parameters, cost->parameter_count,
                                 chosen, count, count, prior, err);
    }
    free(chosen);
    free(scratch);
    return rc;
}

void cost_add_trial(struct cost *cost, double seconds)
{
    cost->trials_s += seconds;
    cost->trials++;
}

double cost_compile_s(const struct cost *cost, const unsigned *choices)
{
    if (!cost->compile)
        return cost->usual_s;
    return fmax(exp(surrogate_value(NULL, cost->compile, choices, 0)), least_s);
}

double cost_trial_s(const struct cost *cost)
{
    return cost->trials ? fmax(cost->trials_s / (double)cost->trials, least_s) : first_trial_s;
}

double cost_usual_compile_s(const struct cost *cost)
{
    return cost->usual_s;
}
