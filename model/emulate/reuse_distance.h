/* How far apart the first two warps of a thread block are when they load from the same sector, and how far the first is
 * from itself: those that go through the same data side by side hardly, those that gather from a common piece of memory
 * anyhow. Only loads that are executed one by one are looked at, and the first sectors that they come to. */
#ifndef MODEL_EMULATE_REUSE_DISTANCE_H
#define MODEL_EMULATE_REUSE_DISTANCE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REUSE_DISTANCE_WARPS = 2 };

struct reuse_distance_entry {
    uint64_t number; /* of a sector, from 1; 0: free */
    uint64_t loads;  /* of the first warp until it came there first, */
    uint64_t last;   /* and last */
};

/* A zeroed struct has seen nothing. */
struct reuse_distance {
    struct reuse_distance_entry *places;
    size_t count;
    uint64_t loads[REUSE_DISTANCE_WARPS]; /* requests so far */
};

void reuse_distance_release(struct reuse_distance *distance);
/* A block begins: forgets the one before. */
void reuse_distance_begin(struct reuse_distance *distance);
/* Warp 0 or 1 loads from a sector, where warp 0 has been: *known says whether. *apart is then how many loads it was
 * ahead or behind when it first was, for warp 1; for warp 0, how many lie between, 0 for two lanes of one load. ERR_MEMORY. */
int reuse_distance_note(bool *known, uint64_t *apart, struct reuse_distance *distance, unsigned warp,
                        uint64_t sector, struct err *err);

#endif
