/* Which of the sampled thread blocks a simulation of an SM has in its places. */
#ifndef MODEL_PREDICT_MIX_H
#define MODEL_PREDICT_MIX_H

#include "base/err.h"
#include "model/emulate/emulate.h"

#include <stddef.h>

/* Fills out[] with the blocks that `n` >= 1 places hold: of the sampled ones each as often as its weight asks for, in a single place
 * the one of which as many do more as do less, but none that ends as soon as it begins, whose place the next one has. *share:
 * how much work a block of the grid has, relative to the mean of those. ERR_MEMORY. */
int mix_blocks(const struct emulate_block **out, double *share, const struct emulate_result *emulation,
               size_t n, struct err *err);

#endif
