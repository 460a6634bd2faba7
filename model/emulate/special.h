/* Divisions and roots leave their special cases (denormal, infinite, out of the fast path's range) to a
 * subroutine of the compiler's; exp() of doubles goes through a few more instructions. */
#ifndef MODEL_EMULATE_SPECIAL_H
#define MODEL_EMULATE_SPECIAL_H

#include "model/emulate/state.h"

/* Whether the instruction is a branch around either. */
bool special_is_avoided(const struct emulation *emulation, size_t index);

#endif
