/* Latency bound: replay of one warp's instructions, alone on its SM (Volkov, section 3.7).
 *
 * Instruction k issues at the latest of: issue(k - 1) + stall(k - 1); the ready time of everything it waits
 * for; the time its pipe is free again for this warp; a free place among the loads in flight. What is waited
 * for stands in *slots*: a scoreboard of the control field is one (0 to 5; fixed latencies are in the stall
 * counts), and the published examples, which know register dependences only, give each register a slot.
 *
 * How the terms of section 3.7 are written:
 *   register dependency latency   latency, sets, waits        ILP latency            stall
 *   gap between loads or stores   pipe and interval           branch latency         stall of the branch
 *   loads in flight               REPLAY_LOAD, replay_init()  barrier                replay_barrier()
 *   extra sectors and wavefronts  added to latency and interval by whoever counts them
 *
 * Instructions are fed one by one, so no sequence is ever stored; a loop in steady state is extrapolated. All
 * times are SM cycles since the warp's start. */
#ifndef MODEL_LATENCY_H
#define MODEL_LATENCY_H

#include "base/err.h"
#include "model/warp/products.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    REPLAY_SLOTS = 64,
    REPLAY_GROUP_SLOT = 6, /* groups of tensor operations of a warp group */
    REPLAY_COUNTED = 8,    /* slots that can be waited for by count (DEPBAR): 0 to 7 */
    REPLAY_DEPTH = 8,      /* a counted wait leaves at most REPLAY_DEPTH - 1 in flight */
    REPLAY_PIPES = 16,
    REPLAY_FLIGHT = 64, /* largest limit on loads in flight */
    REPLAY_LEVELS = 8,
    REPLAY_NO_SLOT = 255
};

enum replay_kind {
    REPLAY_PLAIN,
    REPLAY_LOAD,  /* takes one of the warp's places for loads in flight until its latency has passed */
    REPLAY_COPY,  /* likewise, asynchronous (LDGSTS): its end is waited for through the next commit */
    REPLAY_COMMIT /* makes its slot ready when all copies so far have ended (LDGDEPBAR) */
};

struct replay_op {
    double stall;   /* cycles until the warp's next instruction may issue; 0 for a pair issued together */
    double latency; /* from issue until `sets` is ready */
    double read_latency;  /* from issue until `sets_read` is ready */
    double interval;      /* from issue until `pipe` takes the warp's next instruction */
    double queued;        /* of a product that waits for the tensor pipe in a queue: its time there; else 0 */
    uint64_t waits;       /* bit s: slot s must be ready */
    uint8_t sets;         /* slot of the result, or REPLAY_NO_SLOT */
    uint8_t sets_read;    /* slot of the operands having been read, or REPLAY_NO_SLOT */
    uint8_t counted;      /* slot that must have at most `counted_left` in flight, or REPLAY_NO_SLOT */
    uint8_t counted_left; /* 0 to REPLAY_DEPTH - 1 */
    uint8_t pipe;         /* 0 to REPLAY_PIPES - 1, numbered by the caller */
    uint8_t level;        /* where its data comes from, 0 to REPLAY_LEVELS - 1, numbered by the caller */
    uint8_t kind;         /* enum replay_kind */
    uint32_t tag;         /* names the instruction, say its code offset */
};

/* What held an instruction back beyond its predecessor's stall count. */
enum replay_cause { REPLAY_FREE, REPLAY_SLOT, REPLAY_PIPE, REPLAY_PLACES, REPLAY_AT_BARRIER, REPLAY_CAUSES };

struct replay_issue {
    double cycle;    /* issue time */
    double waited;   /* cycles beyond issue(k - 1) + stall(k - 1) */
    uint8_t cause;   /* enum replay_cause of the wait; REPLAY_FREE without one */
    uint32_t blamed; /* tag of the instruction waited for when the cause is REPLAY_SLOT */
};

/* A warp. Plain data: copying it forks the replay. Read the members above the line, and `earliest`. */
struct replay {
    double last;                  /* issue time of the last instruction: the warp's end once it was EXIT */
    double waited[REPLAY_CAUSES]; /* cycles by cause */
    double waited_level[REPLAY_LEVELS]; /* those of REPLAY_SLOT by level of the data waited for */
    uint64_t issued;                    /* instructions so far */
    /* -------- */
    double earliest; /* of the next instruction, by stall count or barrier */
    double ready[REPLAY_SLOTS];
    uint32_t setter[REPLAY_SLOTS];
    uint8_t level[REPLAY_SLOTS];
    double history[REPLAY_COUNTED][REPLAY_DEPTH]; /* when all of the first k set are ready, for the last k */
    uint64_t sets[REPLAY_COUNTED];
    double pipe_free[REPLAY_PIPES];
    struct products products;
    double place_free[REPLAY_FLIGHT]; /* ascending */
    unsigned places;
    double copied;
};

/* Starts a warp at cycle 0. `loads_in_flight` is the limit per warp, at most REPLAY_FLIGHT; 0 for none. */
void replay_init(struct replay *warp, unsigned loads_in_flight);

/* Issues one instruction. ERR_USAGE names a slot, pipe or level out of range, and nothing has changed. */
int replay_step(struct replay_issue *out, struct replay *warp, const struct replay_op *op, struct err *err);

/* For loops, which whoever feeds the steps unfolds: whether one iteration,
 * from `before` to *warp, left the warp as it was but for the time, and `times` more iterations of that kind.
 * Warps that meet at barriers are steady only together, all with the same (earliest - before->earliest). */
bool replay_is_steady(const struct replay *before, const struct replay *warp);
void replay_repeat(struct replay *warp, const struct replay *before, uint64_t times);

/* All n warps have issued their barrier instruction last: each goes on at the latest of those issue times
 * plus the barrier's latency (3.7, Listing 3.3). */
void replay_barrier(struct replay *const *warps, size_t n, double latency);

/* How much more the fullest sub-partition has to do than the mean when `warps` >= 1 are dealt out in turn to
 * `partitions` >= 1: five warps on four run like eight, 1.6. */
double replay_unevenness(double warps, unsigned partitions);

#endif
