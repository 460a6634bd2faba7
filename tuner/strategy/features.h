/* What a configuration is known by before it is compiled: its choices, and what its launch makes of them. Times
 * jump with some of that where choices alone change step by step: with whether a tile divides the problem, and so
 * whether the kernel checks bounds; and with the threads of a block, a product of several parameters.
 *
 * A feature is an ordered choice like a parameter's, behind the parameters' own. Pure. */
#ifndef TUNER_STRATEGY_FEATURES_H
#define TUNER_STRATEGY_FEATURES_H

#include "tuner/strategy/surrogate.h"

struct features;

/* Of the launch of a problem of the spec; a spec without a launch has none. */
int features_open(struct features **out, const struct spec *spec, size_t problem, struct err *err);
void features_close(struct features *features); /* also null */

/* What the surrogates learn over: the parameters, then the features. */
size_t features_count(const struct features *features);
const struct surrogate_parameter *features_parameters(const struct features *features);

/* Fills choices[parameter_count .. features_count) from those before. Works in memory of its own: one thread at a
 * time. */
void features_fill(unsigned *choices, const struct features *features);

#endif
