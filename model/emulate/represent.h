/* Blocks that stand for the strata of a grid. */
#ifndef MODEL_EMULATE_REPRESENT_H
#define MODEL_EMULATE_REPRESENT_H

#include "model/emulate/strata.h"

/* Adds to a sample, whose blocks around the middle are there, blocks of the other strata, up to `most` and
 * fewer where they take long to execute, and weighs all: the weights add up to the grid, and what the blocks
 * issue to what the strata do. Of more strata than blocks, those that issue nearly as much are put together.
 * A block that is not like those it would stand for has no weight. The strata are sorted. */
int represent(struct emulate_result *result, struct signer *signer, struct strata *strata, size_t most,
              struct err *err);

#endif
