/* Asynchronous barriers in shared memory (mbarrier): SYNCS and ARRIVES. A phase ends when as many threads
 * have arrived as are expected and every byte that was announced has come. Who waits for the end of a phase
 * does not run until then, as at a barrier of the block. */
#ifndef MODEL_EMULATE_MBARRIER_H
#define MODEL_EMULATE_MBARRIER_H

#include "model/emulate/state.h"

bool is_mbarrier(const struct sass *i);
/* Whether it waits at one, or asks whether that would be necessary. */
bool mbarrier_waits(const struct sass *i);

/* STEP_NEXT, STEP_BLOCKED, STEP_STOPPED or an error. */
int mbarrier_execute(struct emulation *emulation, struct warp *warp, struct group *group,
                     const struct sass *i, uint32_t mask);

/* `bytes` of asynchronous copies have come to the block's mbarrier at `address` in shared memory. */
int mbarrier_complete(struct emulation *emulation, struct warp *warp, const struct sass *i, uint32_t address,
                      uint64_t bytes);

/* Nothing can run, and some wait at an mbarrier: says what keeps it from ending its phase, as the
 * emulation's end. */
int mbarrier_hangs(struct emulation *emulation);

#endif
