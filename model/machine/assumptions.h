/* The numbers that the model assumes: assumptions.def lists them with unit, source and effect. What a prediction
 * had to assume beyond them is in assumption.h. */
#ifndef MODEL_ASSUMPTIONS_H
#define MODEL_ASSUMPTIONS_H

#include <stddef.h>

struct assumptions {
#define ASSUMPTION(name, value, neutral, unit, source, effect) double name;
#include "model/machine/assumptions.def"
#undef ASSUMPTION
};

extern const struct assumptions assumptions_default;

/* One of them, for who changes or lists them. */
struct assumption_info {
    const char *name, *unit, *source, *effect;
    size_t offset; /* in struct assumptions */
    double value, neutral;
};
extern const struct assumption_info assumption_infos[]; /* the last one has no name */

#endif
