/* Branches, calls, reconvergence, and barriers of the block. */
#ifndef MODEL_EMULATE_CONTROL_H
#define MODEL_EMULATE_CONTROL_H

#include "model/emulate/state.h"

bool is_control(const struct sass *i);
/* BRA that nothing decides but its guard. */
bool is_plain_branch(const struct sass *i);
/* Executes a control instruction for the lanes `mask` of a group. STEP_NEXT: go on behind it. STEP_JUMPED:
 * the group is elsewhere, or gone. STEP_BLOCKED: it waits. */
int control_execute(struct emulation *emulation, struct warp *warp, struct group *group, const struct sass *i,
                    uint32_t mask);
/* All lanes of the group take the branch, whatever it says. */
int control_jump(struct emulation *emulation, struct warp *warp, struct group *group, const struct sass *i);

/* BAR: arrives with the lanes `mask`, and waits unless the barrier completes or only arrival is meant. */
int barrier_execute(struct emulation *emulation, struct warp *warp, struct group *group, const struct sass *i,
                    uint32_t mask);
/* Completes what the end of threads completes. */
void barrier_release(struct emulation *emulation);

/* A new group of the warp; there are never more groups than lanes. */
struct group *group_add(struct warp *warp, uint32_t mask, uint32_t pc);

#endif
