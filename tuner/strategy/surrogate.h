/* What to expect of a configuration from others that are known, by its parameters alone: kriging (a Gaussian
 * process) over the choices.
 *
 * The covariance of two configurations falls with the distance of their choices, each parameter with a rate
 * of its own that is found by maximum likelihood: a parameter that does not matter hardly counts. Numbers are
 * as far apart as their places in the list of values ({1, 2, 4, 8}: steps of a doubling), other values are
 * equal or not. Besides, a known quantity of each configuration, its `slope`, may enter linearly.
 *
 * Pure: the same points in the same order give the same surrogate. */
#ifndef TUNER_STRATEGY_SURROGATE_H
#define TUNER_STRATEGY_SURROGATE_H

#include "base/err.h"
#include "space/spec.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    SURROGATE_POINTS = 192, /* most that may be given at once ... */
    SURROGATE_MOST = 216    /* ... and that there are with those added */
};

struct surrogate_parameter {
    unsigned values; /* how many; at least 1 */
    bool ordered;    /* numbers: the distance of two choices is the number of steps between them */
};

/* Those of a spec, in its order: spec->parameter_count of them, which the caller frees. */
int surrogate_parameters(struct surrogate_parameter **out, const struct spec *spec, struct err *err);

/* A copy, which the caller frees; null when memory ends. */
struct surrogate_parameter *surrogate_copied(const struct surrogate_parameter *parameters, size_t count);

struct surrogate_point {
    const unsigned *choices; /* borrowed for the call */
    double slope;            /* 0 where nothing is known */
    double value;            /* finite */
    double doubt; /* how little it says of others: variance, in units of that between values; >= 0 */
};

struct surrogate;

/* What is believed before there are points: how far values lie from each other (standard deviation, > 0), and
 * by how much the factor of the slope may well differ from 0, more where the points plainly say so; 0 leaves
 * the slope out. */
struct surrogate_prior {
    double deviation;
    double slope_deviation;
};

/* Learns from 1 to SURROGATE_POINTS points. Rates are those of `before` (null: middling ones); `search`: they are searched
 * from there, among all where there was none before, else step by step. */
int surrogate_new(struct surrogate **out, const struct surrogate_parameter *parameters,
                  size_t parameter_count, const struct surrogate_point *points, size_t n,
                  struct surrogate_prior prior, const struct surrogate *before, bool search, struct err *err);
void surrogate_free(struct surrogate *surrogate); /* also null */

/* Learns anew in the place of `*surrogate` (null at first) from `n` of the points that are known, `known` in all.
 * Rates are searched again when a quarter was added to those since; `*searched` holds how many there were then. */
int surrogate_renew(struct surrogate **surrogate, size_t *searched,
                    const struct surrogate_parameter *parameters, size_t parameter_count,
                    const struct surrogate_point *points, size_t n, size_t known,
                    struct surrogate_prior prior, struct err *err);

/* Takes in `n` more points, at a cost that grows with the square of their number where learning anew grows with the
 * cube: rates, slope and what the values are centred about stay as they are. False where an eighth was added since it
 * was learned, or what is added contradicts: then some may be taken in, and all is to be learned anew. */
bool surrogate_add(struct surrogate *surrogate, const struct surrogate_point *points, size_t n);

/* The expected value, and (where not null) its standard deviation, that of one more measurement's noise left
 * out. Works in the surrogate's own memory: one thread at a time. */
double surrogate_value(double *deviation, const struct surrogate *surrogate, const unsigned *choices,
                       double slope);

/* The same for a configuration that is asked about again while points are added: it keeps what it was answered with,
 * and each point added costs it one sum over all. All zero at first, and again (but for `half` and `most`) for another
 * surrogate, configuration or slope; its owner frees `half`. */
struct surrogate_view {
    size_t n, most; /* points looked at, and memory */
    double *half, value, observations;
};
double surrogate_follow(double *deviation, struct surrogate_view *view, const struct surrogate *surrogate,
                        const unsigned *choices, double slope);

#endif
