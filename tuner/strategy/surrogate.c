#include "tuner/strategy/surrogating.h"

#include "base/stats.h"
#include "tuner/strategy/triangle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SEARCHED = 64, /* points that rates are searched with: the cost grows with their cube */
    ADDED = 8      /* so many times less may be added than there were, before all is learned anew */
};

/* Rates per step, and the share of the variance that neighbours do not explain. */
static const double rates[] = {0.003, 0.01, 0.03, 0.1, 0.3, 1};
static const double noises[] = {1e-4, 1e-3, 1e-2, 1e-1};
enum { RATES = sizeof rates / sizeof *rates, NOISES = sizeof noises / sizeof *noises };

/* What is believed beforehand counts like this many points. */
static const double believed = 3;

/* How much further the slope may be off than it usually is, and how much more likely (as a logarithm) that
 * must be. */
static const double misled = 4, clearly = 4;

/* What the steps to a point's choices do, from every value. */
static void set_between(struct surrogate *s, size_t i)
{
    for (size_t p = 0; p < s->parameter_count; p++) {
        const unsigned choice = s->choices[p * s->most + i];
        const double *decay = s->decay + s->first[p];
        double *between = s->between + s->first[p] * s->most + i;

        for (unsigned v = 0; v < s->parameters[p].values; v++)
            between[v * s->most] = decay[v < choice ? choice - v : v - choice];
    }
}

/* Exponentials of sums are products of a few that are worked out once: those of one parameter. */
static void set_decay(struct surrogate *s, size_t p)
{
    const unsigned values = s->parameters[p].values, *choices = s->choices + p * s->most;
    double *decay = s->decay + s->first[p], *between = s->between + s->first[p] * s->most;

    for (unsigned v = 0; v < values; v++)
        decay[v] = exp(-s->rate[p] * (s->parameters[p].ordered ? v : v != 0));
    for (unsigned v = 0; v < values; v++, between += s->most)
        for (size_t i = 0; i < s->n; i++)
            between[i] = decay[v < choices[i] ? choices[i] - v : v - choices[i]];
}

/* The correlations of point i with those before it and with itself. */
static void correlate(const struct surrogate *s, double *restrict row, size_t i)
{
    for (size_t k = 0; k <= i; k++)
        row[k] = 1;
    for (size_t p = 0; p < s->parameter_count; p++) {
        const double *restrict factors = surrogate_between(s, p, s->choices[p * s->most + i]);

        for (size_t k = 0; k <= i; k++)
            row[k] *= factors[k];
    }
    for (size_t k = 0; k <= i; k++)
        row[k] = surrogate_correlated(s, row[k], s->slopes[k], s->slopes[i]);
    row[i] += s->noise + s->doubts[i];
}

/* The next row of the factor, from those before it; false when the correlations are not positive definite. */
static bool append_row(struct surrogate *s, size_t i)
{
    double *row = s->lower + i * s->most;

    correlate(s, row, i);
    triangle_forward(row, s->lower, s->most, i);
    row[i] -= sum_of_products(row, row, i);
    if (!(row[i] > 0))
        return false;
    row[i] = sqrt(row[i]);
    return true;
}

static void set_variance(struct surrogate *s)
{
    s->variance =
        (s->squares + believed * s->prior.deviation * s->prior.deviation) / ((double)s->n + believed);
}

/* Factors the correlations of the points and solves halfway for `half`, which holds the centred values at first.
 * Returns the log likelihood, -inf where the correlations cannot be factored. */
static double solve(struct surrogate *s)
{
    double logs = 0;

    for (size_t i = 0; i < s->n; i++) {
        if (!append_row(s, i))
            return -INFINITY;
        logs += log(s->lower[i * s->most + i]);
    }
    triangle_forward(s->half, s->lower, s->most, s->n);
    s->squares = sum_of_products(s->half, s->half, s->n);
    set_variance(s);
    return -0.5 * ((double)s->n + believed) * log(s->variance) - logs;
}

/* Few points say little of a rate: it stays near a middling one unless they insist. */
static double plausible(const struct surrogate *s)
{
    double sum = 0, away;

    for (size_t p = 0; p < s->parameter_count; p++) {
        away = log(s->rate[p] / 0.1) / 1.5;
        sum -= 0.5 * away * away;
    }
    return sum;
}

static double likelihood(struct surrogate *s, const double *values)
{
    memcpy(s->half, values, s->n * sizeof *values);
    return solve(s) + plausible(s);
}

/* Whether an option is the next above or below; options rise. */
static bool is_beside(const double *options, size_t count, size_t o, double number)
{
    return options[o] > number ? o == 0 || options[o - 1] <= number
                               : options[o] < number && (o + 1 == count || options[o + 1] >= number);
}

/* The best of `options` for one number, the rate of parameter p or none's, all others held; `best` is the likelihood
 * of what it is. Where that was found before, only what is beside it is looked at. */
static double choose(double *number, size_t p, const double *options, size_t count, bool found_before,
                     double best, struct surrogate *s, const double *values)
{
    const double first = *number;
    double kept = first, found;

    for (size_t o = 0; o < count; o++) {
        if (options[o] == first || (found_before && !is_beside(options, count, o, first)))
            continue;
        *number = options[o];
        if (p < s->parameter_count)
            set_decay(s, p);
        found = likelihood(s, values);
        if (found > best) {
            best = found;
            kept = options[o];
        }
    }
    *number = kept;
    if (p < s->parameter_count)
        set_decay(s, p);
    return best;
}

/* One number after the other, twice round, or until each in its turn stayed as it was. */
static void search_rates(struct surrogate *s, bool found_before, const double *values)
{
    const size_t numbers = s->parameter_count + 1; /* the rates, and the noise */
    double best = likelihood(s, values), before;
    size_t turn, stayed = 0;

    for (turn = 0; turn < 2 * numbers && stayed < numbers; turn++) {
        const size_t p = turn % numbers;

        before = best;
        if (p == s->parameter_count)
            best = choose(&s->noise, p, noises, NOISES, found_before, best, s, values);
        else if (s->parameters[p].values > 1)
            best = choose(&s->rate[p], p, rates, RATES, found_before, best, s, values);
        stayed = best > before ? 0 : stayed + 1;
    }
}

static bool is_ordered(const struct spec_parameter *parameter)
{
    for (size_t v = 0; v < parameter->value_count; v++)
        if (parameter->values[v].kind == VALUE_STRING)
            return false;
    return true;
}

int surrogate_parameters(struct surrogate_parameter **out, const struct spec *spec, struct err *err)
{
    *out = calloc(spec->parameter_count, sizeof **out);
    if (!*out)
        return err_memory(err);
    for (size_t p = 0; p < spec->parameter_count; p++) {
        (*out)[p].values = (unsigned)spec->parameters[p].value_count;
        (*out)[p].ordered = is_ordered(&spec->parameters[p]);
    }
    return 0;
}

struct surrogate_parameter *surrogate_copied(const struct surrogate_parameter *parameters, size_t count)
{
    struct surrogate_parameter *copy = malloc((count + 1) * sizeof *copy);

    if (copy)
        memcpy(copy, parameters, count * sizeof *copy);
    return copy;
}

/* For `most` points. */
static int allocate(struct surrogate **out, const struct surrogate_parameter *parameters, size_t count,
                    size_t most, struct err *err)
{
    struct surrogate *s = calloc(1, sizeof *s);

    *out = s;
    if (!s)
        return err_memory(err);
    s->most = most;
    s->parameters = malloc(count * sizeof *s->parameters);
    s->choices = malloc(most * count * sizeof *s->choices);
    s->slopes = malloc(most * sizeof *s->slopes);
    s->doubts = malloc(most * sizeof *s->doubts);
    s->rate = malloc(count * sizeof *s->rate);
    s->first = calloc(count + 1, sizeof *s->first);
    s->lower = malloc(most * most * sizeof *s->lower); /* of which a half is used */
    s->half = malloc(most * sizeof *s->half);
    s->weights = malloc(most * sizeof *s->weights);
    if (!s->parameters || !s->choices || !s->slopes || !s->doubts || !s->rate || !s->first || !s->lower ||
        !s->half || !s->weights)
        return err_memory(err);
    memcpy(s->parameters, parameters, count * sizeof *parameters);
    s->parameter_count = count;
    for (size_t p = 0; p < count; p++)
        s->first[p + 1] = s->first[p] + parameters[p].values;
    s->decay = malloc((s->first[count] + 1) * sizeof *s->decay);
    s->between = malloc((s->first[count] + 1) * most * sizeof *s->between);
    s->products = malloc((count + 1) * most * sizeof *s->products);
    s->seen = malloc(count * sizeof *s->seen);
    return s->decay && s->between && s->products && s->seen ? 0 : err_memory(err);
}

static void set_point(struct surrogate *s, size_t i, const struct surrogate_point *point)
{
    for (size_t p = 0; p < s->parameter_count; p++)
        s->choices[p * s->most + i] = point->choices[p];
    s->slopes[i] = point->slope;
    s->doubts[i] = point->doubt;
}

/* Takes `n` points, evenly out of `all`. */
static void take(struct surrogate *s, double *values, const struct surrogate_point *points, size_t n,
                 size_t all)
{
    s->n = n;
    for (size_t i = 0; i < n; i++) {
        const struct surrogate_point *point = &points[i * all / n];

        set_point(s, i, point);
        values[i] = point->value;
    }
    s->middle = stats_median(values, n);
    for (size_t i = 0; i < n; i++)
        values[i] -= s->middle;
    for (size_t p = 0; p < s->parameter_count; p++)
        set_decay(s, p);
}

/* The slope's deviation is given in units of value; here it is one in units of the values' own. */
static void set_slope(struct surrogate *s, const double *values)
{
    const double squares =
        believed * s->prior.deviation * s->prior.deviation + sum_of_products(values, values, s->n);

    s->slope_variance =
        s->prior.slope_deviation * s->prior.slope_deviation * ((double)s->n + believed) / squares;
    if (s->misled)
        s->slope_variance *= misled * misled;
}

/* It is several times as large where the points say so clearly: a model that misleads does so by more than one
 * that errs. Leaves the correlations factored; returns the likelihood. */
static double weigh_slope(struct surrogate *s, const double *values)
{
    double further, usual;

    s->misled = false;
    set_slope(s, values);
    if (!(s->slope_variance > 0))
        return likelihood(s, values);
    s->misled = true;
    set_slope(s, values);
    further = likelihood(s, values);
    s->misled = false;
    set_slope(s, values);
    usual = likelihood(s, values);
    if (!(further > usual + clearly))
        return usual;
    s->misled = true;
    set_slope(s, values);
    return likelihood(s, values);
}

static void set_weights(struct surrogate *s)
{
    memcpy(s->weights, s->half, s->n * sizeof *s->half);
    triangle_backward(s->weights, s->lower, s->most, s->n);
    surrogate_forget_seen(s);
}

int surrogate_new(struct surrogate **out, const struct surrogate_parameter *parameters,
                  size_t parameter_count, const struct surrogate_point *points, size_t n,
                  struct surrogate_prior prior, const struct surrogate *before, bool search, struct err *err)
{
    double values[SURROGATE_POINTS], found;
    struct surrogate *s;
    int rc = allocate(&s, parameters, parameter_count, n + n / ADDED, err);

    *out = NULL;
    if (rc) {
        surrogate_free(s);
        return rc;
    }
    s->prior = prior;
    s->noise = before ? before->noise : 1e-2;
    for (size_t p = 0; p < parameter_count; p++)
        s->rate[p] = before ? before->rate[p] : 0.1;
    if (search && n > parameter_count / 2) {
        take(s, values, points, n < SEARCHED ? n : SEARCHED, n);
        weigh_slope(s, values);
        search_rates(s, before != NULL, values);
    }
    take(s, values, points, n, n);
    for (found = weigh_slope(s, values); found == -INFINITY; found = likelihood(s, values))
        s->noise *= 10;
    set_weights(s);
    *out = s;
    return 0;
}

bool surrogate_add(struct surrogate *s, const struct surrogate_point *points, size_t n)
{
    if (n > s->most - s->n)
        return false;
    for (size_t i = 0; i < n; i++) {
        const size_t at = s->n;
        const double *row = s->lower + at * s->most;

        set_point(s, at, &points[i]);
        set_between(s, at);
        if (!append_row(s, at))
            return false;
        s->half[at] = (points[i].value - s->middle - sum_of_products(row, s->half, at)) / row[at];
        s->squares += s->half[at] * s->half[at];
        s->n++;
    }
    set_variance(s);
    set_weights(s);
    return true;
}

int surrogate_renew(struct surrogate **surrogate, size_t *searched,
                    const struct surrogate_parameter *parameters, size_t parameter_count,
                    const struct surrogate_point *points, size_t n, size_t known,
                    struct surrogate_prior prior, struct err *err)
{
    const bool keep = *surrogate && known < *searched + *searched / 4 + 1;
    struct surrogate *learned;
    int rc = surrogate_new(&learned, parameters, parameter_count, points, n, prior, *surrogate, !keep, err);

    if (rc)
        return rc;
    surrogate_free(*surrogate);
    *surrogate = learned;
    if (!keep)
        *searched = known;
    return 0;
}

void surrogate_free(struct surrogate *s)
{
    if (!s)
        return;
    free(s->parameters);
    free(s->choices);
    free(s->slopes);
    free(s->doubts);
    free(s->rate);
    free(s->first);
    free(s->decay);
    free(s->between);
    free(s->products);
    free(s->seen);
    free(s->lower);
    free(s->half);
    free(s->weights);
    free(s);
}
