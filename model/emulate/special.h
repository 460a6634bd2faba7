/* Divisions and roots leave their special cases (zero, denormal, infinite, out of the fast path's range) to a
 * subroutine of the compiler's; exp() of doubles goes through a few more instructions. What is divided seldom
 * decides anything but whether the division is a special one. So sliced emulation takes for granted that none
 * is, and need not compute it, unless the outcome decides more than that. */
#ifndef MODEL_EMULATE_SPECIAL_H
#define MODEL_EMULATE_SPECIAL_H

#include "model/emulate/state.h"

/* A branch around either. */
struct special {
    uint32_t branch, merge;   /* where it lies, and where both ways meet */
    struct slice_set defined; /* what the special case leaves */
};

/* All of the emulation's code. Errors: ERR_MEMORY. */
int specials_find(struct emulation *emulation, struct err *err);

/* All are avoided at first; false once no more is that whose outcome is needed. */
void specials_avoid(struct slice *slice, const struct slice_code *code);
bool specials_settle(struct slice *slice, const struct slice_code *code);

/* Whether all lanes of a group take the branch, which is one around a special case: avoided, or by a value that
 * cannot be known. */
bool special_is_passed(const struct emulation *emulation, const struct warp *warp, const struct sass *i,
                       uint32_t mask);

#endif
