/* Blocks of which one stands for all in the simulation. */
#ifndef MODEL_SM_ONE_FOR_ALL_H
#define MODEL_SM_ONE_FOR_ALL_H

#include "model/sm/program.h"

/* Of blocks that do as much as each other, but of which the paths' lists, cut short, leave out more of one than of others, as of
 * those at a border whose turns alternate: the one of which they leave out most, or else those of which they leave out less
 * would seem to last longer. Sets how many times as much a mean one does. Null where blocks are not so. */
const struct emulate_block *sm_one_for_all(double *work, const struct sm_list *lists,
                                           const struct sm_input *in);

#endif
