/* Blocks of a sample that do what an earlier one did, elsewhere in the buffers.
 *
 * The first block is executed whole. Of a later one the warps with its corners are executed; where they take
 * the same paths, count the same and touch the same sectors, displaced in each buffer by one multiple of a
 * line, so are the other warps taken to. Otherwise they are executed as well, and so they are where places do not move by
 * constants with the block's position (emulate/origin.h) and blocks are cheap. What is loaded from global
 * memory may lead each block elsewhere: with such a load among what is needed, no block is taken to be alike. */
#ifndef MODEL_EMULATE_MEMOIZE_H
#define MODEL_EMULATE_MEMOIZE_H

#include "model/emulate/state.h"

struct memo;

int memo_open(struct memo **out, const unsigned block[3], struct err *err);
void memo_close(struct memo *memo);
/* The block in progress begins anew: what was kept of it counts for nothing. */
void memo_forget(struct memo *memo);

/* Whether it is worth while for this emulation; `alike` may be null. */
bool memo_applies(const struct memo *memo, const struct emulation *emulation);
/* The warp to execute `turn`-th: those with corners, the probes, first. */
unsigned memo_warp(const struct memo *memo, unsigned turn);
/* To be called after every warp, `turn` counted from 0. When the probes have ended: 1 where the block is like
 * the first and its counts, paths and footprints have been set. 0 where further warps are to be executed, or
 * an error. */
int memo_probe(struct memo *memo, struct emulation *emulation, unsigned turn);

#endif
