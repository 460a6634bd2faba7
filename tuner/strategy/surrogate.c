#include "tuner/strategy/surrogate.h"

#include "base/stats.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEARCHED = 64 }; /* points that rates are searched with: the cost grows with their cube */

/* Rates per step, and the share of the variance that neighbours do not explain. */
static const double rates[] = {0.003, 0.01, 0.03, 0.1, 0.3, 1};
static const double noises[] = {1e-4, 1e-3, 1e-2, 1e-1};
enum { RATES = sizeof rates / sizeof *rates, NOISES = sizeof noises / sizeof *noises };

/* What is believed beforehand counts like this many points. */
static const double believed = 3;

/* Variance of what is common to all configurations, in units of the variance between them. */
static const double common = 1;

/* How much further the slope may be off than it usually is, and how much more likely (as a logarithm) that
 * must be. */
static const double misled = 4, clearly = 4;

struct surrogate {
    struct surrogate_parameter *parameters;
    size_t parameter_count, n;
    unsigned *choices; /* parameter_count x n: the points' of one parameter beside each other */
    double *slopes;
    double *doubts;
    double slope_variance; /* in units of `variance` */
    double *rate;          /* per parameter */
    size_t *first;   /* per parameter: where its values begin among those of all; and how many there are */
    double *decay;   /* per value: to what so many steps of its parameter bring the correlation down */
    double *between; /* per value, n: to what the step from it to each point's choice does */

    /* Scratch: products[p * n + i] is that of the first p parameters' decays between point i and the
     * configuration `seen`. Who asks for one configuration after another mostly changes the last choices. */
    double *products;
    unsigned *seen;
    struct surrogate_prior prior;
    double noise, variance, middle;
    double *lower;   /* Cholesky factor of the correlations, n x n, column by column */
    double *weights; /* correlations^-1 (values - middle) */
};

/* Exponentials of sums are products of a few that are worked out once. */
static void set_decay(struct surrogate *s)
{
    size_t p, i;
    unsigned v;

    for (p = 0; p < s->parameter_count; p++) {
        const unsigned values = s->parameters[p].values, *choices = s->choices + p * s->n;
        double *decay = s->decay + s->first[p], *between = s->between + s->first[p] * s->n;

        for (v = 0; v < values; v++)
            decay[v] = exp(-s->rate[p] * (s->parameters[p].ordered ? v : v != 0));
        for (v = 0; v < values; v++, between += s->n)
            for (i = 0; i < s->n; i++)
                between[i] = decay[v < choices[i] ? choices[i] - v : v - choices[i]];
    }
}

/* What one choice does, seen from every point. */
static const double *between(const struct surrogate *s, size_t p, unsigned choice)
{
    return s->between + (s->first[p] + choice) * s->n;
}

static double correlated(const struct surrogate *s, double product, double slope_a, double slope_b)
{
    return product + common + s->slope_variance * slope_a * slope_b;
}

/* The correlations of point j with itself and those after it. */
static void correlate(const struct surrogate *s, double *restrict column, size_t j)
{
    const size_t n = s->n;
    size_t p, i;

    for (i = j; i < n; i++)
        column[i] = 1;
    for (p = 0; p < s->parameter_count; p++) {
        const double *restrict factors = between(s, p, s->choices[p * n + j]);

        for (i = j; i < n; i++)
            column[i] *= factors[i];
    }
    for (i = j; i < n; i++)
        column[i] = correlated(s, column[i], s->slopes[i], s->slopes[j]);
}

/* Nothing was seen yet. */
static void forget_seen(struct surrogate *s)
{
    size_t i;

    for (i = 0; i < s->parameter_count; i++)
        s->seen[i] = UINT_MAX;
    for (i = 0; i < s->n; i++)
        s->products[i] = 1;
}

/* The products of all points and a configuration, from the first choice on that is another than before. */
static const double *see(const struct surrogate *s, const unsigned *choices)
{
    const size_t n = s->n, count = s->parameter_count;
    size_t p = 0, i;

    while (p < count && s->seen[p] == choices[p])
        p++;
    for (; p < count; p++) {
        const double *restrict factors = between(s, p, choices[p]), *restrict before = s->products + p * n;
        double *restrict products = s->products + (p + 1) * n;

        for (i = 0; i < n; i++)
            products[i] = before[i] * factors[i];
        s->seen[p] = choices[p];
    }
    return s->products + count * n;
}

enum { PANEL = 4 }; /* columns that are taken off all others at once */

/* Takes `count` columns that are finished off column j, one after the other. */
static void take_off(double *restrict other, const double *restrict columns, size_t count, size_t j, size_t n)
{
    size_t i, c;

    if (count == PANEL) {
        const double *second = columns + n, *third = second + n, *fourth = third + n;

        for (i = j; i < n; i++)
            other[i] = other[i] - columns[i] * columns[j] - second[i] * second[j] - third[i] * third[j] -
                       fourth[i] * fourth[j];
        return;
    }
    for (c = 0; c < count; c++)
        for (i = j; i < n; i++)
            other[i] -= columns[c * n + i] * columns[c * n + j];
}

/* Factors `n` x `n` correlations in place; false when they are not positive definite. A few columns at a time
 * are finished and taken off all that follow, along the columns, as memory lies and vector units like it. */
static bool factor(double *lower, size_t n)
{
    size_t first, i, j, k;

    for (first = 0; first < n; first += PANEL) {
        const size_t end = first + PANEL < n ? first + PANEL : n;

        for (k = first; k < end; k++) {
            double *column = lower + k * n;

            take_off(column, lower + first * n, k - first, k, n);
            if (!(column[k] > 0))
                return false;
            column[k] = sqrt(column[k]);
            for (i = k + 1; i < n; i++)
                column[i] /= column[k];
        }
        for (j = end; j < n; j++)
            take_off(lower + j * n, lower + first * n, end - first, j, n);
    }
    return true;
}

/* Solves lower x = b in place. */
static void forward(double *restrict x, const double *restrict lower, size_t n)
{
    size_t i, k;

    for (k = 0; k < n; k++) {
        x[k] /= lower[k * n + k];
        for (i = k + 1; i < n; i++)
            x[i] -= lower[k * n + i] * x[k];
    }
}

static void backward(double *x, const double *lower, size_t n)
{
    size_t i, k;

    for (i = n; i-- > 0;) {
        for (k = i + 1; k < n; k++)
            x[i] -= lower[i * n + k] * x[k];
        x[i] /= lower[i * n + i];
    }
}

/* Factors the correlations of the points and solves halfway for `weights`, which holds the centred values at
 * first: backward() does the rest. Returns the log likelihood, -inf where the correlations cannot be
 * factored. */
static double solve(struct surrogate *s)
{
    const size_t n = s->n;
    double squares = 0, logs = 0;
    size_t i, j;

    set_decay(s);
    for (j = 0; j < n; j++) {
        correlate(s, s->lower + j * n, j);
        s->lower[j * n + j] += s->noise + s->doubts[j];
    }
    if (!factor(s->lower, n))
        return -INFINITY;
    forward(s->weights, s->lower, n);
    for (i = 0; i < n; i++) {
        squares += s->weights[i] * s->weights[i];
        logs += log(s->lower[i * n + i]);
    }
    squares += believed * s->prior.deviation * s->prior.deviation;
    s->variance = squares / ((double)n + believed);
    return -0.5 * ((double)n + believed) * log(s->variance) - logs;
}

/* Few points say little of a rate: it stays near a middling one unless they insist. */
static double plausible(const struct surrogate *s)
{
    double sum = 0, away;
    size_t p;

    for (p = 0; p < s->parameter_count; p++) {
        away = log(s->rate[p] / 0.1) / 1.5;
        sum -= 0.5 * away * away;
    }
    return sum;
}

static double likelihood(struct surrogate *s, const double *values)
{
    memcpy(s->weights, values, s->n * sizeof *values);
    return solve(s) + plausible(s);
}

/* The best of `options` for one number, the others held. */
static double choose(double *number, const double *options, size_t count, double best, struct surrogate *s,
                     const double *values)
{
    double kept = *number, found;
    size_t o;

    for (o = 0; o < count; o++) {
        if (options[o] == kept)
            continue; /* `best` is of it */
        *number = options[o];
        found = likelihood(s, values);
        if (found > best) {
            best = found;
            kept = options[o];
        }
    }
    *number = kept;
    return best;
}

/* One number after the other, twice round, or until each in its turn stayed as it was. */
static void search_rates(struct surrogate *s, const double *values)
{
    const size_t numbers = s->parameter_count + 1; /* the rates, and the noise */
    double best = likelihood(s, values), before;
    size_t turn, stayed = 0;

    for (turn = 0; turn < 2 * numbers && stayed < numbers; turn++) {
        const size_t p = turn % numbers;

        before = best;
        if (p == s->parameter_count)
            best = choose(&s->noise, noises, NOISES, best, s, values);
        else if (s->parameters[p].values > 1)
            best = choose(&s->rate[p], rates, RATES, best, s, values);
        stayed = best > before ? 0 : stayed + 1;
    }
}

static bool is_ordered(const struct spec_parameter *parameter)
{
    size_t v;

    for (v = 0; v < parameter->value_count; v++)
        if (parameter->values[v].kind == VALUE_STRING)
            return false;
    return true;
}

int surrogate_parameters(struct surrogate_parameter **out, const struct spec *spec, struct err *err)
{
    size_t p;

    *out = calloc(spec->parameter_count, sizeof **out);
    if (!*out)
        return err_memory(err);
    for (p = 0; p < spec->parameter_count; p++) {
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

static int allocate(struct surrogate **out, const struct surrogate_parameter *parameters, size_t count,
                    size_t n, struct err *err)
{
    struct surrogate *s = calloc(1, sizeof *s);
    size_t p;

    *out = s;
    if (!s)
        return err_memory(err);
    s->parameters = malloc(count * sizeof *s->parameters);
    s->choices = malloc(n * count * sizeof *s->choices);
    s->slopes = malloc(n * sizeof *s->slopes);
    s->doubts = malloc(n * sizeof *s->doubts);
    s->rate = malloc(count * sizeof *s->rate);
    s->first = calloc(count + 1, sizeof *s->first);
    s->lower = malloc(n * n * sizeof *s->lower); /* of which a half is used */
    s->weights = malloc(n * sizeof *s->weights);
    if (!s->parameters || !s->choices || !s->slopes || !s->doubts || !s->rate || !s->first || !s->lower ||
        !s->weights)
        return err_memory(err);
    memcpy(s->parameters, parameters, count * sizeof *parameters);
    s->parameter_count = count;
    for (p = 0; p < count; p++)
        s->first[p + 1] = s->first[p] + parameters[p].values;
    s->decay = malloc((s->first[count] + 1) * sizeof *s->decay);
    s->between = malloc((s->first[count] + 1) * n * sizeof *s->between);
    s->products = malloc((count + 1) * n * sizeof *s->products);
    s->seen = malloc(count * sizeof *s->seen);
    return s->decay && s->between && s->products && s->seen ? 0 : err_memory(err);
}

/* Takes `n` points, evenly out of `all`. */
static void take(struct surrogate *s, double *values, const struct surrogate_point *points, size_t n,
                 size_t all)
{
    size_t i, p;

    s->n = n;
    for (i = 0; i < n; i++) {
        const struct surrogate_point *point = &points[i * all / n];

        for (p = 0; p < s->parameter_count; p++)
            s->choices[p * n + i] = point->choices[p];
        s->slopes[i] = point->slope;
        s->doubts[i] = point->doubt;
        values[i] = point->value;
    }
    s->middle = stats_median(values, n);
    for (i = 0; i < n; i++)
        values[i] -= s->middle;
}

/* The slope's deviation is given in units of value; here it is one in units of the values' own. It is several
 * times as large where the points say so clearly: a model that misleads does so by more than one that errs.
 */
static void set_slope(struct surrogate *s, const double *values)
{
    double squares = believed * s->prior.deviation * s->prior.deviation;
    size_t i;

    for (i = 0; i < s->n; i++)
        squares += values[i] * values[i];
    s->slope_variance =
        s->prior.slope_deviation * s->prior.slope_deviation * ((double)s->n + believed) / squares;
    if (s->slope_variance > 0) {
        const double usual = likelihood(s, values);

        s->slope_variance *= misled * misled;
        if (!(likelihood(s, values) > usual + clearly))
            s->slope_variance /= misled * misled;
    }
}

int surrogate_new(struct surrogate **out, const struct surrogate_parameter *parameters,
                  size_t parameter_count, const struct surrogate_point *points, size_t n,
                  struct surrogate_prior prior, const struct surrogate *before, struct err *err)
{
    double values[SURROGATE_POINTS];
    struct surrogate *s;
    size_t p;
    int code = allocate(&s, parameters, parameter_count, n, err);

    *out = NULL;
    if (code) {
        surrogate_free(s);
        return code;
    }
    s->prior = prior;
    s->noise = before ? before->noise : 1e-2;
    for (p = 0; p < parameter_count; p++)
        s->rate[p] = before ? before->rate[p] : 0.1;
    if (!before && n > parameter_count / 2) {
        take(s, values, points, n < SEARCHED ? n : SEARCHED, n);
        set_slope(s, values);
        search_rates(s, values);
    }
    take(s, values, points, n, n);
    set_slope(s, values);
    while (likelihood(s, values) == -INFINITY)
        s->noise *= 10;
    backward(s->weights, s->lower, n);
    forget_seen(s);
    *out = s;
    return 0;
}

int surrogate_renew(struct surrogate **surrogate, size_t *searched,
                    const struct surrogate_parameter *parameters, size_t parameter_count,
                    const struct surrogate_point *points, size_t n, struct surrogate_prior prior,
                    struct err *err)
{
    const bool keep = *surrogate && n < *searched + *searched / 4 + 1;
    struct surrogate *learned;
    int rc =
        surrogate_new(&learned, parameters, parameter_count, points, n, prior, keep ? *surrogate : NULL, err);

    if (rc)
        return rc;
    surrogate_free(*surrogate);
    *surrogate = learned;
    if (!keep)
        *searched = n;
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
    free(s->weights);
    free(s);
}

/* In a few sums that need not wait for each other. */
static double sum_of_products(const double *a, const double *b, size_t n)
{
    double sums[4] = {0};
    size_t i, k;

    for (i = 0; i + 4 <= n; i += 4)
        for (k = 0; k < 4; k++)
            sums[k] += a[i + k] * b[i + k];
    for (k = 0; i < n; i++, k++)
        sums[k] += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double surrogate_value(double *deviation, const struct surrogate *s, const unsigned *choices, double slope)
{
    const double *products = see(s, choices);
    double near[SURROGATE_POINTS], value, observations = 0;
    size_t i;

    for (i = 0; i < s->n; i++)
        near[i] = correlated(s, products[i], slope, s->slopes[i]);
    value = s->middle + sum_of_products(near, s->weights, s->n);
    if (!deviation)
        return value;
    forward(near, s->lower, s->n);
    for (i = 0; i < s->n; i++)
        observations += near[i] * near[i];
    *deviation = sqrt(s->variance * fmax(correlated(s, 1, slope, slope) - observations, 1e-9));
    return value;
}
