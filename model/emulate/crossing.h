/* How far apart the first two warps of a thread block are when they load from the same sector: those that go
 * through the same data side by side hardly, those that gather from a common piece of memory anyhow. Only
 * loads that are executed one by one are looked at, and the first sectors that they come to. */
#ifndef MODEL_EMULATE_CROSSING_H
#define MODEL_EMULATE_CROSSING_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CROSSING_WARPS = 2 };

struct crossing_place {
    uint64_t number; /* of a sector, from 1; 0: free */
    uint64_t loads;  /* of the first warp until it came there */
};

/* A zeroed struct has seen nothing. */
struct crossing {
    struct crossing_place *places;
    size_t count;
    uint64_t loads[CROSSING_WARPS]; /* requests so far */
};

void crossing_release(struct crossing *crossing);
/* A block begins: forgets the one before. */
void crossing_begin(struct crossing *crossing);
/* Warp 0 or 1 loads from a sector. *apart is how many loads the other one was ahead or behind when it did,
 * for warp 1 where warp 0 has been there: *shared says whether. ERR_MEMORY. */
int crossing_note(bool *shared, uint64_t *apart, struct crossing *crossing, unsigned warp, uint64_t sector,
                  struct err *err);

#endif
