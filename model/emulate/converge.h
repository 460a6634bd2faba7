/* Where groups of a warp's lanes that went different ways meet again: convergence barriers (BSYNC) and WARPSYNC. */
#ifndef MODEL_EMULATE_CONVERGE_H
#define MODEL_EMULATE_CONVERGE_H

#include "model/emulate/state.h"

/* Groups without lanes go, and so do those that wait for nobody but lanes that have come or ended. */
void converge(struct emulation *emulation, struct warp *warp);

/* Lanes that gave way at a YIELD go on, those of one YIELD together; false where there are none. */
bool converge_resume(struct warp *warp);

/* The group waits in `state` for the lanes `awaited`, or at convergence barrier `index` for those that this names; it may
 * be gone afterwards. STEP_BLOCKED. */
int converge_wait(struct emulation *emulation, struct warp *warp, struct group *group, enum group_state state,
                  uint8_t index, uint32_t awaited);

#endif
