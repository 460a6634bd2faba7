/* Parts of emulate_sample(), for sample.c (which blocks), sample_block.c (one of them), sample_weigh.c (what each
 * stands for) and represent.c. */
#ifndef MODEL_EMULATE_SAMPLE_H
#define MODEL_EMULATE_SAMPLE_H

#include "model/emulate/state.h"

/* Executes one more block unless it is there, or would be beyond the emulation's budget. `share` is what the
 * block issues over what those before it did, 1 where nobody knows. */
int sample_add(struct emulate_result *result, struct emulation *emulation, const unsigned position[3],
               double share, struct err *err);
/* The same, unless there are `most` blocks or enough for what they take. */
int sample_add_early(struct emulate_result *result, struct emulation *emulation, size_t most,
                     const unsigned position[3], struct err *err);
/* Where a block with atomics was too dear for a second one: the beginning of another, which is not added, for whether they
 * meet at some place. */
int sample_glimpse(struct emulate_result *result, struct emulation *emulation, struct err *err);
/* Executes the neighbours of a block, of which EMULATE_X1 and the like are named. */
int sample_add_beside(struct emulate_result *result, struct emulation *emulation, const unsigned at[3],
                      size_t most, struct err *err);
/* All combinations of first, middle and last up to `most`, then blocks at random as long as they are cheap, or ask memory for
 * unequal amounts. */
int sample_add_more(struct emulate_result *result, struct emulation *emulation, size_t most, struct err *err);

/* Divides `blocks` among the sampled blocks b with group[b] == which: those at the same edges of the grid
 * share the weight of that part of it, those in the middle as one; parts without a block are taken to be like those that have one. */
void sample_weigh(struct emulate_result *result, const unsigned grid[3], const size_t *group, size_t which,
                  double blocks);

#endif
