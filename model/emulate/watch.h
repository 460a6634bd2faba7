/* The state of a warp at the head of a loop, iteration by iteration: what emulate/steady.c knows of a loop
 * before it looks at what the loop does. The state is what is needed there: vector registers, uniform
 * registers, words of the plain stack, and predicates. */
#ifndef MODEL_EMULATE_WATCH_H
#define MODEL_EMULATE_WATCH_H

#include "model/emulate/state.h"

enum {
    WATCH_PERIOD = 8, /* longest, in iterations */
    WATCH_SNAPSHOTS = 2 * WATCH_PERIOD + 1
};

struct snapshot {
    row *rows; /* in the order of the watch's list */
    uint32_t p[8], up[8];
};

struct watch {
    uint32_t branch, target; /* instructions */
    uint32_t mask;           /* lanes in the loop */
    uint64_t repeats;        /* of the trace at the last visit */
    uint64_t rest;           /* visits still to be let pass */
    unsigned taken;          /* snapshots so far that belong together */
    unsigned trusted;        /* period with which it was extrapolated before, else 0, */
    uint64_t rehearsed;      /* and for how many periods that was rehearsed */
    const struct slice_set *live;
    uint16_t list[SLICE_PREDICATES + SLICE_STACK_WORDS]; /* bits of slice sets: vector, uniform, stack */
    unsigned count, vector_count, register_count;        /* of list: all, vector, vector and uniform */
    struct snapshot snapshots[WATCH_SNAPSHOTS];          /* snapshot n lies at n % WATCH_SNAPSHOTS */
    row *rows;
    size_t local_bytes; /* of a lane */
};

/* Null without memory: the loop is not watched then. */
struct watch *watch_new(const struct emulation *emulation, uint32_t branch, uint32_t target);
void watch_free(struct watch *watch);

void watch_take(struct watch *watch, const struct warp *warp);
/* Whether the last three snapshots `period` apart lie on a line. */
bool watch_on_line(struct watch *watch, unsigned period);
/* The state `periods` periods after the newest snapshot, as the last two that are a period apart foretell
 * it: sets it; says whether the warp is in it. */
void watch_set(struct watch *watch, struct warp *warp, unsigned period, uint64_t periods);
bool watch_agrees(struct watch *watch, const struct warp *warp, unsigned period, uint64_t periods);

#endif
