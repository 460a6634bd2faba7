/* Loops in which a warp waits for what another block stores. */
#ifndef MODEL_SASS_SPIN_H
#define MODEL_SASS_SPIN_H

#include "model/sass/sass.h"

/* A loop, by the numbers of its instructions: its first one, the load, the branch back to the first, and where it goes when
 * the answer has changed: the number of all of them where no branch says that. */
struct sass_spin {
    size_t first, load, back, exit;
};

/* Finds the first load from `from` on that a loop repeats at one address until the answer changes: the load is a strong one
 * (volatile, relaxed or acquire) of global memory, the loop moves none of its registers, and asks for nothing
 * else. False where there is none. */
bool sass_spin(struct sass_spin *out, const struct sass_code *code, size_t from);
/* Whether an instruction of such a loop is one of the loads that it repeats. */
bool sass_spin_loads(const struct sass *i);

#endif
