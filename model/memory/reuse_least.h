/* What a grid touches of a region at least: for the hard bound. For model/memory/reuse_regions.c.
 *
 * Nothing of it is estimated. What sampled blocks touch the grid does; and where blocks are proved to go the same way
 * and to access places that move by constants times their position (struct emulate_alike), each of them touches what
 * the first one does, moved. Copies that lie within each other are counted once. */
#ifndef MODEL_REUSE_LEAST_H
#define MODEL_REUSE_LEAST_H

#include "model/memory/reuse_regions.h"

/* In bytes; *exact: it touches no more. `linear`: what blocks access of the region moves so. ERR_MEMORY. */
int reuse_least(double *out, bool *exact, const struct reuse_regions *regions,
                const struct reuse_region *region, bool linear, bool written, struct err *err);

#endif
