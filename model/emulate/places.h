/* Where blocks begin to read that loaded values lead there (emulate_result.places). */
#ifndef MODEL_EMULATE_PLACES_H
#define MODEL_EMULATE_PLACES_H

#include "model/emulate/state.h"

/* Looks at the first reads of consecutive blocks of a one-dimensional grid, around some of the sampled ones. */
int places_find(struct emulate_result *result, struct emulation *emulation, struct err *err);

#endif
