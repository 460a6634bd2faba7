#include "model/machine/assumptions.h"

const struct assumptions assumptions_default = {
#define ASSUMPTION(name, value, neutral, unit, source, effect) value,
#include "model/machine/assumptions.def"
#undef ASSUMPTION
};

const struct assumption_info assumption_infos[] = {
#define ASSUMPTION(name, value, neutral, unit, source, effect)                                               \
    {#name, unit, source, effect, offsetof(struct assumptions, name), value, neutral},
#include "model/machine/assumptions.def"
#undef ASSUMPTION
    {0},
};
