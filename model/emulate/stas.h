/* STAS (st.async): a store to another block's shared memory whose bytes complete at an mbarrier there. */
#ifndef MODEL_EMULATE_STAS_H
#define MODEL_EMULATE_STAS_H

#include "model/emulate/access.h"

/* Completes what the lanes of the request have stored, each at the mbarrier that it names. */
int stas_complete(struct emulation *emulation, struct warp *warp, const struct request *request);

#endif
