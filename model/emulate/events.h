/* Which phases of mbarriers and of barriers of the block each warp arrives at and waits for: what a simulation
 * of all warps needs to let them wait for each other in time.
 *
 * Arrivals at the mbarriers of other blocks of the cluster are noted as if they came to the block's own: its
 * peers do the same, at about the same time. */
#ifndef MODEL_EMULATE_EVENTS_H
#define MODEL_EMULATE_EVENTS_H

#include "model/emulate/state.h"

enum { EVENTS_MOST = 1 << 15, EVENTS_BARRIER = 1 << 30 };

/* For a block whose warps wait for each other; ERR_MEMORY. */
int events_start(struct emulation *emulation, struct emulate_block *block, struct err *err);
void events_close(struct emulation *emulation);
void events_release(struct emulate_block *block);

/* Around the execution of an instruction of a warp. */
void events_begin(struct emulation *emulation, const struct warp *warp, const struct sass *i);
int events_end(struct emulation *emulation, struct err *err);

/* In between: an arrival at the phase in progress of the mbarrier at `address` of the cluster's shared memory,
 * or, EVENTS_BARRIER + number, of a barrier of the block, BARRIERS that of the cluster; a wait for that phase,
 * or, `over`, for the one before it. */
void events_arrive(struct emulation *emulation, uint32_t address);
void events_wait(struct emulation *emulation, uint32_t address, bool over);
/* At any time: the phase in progress ends. */
void events_phase_ends(struct emulation *emulation, uint32_t address);

#endif
