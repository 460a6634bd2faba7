/* What a grid touches of a region at least: for the hard bound. For model/memory/reuse_regions.c.
 *
 * What blocks share is told by a few neighbours in the middle of the grid. A bound takes for shared what they do
 * not show. */
#ifndef MODEL_REUSE_LEAST_H
#define MODEL_REUSE_LEAST_H

#include "model/memory/reuse_regions.h"

/* Changes what the middle block shares with others, *shared, to what it may share at most. */
void reuse_least_sharing(struct sharing *shared, const struct emulate_result *result,
                         const struct launch *launch, const struct reuse_region *region, bool written);
/* What a mean block touches of the region at the least, as far as that is no more than the middle one does: its
 * share of that. Where blocks that go the same way touch unequal amounts it is less than their mean. ERR_MEMORY. */
int reuse_least_blocks(double *out, const struct emulate_result *result, const struct reuse_region *region,
                       bool written, struct err *err);
/* Whether the sampled blocks that touch as much or more begin where their neighbours' distances say, and share no
 * more with the middle block than neighbours do. 1: they do, to a sector. 0: they do not, or none far away touches
 * as much, so that blocks far apart may touch the same. Between:
 * the distances are no multiples of a sector and blocks share some; it is what of a block is its own. */
double reuse_least_apart(const struct emulate_result *result, const struct reuse_region *region,
                         const struct sharing *shared, bool written);

#endif
