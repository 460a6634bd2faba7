/* What a surrogate answers. */
#include "tuner/strategy/surrogating.h"

#include "tuner/strategy/triangle.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

void surrogate_forget_seen(struct surrogate *s)
{
    for (size_t i = 0; i < s->parameter_count; i++)
        s->seen[i] = UINT_MAX;
    for (size_t i = 0; i < s->n; i++)
        s->products[i] = 1;
}

/* The products of all points and a configuration, from the first choice on that is another than before. */
static const double *see(const struct surrogate *s, const unsigned *choices)
{
    const size_t n = s->n, most = s->most, count = s->parameter_count;
    size_t p = 0, i;

    while (p < count && s->seen[p] == choices[p])
        p++;
    for (; p < count; p++) {
        const double *restrict factors = surrogate_between(s, p, choices[p]), *restrict before =
                                                                                  s->products + p * most;
        double *restrict products = s->products + (p + 1) * most;

        for (i = 0; i < n; i++)
            products[i] = before[i] * factors[i];
        s->seen[p] = choices[p];
    }
    return s->products + count * most;
}

/* Correlations with all points. */
static void look(double *near, const struct surrogate *s, const unsigned *choices, double slope)
{
    const double *products = see(s, choices);

    for (size_t i = 0; i < s->n; i++)
        near[i] = surrogate_correlated(s, products[i], slope, s->slopes[i]);
}

static double deviation_of(const struct surrogate *s, double slope, double observations)
{
    return sqrt(s->variance * fmax(surrogate_correlated(s, 1, slope, slope) - observations, 1e-9));
}

double surrogate_value(double *deviation, const struct surrogate *s, const unsigned *choices, double slope)
{
    double near[SURROGATE_MOST], value;

    look(near, s, choices, slope);
    value = s->middle + sum_of_products(near, s->weights, s->n);
    if (!deviation)
        return value;
    triangle_forward(near, s->lower, s->most, s->n);
    *deviation = deviation_of(s, slope, sum_of_products(near, near, s->n));
    return value;
}

/* The correlation with one point. */
static double correlated_with(const struct surrogate *s, const unsigned *choices, double slope, size_t i)
{
    double product = 1;

    for (size_t p = 0; p < s->parameter_count; p++)
        product *= surrogate_between(s, p, choices[p])[i];
    return surrogate_correlated(s, product, slope, s->slopes[i]);
}

double surrogate_follow(double *deviation, struct surrogate_view *view, const struct surrogate *s,
                        const unsigned *choices, double slope)
{
    if (!view->half || view->most < s->most) {
        double *larger = realloc(view->half, s->most * sizeof *larger);

        if (!larger)
            return surrogate_value(deviation, s, choices, slope);
        view->half = larger;
        view->most = s->most;
    }
    if (!view->n) {
        look(view->half, s, choices, slope);
        triangle_forward(view->half, s->lower, s->most, s->n);
        view->n = s->n;
        view->value = s->middle + sum_of_products(view->half, s->half, s->n);
        view->observations = sum_of_products(view->half, view->half, s->n);
    }
    for (size_t i = view->n; i < s->n; i++) {
        const double *row = s->lower + i * s->most;

        view->half[i] =
            (correlated_with(s, choices, slope, i) - sum_of_products(row, view->half, i)) / row[i];
        view->value += view->half[i] * s->half[i];
        view->observations += view->half[i] * view->half[i];
    }
    view->n = s->n;
    *deviation = deviation_of(s, slope, view->observations);
    return view->value;
}
