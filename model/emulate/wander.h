/* Loops that go the same way again and again while some of their addresses advance unevenly, because they are
 * loaded, or the remainder of a division: a[table[k]].
 *
 * Nothing that decides where the loop goes may depend on such a value: that is looked for in the code of one
 * period. The path, the trip count and all other accesses are known exactly then, as of a loop in steady
 * state. The wandering accesses are sampled: a few periods, spread over the loop, are executed with their
 * real addresses. Between two of them an access is taken to cost what it does in these, and to touch what
 * lies on the way from one to the other. The result says so (`wandered`). */
#ifndef MODEL_EMULATE_WANDER_H
#define MODEL_EMULATE_WANDER_H

#include "model/emulate/state.h"

struct steady;

/* Two periods of the loop are recorded, the newest snapshot is at their end. 1: the loop has gone on by many
 * periods. 0: it is none of these, or too short; or an error. */
int wander_on(struct emulation *emulation, struct warp *warp, struct group *group);

#endif
