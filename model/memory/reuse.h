/* Reuse: which of a block's accesses to global memory find their data in L1 or L2. Between two accesses to
 * the same sector other data comes; a cache still has the sector if all of that fits.
 *
 * Every region (a buffer) is looked at by itself, since one may be swept once while another is read by all.
 * What an instruction asks for is parted by when the block last had it:
 *   new    nothing in the block had: blocks of the same wave that share it fetch it once, in step; later
 *          waves find what L2 kept of the waves between
 *   near   an instruction of the same innermost loop had, an iteration ago or so: between lies what one pass
 *          of the loop touches, in L1 whole lines of it
 *   far    an earlier loop had: between lies what the block touches altogether
 * The blocks resident on an SM share its L1, those of a wave L2. */
#ifndef MODEL_REUSE_H
#define MODEL_REUSE_H

#include "base/err.h"
#include "model/memory/traffic.h"

/* Fills what caches answer into the counts and sums of *out, whose counts, warps and regions are taken; ERR_MEMORY. */
int reuse_of(struct traffic *out, const struct sass_code *code, const struct emulate_result *result,
             const struct traffic_caches *caches, struct err *err);

#endif
