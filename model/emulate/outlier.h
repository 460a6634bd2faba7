/* The block of a grid whose loops go on longest, by the loaded numbers that bound them: no sample of a few blocks meets one of
 * thousands, and a grid lasts as long as that one does.
 *
 * Of each buffer from which loads decide the way, and of which neighbouring blocks read neighbouring pieces: the largest number,
 * or, where two loads read it, the largest difference of two in a row, as of the offsets at which rows of a sparse matrix begin. */
#ifndef MODEL_EMULATE_OUTLIER_H
#define MODEL_EMULATE_OUTLIER_H

#include "model/emulate/signature.h"

/* Executes the block of a grid of one dimension that has at least twice as much of that as any of the result, if there is one: it
 * stands for itself alone. Where it takes too long it is left out. ERR_MEMORY, and errors of fills. */
int outlier_add(struct emulate_result *result, struct signer *signer, struct err *err);

#endif
