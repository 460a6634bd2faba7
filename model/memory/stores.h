/* Stores of global memory on their way from an SM to L2. A queue holds so many lines of them (store_merge_lines), first in,
 * first out, and gives L2 one as soon as that takes it: what a warp stores to sectors that are still there merges. So
 * parts of a sector merge that are stored one right after the other, and not what waits for a load in between: by then
 * the queue has been emptied, or others have filled it. */
#ifndef MODEL_STORES_H
#define MODEL_STORES_H

#include "model/memory/traffic.h"

/* Stores and atomics of global memory as they leave the SM. Fills `stores`, `added` and, of the counts, whose others are there,
 * `again`. */
void stores_sum(struct traffic *traffic, const struct sass_code *code, const struct emulate_result *result,
                const struct traffic_caches *caches);

#endif
