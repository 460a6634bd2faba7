/* What emulate/steady.c knows of the loops of a warp, for emulate/fold.c, rehearse.c and wander.c as well;
 * nothing else includes this. */
#ifndef MODEL_EMULATE_STEADY_STATE_H
#define MODEL_EMULATE_STEADY_STATE_H

#include "model/emulate/record.h"
#include "model/emulate/snapshots.h"

enum {
    WATCHES = 64,   /* loops looked at, nested ones among them */
    NESTED = 3,     /* of them, recorded at the same time: each inside the one before */
    WORTHWHILE = 8, /* periods */
    REHEARSALS = 3,
    PATIENCE = 64,    /* iterations until a loop that was not steady is looked at again, */
    FORGIVEN = 2,     /* doubled each time after so many failures, */
    PATIENCE_MOST = 6 /* so often at most */
};

enum phase { PHASE_RECORD, PHASE_LEARN, PHASE_REHEARSE };

/* A loop that is being recorded. */
struct recording {
    enum phase phase;
    struct snapshots *current;
    unsigned period, iteration;
    struct record *records;
    size_t record_count, next;
    struct record_run *runs;
    size_t run_count, next_run;
    uint64_t passed;  /* barriers in a period */
    uint64_t periods; /* how long after the recorded period that is which is seen now */
    bool disturbed;
    bool nests;                 /* there are loops inside */
    bool wanders;               /* some record does */
    uint64_t (*capture)[LANES]; /* where the addresses of a rehearsal go, by record; null: nowhere */
    uint64_t executed, cost;    /* at the recorded period's begin; warp instructions that it executes */
    struct sequence lanes;      /* while signing: at the newest period's begin */
};

struct steady {
    struct snapshots *snapshots[WATCHES];
    unsigned snapshots_count;
    struct recording recordings[NESTED]; /* what the warp does now is part of the first `depth` of them */
    unsigned depth;
    struct trace rehearsed; /* instructions of a rehearsal */
    uint64_t sampled;       /* loops of this warp so far */
};

/* Compares what is done with the record, or takes it into the records at first. */
void recording_take(struct recording *recording, const struct execution *execution);
/* Instructions first to end - 1 were executed, in a row `times` times. */
void recording_run(struct recording *recording, const struct record_run *run);

/* The innermost recording is a period of a loop inside another one that is recorded, and goes on like that for
 * `periods` more periods: a part of the recordings around it, which see the ends of what it compares, and its
 * accesses with what they advance by. */
void fold_into_outer(struct steady *steady, uint64_t periods);

/* Executes the period `periods` after the newest snapshot, uncounted, and puts everything back. Whether it
 * goes the same way and leaves the registers that are expected; records that do otherwise than expected are
 * marked. Of the outermost recording, while there is no other. */
bool steady_rehearse(struct emulation *emulation, struct warp *warp, struct group *group, uint64_t periods);
/* For how many periods beyond the two that are recorded no comparison turns out otherwise. */
uint64_t steady_horizon(const struct recording *recording);
/* Counts what `periods` periods after the recorded ones do, but for accesses that wander, and goes there. */
int steady_extrapolate(struct emulation *emulation, struct warp *warp, const struct recording *recording,
                       uint64_t periods);

#endif
