/* In which order the blocks of a one-dimensional grid go through what they read (struct emulate_order). */
#ifndef MODEL_EMULATE_ORDER_H
#define MODEL_EMULATE_ORDER_H

#include "model/emulate/state.h"

/* Finds result->order of a sample by a look at the first reads of some twenty blocks. Not known where what is
 * loaded decides what is read, or where no EMULATE_DIGITS digits describe it. */
int order_find(struct emulate_result *result, struct emulation *emulation, struct err *err);

#endif
