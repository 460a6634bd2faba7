/* What the search believes of the time of a configuration, from all that is known so far.
 *
 *   log time = log(estimate, corrected by learn.h) + what the measured ones taught beyond it
 *
 * A configuration with a prediction has its own estimate. One that is not compiled, or that the model could
 * not read, takes it from those that have one, by its parameters (`surrogate`); its deviation says how
 * sure that is. What the measured times still differ by is learned by parameters in the same way, with a
 * factor on the estimate that may turn out to be nothing: a model that misleads is outvoted by measurements,
 * and without any prediction the measurements alone remain. */
#ifndef TUNER_STRATEGY_POSTERIOR_H
#define TUNER_STRATEGY_POSTERIOR_H

#include "base/err.h"
#include "model/predict/learn.h"
#include "tuner/strategy/search.h"
#include "tuner/strategy/surrogate.h"

#include <stdbool.h>
#include <stddef.h>

/* A configuration that was compiled, perhaps timed. */
struct observation {
    const unsigned *choices;
    struct search_prediction prediction;
    bool timed;
    double time_s; /* when timed: NaN where it failed */
};

/* Whether it has an estimate that counts; false of null. */
bool search_estimated(const struct search_prediction *prediction);

struct posterior;

/* Over `parameters`, which are copied. */
int posterior_open(struct posterior **out, const struct surrogate_parameter *parameters, size_t count,
                   struct err *err);
void posterior_close(struct posterior *posterior); /* also null */

/* Learns anew from all that is known. */
int posterior_learn(struct posterior *posterior, const struct observation *observations, size_t n,
                    struct err *err);

/* Takes in more, at a fraction of that: each a configuration compiled, or one that was known as compiled and is timed
 * now. `*added` is false where all is to be learned anew instead: where it has grown by an eighth since, and where one
 * is clearly faster than all before. Meanwhile the corrections of estimates stay as they are. */
int posterior_add(bool *added, struct posterior *posterior, const struct observation *observations, size_t n,
                  struct err *err);

/* What is expected: median of the time and standard deviation of its logarithm. False, and nothing set, while
 * there is neither an estimate nor a measurement. `prediction` null: not compiled. */
struct expected {
    double time_s, deviation;
};
bool posterior_expects(struct expected *out, const struct posterior *posterior, const unsigned *choices,
                       const struct search_prediction *prediction);

/* The same of a compiled configuration that is asked about again and again: it keeps what it was answered with. All
 * zero at first; its owner frees excess.half. An estimate that is its neighbours' stays until all is learned anew. */
struct posterior_view {
    uint64_t of;
    double estimate, unsure;
    struct surrogate_view excess;
};
bool posterior_follow(struct expected *out, struct posterior_view *view, const struct posterior *posterior,
                      const unsigned *choices, const struct search_prediction *prediction);

/* The logarithm of the time expected of a configuration that is not compiled; quicker to have. 0 while
 * nothing is known. */
double posterior_log_time(const struct posterior *posterior, const unsigned *choices);

#endif
