/* Loops in which a warp waits for what another block stores. */
#ifndef MODEL_SASS_SPIN_H
#define MODEL_SASS_SPIN_H

#include "model/sass/sass.h"

/* The first load from `from` on that a loop repeats at one address until the answer changes: the load is a strong one
 * (volatile, relaxed or acquire) of global memory, the loop moves none of its registers, and asks for nothing
 * else. code->count where there is none. */
size_t sass_spin(const struct sass_code *code, size_t from);

#endif
