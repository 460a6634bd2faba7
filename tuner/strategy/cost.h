/* What a step of the search costs: the time of a trial, which is much the same for all, and the time of a
 * compile (with its prediction), which is learned over the parameters as the times of kernels are
 * (`surrogate`). Pure. */
#ifndef TUNER_STRATEGY_COST_H
#define TUNER_STRATEGY_COST_H

#include "base/err.h"
#include "tuner/strategy/surrogate.h"

#include <stdbool.h>
#include <stddef.h>

/* A compile that was begun. */
struct cost_point {
    const unsigned *choices;
    double seconds; /* > 0; of one that has not ended: so far */
    bool ended;
};

struct cost;

/* Over `parameters`, which are copied. */
int cost_open(struct cost **out, const struct surrogate_parameter *parameters, size_t count, struct err *err);
void cost_close(struct cost *cost); /* also null */

/* Learns compile times anew from all points. One that has not ended teaches something once it has taken
 * longer than expected. */
int cost_learn(struct cost *cost, const struct cost_point *points, size_t n, struct err *err);
void cost_add_trial(struct cost *cost, double seconds);

/* Expected seconds: of a compile on one core, of a trial on one GPU. Always positive. */
double cost_compile_s(const struct cost *cost, const unsigned *choices);
double cost_trial_s(const struct cost *cost);

/* The median of the compiles so far. */
double cost_usual_compile_s(const struct cost *cost);

#endif
