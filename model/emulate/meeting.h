/* Whether the atomics of blocks that run together go to the same lines. */
#ifndef MODEL_EMULATE_MEETING_H
#define MODEL_EMULATE_MEETING_H

#include "model/emulate/state.h"

/* Where the first sampled block and one beside it meet: result->meeting, all 0 where they do not, or no neighbour was looked
 * at. Of those that follow, the blocks of its row do, or all where a block of another row comes there, too. */
void meeting_find(struct emulate_result *result, const struct emulation *emulation);

#endif
