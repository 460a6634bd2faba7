/* What blocks were told in the emulation that others, or another time or place, may tell otherwise. */
#ifndef MODEL_EMULATE_TOLD_H
#define MODEL_EMULATE_TOLD_H

#include "model/emulate/state.h"

/* Sets what of it decides which way the sampled blocks of `result` go: emulate_result.told. ERR_MEMORY. */
int told_find(struct emulate_result *result, struct emulation *emulation, struct err *err);

#endif
