/* What emulate/steady.c knows of the loops of a warp, for emulate/wander.c as well; nothing else includes
 * this. */
#ifndef MODEL_EMULATE_STEADY_STATE_H
#define MODEL_EMULATE_STEADY_STATE_H

#include "model/emulate/record.h"
#include "model/emulate/snapshots.h"

enum {
    WATCHES = 8,    /* loops looked at, nested ones among them */
    WORTHWHILE = 8, /* periods */
    REHEARSALS = 3,
    PATIENCE = 64 /* iterations until a loop that was not steady is looked at again */
};

enum phase { PHASE_WATCH, PHASE_RECORD, PHASE_LEARN, PHASE_REHEARSE };

struct steady {
    struct snapshots *snapshots[WATCHES];
    unsigned snapshots_count;
    enum phase phase;
    struct snapshots *current; /* the loop that is being recorded */
    unsigned period, iteration;
    struct record *records;
    size_t record_count, next;
    struct record_run *runs;
    size_t run_count, next_run;
    uint64_t passed;  /* barriers in a period */
    uint64_t periods; /* how long after the recorded period that is which is seen now */
    bool disturbed;
    bool wanders;               /* some record does */
    uint64_t (*capture)[LANES]; /* where the addresses of a rehearsal go, by record; null: nowhere */
    uint64_t executed, cost;    /* at the recorded period's begin; warp instructions that it executes */
    uint64_t sampled;           /* loops of this warp so far */
};

/* Executes the period `periods` after the newest snapshot, uncounted, and puts everything back. Whether it
 * goes the same way and leaves the registers that are expected; records that do otherwise than expected are
 * marked. */
bool steady_rehearse(struct emulation *emulation, struct warp *warp, struct group *group, uint64_t periods);
/* For how many periods beyond the two that are recorded no comparison turns out otherwise. */
uint64_t steady_horizon(const struct steady *steady);
/* Counts what `periods` periods after the recorded ones do, but for accesses that wander, and goes there. */
int steady_extrapolate(struct emulation *emulation, struct warp *warp, uint64_t periods);

#endif
