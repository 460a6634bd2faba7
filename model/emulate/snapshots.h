/* The state of a warp at the head of a loop, iteration by iteration: what emulate/steady.c knows of a loop
 * before it looks at what the loop does. The state is what is needed there: vector registers, uniform
 * registers, words of the plain stack, and predicates. */
#ifndef MODEL_EMULATE_SNAPSHOTS_H
#define MODEL_EMULATE_SNAPSHOTS_H

#include "model/emulate/state.h"

enum {
    SNAPSHOT_PERIOD = 8, /* longest, in iterations */
    SNAPSHOT_COUNT = 2 * SNAPSHOT_PERIOD + 1
};

struct snapshot {
    row *rows; /* in the order of the watch's list */
    uint32_t p[8], up[8];
    uint32_t *unknown; /* lanes of those rows, */
    uint32_t p_unknown[8], up_unknown[8];
};

struct snapshots {
    uint32_t branch, target; /* instructions */
    uint32_t mask;           /* lanes in the loop */
    uint64_t repeats;        /* of the trace at the last visit */
    uint64_t rest;           /* visits still to be let pass */
    unsigned taken;          /* snapshots so far that belong together */
    unsigned trusted;        /* period with which it was extrapolated before, else 0, */
    uint64_t rehearsed;      /* and for how many periods that was rehearsed */
    unsigned failures;       /* to record it since then */
    unsigned uneven;         /* with this period or a shorter one not all advances evenly, */
    bool this_time;          /* or did not from when the loop was begun to its end */
    bool sampled;            /* it was extrapolated from samples of its iterations */
    bool cuts; /* it masks, shifts or compares values: each warp meets the ends of those elsewhere */
    const struct slice_set *live;
    uint16_t list[SLICE_PREDICATES + SLICE_STACK_WORDS]; /* bits of slice sets: vector, uniform, stack */
    unsigned count, vector_count, register_count;        /* of list: all, vector, vector and uniform */
    struct snapshot snapshots[SNAPSHOT_COUNT];           /* snapshot n lies at n % WATCH_SNAPSHOTS */
    row *rows;
    uint32_t *unknown;
    size_t local_bytes; /* of a lane */
};

/* Null without memory: the loop is not watched then. */
struct snapshots *snapshots_new(const struct emulation *emulation, uint32_t branch, uint32_t target);
void snapshots_free(struct snapshots *snapshots);

void snapshots_take(struct snapshots *snapshots, const struct warp *warp);
/* Whether the last three snapshots `period` apart lie on a line. */
bool snapshots_on_line(struct snapshots *snapshots, unsigned period);
/* The state `periods` periods after the newest snapshot, as the last two that are a period apart foretell
 * it: sets it; says whether the warp is in it. */
void snapshots_set(struct snapshots *snapshots, struct warp *warp, unsigned period, uint64_t periods);
bool snapshots_agrees(struct snapshots *snapshots, const struct warp *warp, unsigned period,
                      uint64_t periods);

#endif
