/* What a speculative slice relies on (emulate/slice.h), watched while it is executed. */
#ifndef MODEL_EMULATE_SPECULATE_H
#define MODEL_EMULATE_SPECULATE_H

#include "model/emulate/state.h"

/* Before an instruction that lanes `mask` execute: true where one of them reads what was not computed. The
 * block is to be emulated again then, without trust in the instruction emulation->mistrust. */
bool speculation_fails(struct emulation *emulation, const struct warp *warp, const struct sass *i,
                       uint32_t mask);
/* Then: its results are computed in the lanes `mask`, and in those of `group` that are off they may be
 * missing. */
void speculation_note(struct emulation *emulation, struct warp *warp, const struct sass *i, uint32_t group,
                      uint32_t mask);

#endif
