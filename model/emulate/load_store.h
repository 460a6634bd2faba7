/* What plain loads and stores move between registers and memory. Addresses were checked, and counted, before. */
#ifndef MODEL_EMULATE_LOAD_STORE_H
#define MODEL_EMULATE_LOAD_STORE_H

#include "model/emulate/access.h"

/* STEP_NEXT, STEP_STOPPED or an error. */
int load_execute(struct emulation *emulation, struct warp *warp, const struct request *request);
int store_execute(struct emulation *emulation, struct warp *warp, const struct request *request);
int constant_execute(struct emulation *emulation, struct warp *warp, const struct request *request);
/* A store of shared memory of which nobody reads what it leaves (slice_doubts()): the lanes' bytes are unknown from now on. */
int store_unknown(struct emulation *emulation, struct warp *warp, const struct sass *i, uint32_t mask);

/* Puts the words that some lanes have loaded into the instruction's destinations. Those beyond the first operand go to the
 * second: 32-byte loads have two. */
void load_put(struct warp *warp, const struct sass *i, row *words, unsigned count, uint32_t mask,
              uint32_t unknown);

#endif
