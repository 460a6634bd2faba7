/* A surrogate, shared by its files: surrogate.c (learning), surrogate_value.c (what it answers). Nobody else includes
 * this. */
#ifndef TUNER_STRATEGY_SURROGATING_H
#define TUNER_STRATEGY_SURROGATING_H

#include "tuner/strategy/surrogate.h"

struct surrogate {
    struct surrogate_parameter *parameters;
    size_t parameter_count, n, most; /* points: now, and that there is memory for */
    unsigned *choices; /* parameter_count x most: the points' of one parameter beside each other */
    double *slopes;
    double *doubts;
    double slope_variance; /* in units of `variance` */
    bool misled;           /* it is several times the usual */
    double *rate;          /* per parameter */
    size_t *first;   /* per parameter: where its values begin among those of all; and how many there are */
    double *decay;   /* per value: to what so many steps of its parameter bring the correlation down */
    double *between; /* per value, most: to what the step from it to each point's choice does */

    /* Scratch: products[p * most + i] is that of the first p parameters' decays between point i and the
     * configuration `seen`. Who asks for one configuration after another mostly changes the last choices. */
    double *products;
    unsigned *seen;
    struct surrogate_prior prior;
    double noise, variance, middle;
    double
        *lower; /* Cholesky factor of the correlations, row by row, most apart: a point more is a row more */
    double *half;    /* lower^-1 (values - middle) */
    double *weights; /* correlations^-1 (values - middle) */
    double squares;  /* of `half` */
};

/* What one choice does, seen from every point. */
static inline const double *surrogate_between(const struct surrogate *s, size_t p, unsigned choice)
{
    return s->between + (s->first[p] + choice) * s->most;
}

/* Variance of what is common to all configurations, in units of the variance between them. */
#define SURROGATE_COMMON 1

static inline double surrogate_correlated(const struct surrogate *s, double product, double slope_a,
                                          double slope_b)
{
    return product + SURROGATE_COMMON + s->slope_variance * slope_a * slope_b;
}

/* Nothing was asked yet, of the points as they are now. */
void surrogate_forget_seen(struct surrogate *s);

#endif
