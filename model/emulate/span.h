/* How many blocks in a row read what the middle one of a grid reads (emulate_result's spans): neighbours that share
 * all of it do not say whether the whole row does, as of a matrix, or a few blocks, as heads that share keys. */
#ifndef MODEL_EMULATE_SPAN_H
#define MODEL_EMULATE_SPAN_H

#include "model/emulate/state.h"

/* Looks at the first reads of other blocks of the rows of the middle one, in regions where a neighbour shares all and
 * which are not known to move with the position. */
int span_find(struct emulate_result *result, struct emulation *emulation, struct err *err);

#endif
