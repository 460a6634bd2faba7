/* The state of a simulation: the warps of an SM, its sub-partitions, and what they share. Nothing outside
 * model/sm includes this. */
#ifndef MODEL_SM_STATE_H
#define MODEL_SM_STATE_H

#include "model/sm/program.h"

#include <math.h>
#include <stdint.h>

enum {
    SM_WARPS = 64, /* of a sub-partition, at most */
    SM_MARKS = 64,
    SM_WARP_GROUPS = 8 /* of a block, at most */
};

#define SM_UNKNOWN (-1.0)

/* When a slot of a warp was ready after each of the last times it was set. */
typedef double sm_past[SM_SCOREBOARDS][REPLAY_DEPTH];

struct sm_warp {
    const struct sm_list *list;
    struct sm_block_slot *block_slot;
    sm_past *past;              /* null where no instruction asks for it */
    const uint32_t *next;       /* instruction, in the list */
    const uint32_t *safe, *end; /* before the first there is no need to look for the list's end */
    double earliest;            /* issue, by stall count or barrier; INFINITY while it waits at one */
    double slot[SM_SCOREBOARDS], copied;
    unsigned sets[SM_SCOREBOARDS];
    const struct emulate_event *event, *events_end; /* the next of its events: sm/async.h */
    bool events_cut;                                /* which were noted no further */
    uint32_t waits_for;                             /* phase of its block; 0: none */
    double earliest_before;                         /* while it waits for one */
    double number;                                  /* of all warps that have begun */
    unsigned loads;                                 /* from DRAM so far */
    unsigned group;                                 /* of its block's warp groups */
};

struct sm_block_slot {
    size_t block;           /* which of the input's it holds */
    unsigned left, arrived; /* warps that have not ended; those at the barrier */
    double latest;          /* arrival, as the barrier has taken note of it, or end */
    double stored
        [SM_WARP_GROUPS]; /* when those of a warp group last stored to global memory, or had the copy engine do so */
};

/* A warp whose next instruction is not ready, by scoreboards and stall count, as long as its scheduler is free. */
struct sm_waiting {
    double ready;
    uint64_t bit;
};

/* The choice among the warps of a sub-partition is where the time goes. A warp that has an instruction to issue is
 * `able`, or else in `waiting`, where the first that will be ready is the last: as the scheduler's time goes on, warps
 * are taken from that end, and no others looked at. */
struct sm_partition {
    struct sm_warp *warps;
    const struct sm_op *ops[SM_WARPS]; /* next instruction of each */
    uint64_t *of_block_slot;           /* for each slot, a bit for each of its warps here */
    uint64_t of_port[SM_PORTS]; /* for each port, a bit for each warp whose next instruction takes it */
    uint8_t ports[SM_WARPS];    /* that port of each warp */
    uint64_t idle;              /* a bit for each warp that waits at a barrier, or has ended */
    uint64_t able;              /* a bit for each warp that is ready by `free` */
    struct sm_waiting waiting[1 + SM_WARPS]; /* the first is nobody: no time, so that no comparison holds */
    unsigned waiting_count;
    uint64_t queuing; /* a bit for each warp whose next instruction queues for the load/store units */
    double others_go; /* no warp goes before whose bit is not set, or SM_UNKNOWN: sm_move() */
    bool moved;       /* `who` is to be chosen anew: sm_choose_moved() */
    double free;      /* of the scheduler */
    double pipe[SASS_PIPE_COUNT]; /* when each takes the next instruction */
    struct products products;     /* that wait for the tensor pipe */
    double bank[REGISTER_BANKS];  /* when each has delivered what was asked for */
    unsigned last;                /* the warp that went last, numbered within the sub-partition */
    bool yields;                  /* it lets the others go first */
    unsigned who;                 /* goes next */
};

struct sm_state {
    const struct sm_input *in;
    const struct sm_code *code;
    const struct sm_list *lists;                          /* of paths */
    struct sm_partition partitions[DEVICE_SUBPARTITIONS]; /* that are simulated */
    struct sm_warp *warps; /* these two by sub-partition, of which each has `per_partition` */
    sm_past *pasts;
    struct sm_block_slot *block_slots;
    unsigned *by_age;                  /* places, that of the block that began first at the front */
    uint64_t *of_block_slots;          /* the sub-partitions' `of_place` */
    double next[DEVICE_SUBPARTITIONS]; /* when each issues next; INFINITY for never */
    unsigned warp_count, per_block, block_slot_count;
    unsigned slots_used;    /* that have a warp on a sub-partition that is simulated */
    unsigned per_partition; /* the last one may be empty */
    bool shared_only;       /* stop where a warp's list goes its own way */
    bool replaces;          /* a block that ends, by the next */
    size_t begun;           /* blocks */
    unsigned ended, enough; /* of them; how many are to end */
    double ended_at;        /* the last of them */
    double queue_free[2]; /* when an instruction that does not queue for the load/store units can go: at once;
                             one that does */
    double own_free[SM_SERVERS], units_free, tags_free, l2_free, dram_free, barrier_free, end, read_window;
    double l2_warps, dram_warps; /* l2_free and dram_free if the copy engine had asked for nothing */
    double l2_taken;       /* when L2 has taken what was stored and added: beside what it answers with */
    double stored;         /* when the last store of any warp was taken, which a fence of any waits for */
    double fence_stored;   /* from then until such a fence is over */
    double fence_copied;   /* how long one takes where copies have just come or are under way */
    double lookahead;      /* for so long after one of its instructions a warp sets no others going */
    double arrival_cycles; /* that barriers need for each warp, one after another */
    double dram_busy;      /* cycles of DRAM asked for so far */
    uint32_t *missing;     /* arrivals by block slot and phase, */
    double *latest;        /* and when the last of those so far came */
    double engine_free, engine_busy; /* of the copy engine */
    double under_way; /* bytes that copies brought from DRAM, each times the cycles until it came */
    double
        storing; /* cycles of all tensor pipes that had no product while the block that brings the next stored */
    double landed;       /* when the copies to shared memory so far have come: a fence waits for them, too */
    double stores_read;  /* when the copies to global memory so far have read shared memory */
    double waited;       /* cycles of warps for phases of mbarriers */
    bool lost;           /* a warp's events are not those that were noted */
    bool starved;        /* those of some warp were noted no further */
    size_t issued, most; /* instructions so far; after which the simulation stops, 0: at the end */
    double marks[SM_MARKS]; /* when each SM_MARKS-th of `most` had been issued, */
    unsigned marked;        /* so many of them so far */
    bool takes_turns; /* sub-partitions that issue at the same time do; else the first of them goes first */
    unsigned turn;    /* the sub-partition that asked last for something */
};

/* fmax() and fmin() without their care for NaN. */
static inline double later(double a, double b)
{
    return a > b ? a : b;
}

static inline double earlier(double a, double b)
{
    return a < b ? a : b;
}

/* Warp w of the SM, counted by place, then by warp of the block, is on sub-partition w % partitions. */
static inline unsigned sm_partition_of(const struct sm_state *sm, unsigned w)
{
    return w % sm->in->partitions - sm->code->subset.first;
}

static inline bool sm_is_simulated(const struct sm_state *sm, unsigned w)
{
    return sm_partition_of(sm, w) < sm->code->subset.count;
}

/* One that is simulated. */
static inline struct sm_warp *sm_warp_at(const struct sm_state *sm, unsigned w)
{
    return &sm->partitions[sm_partition_of(sm, w)].warps[w / sm->in->partitions];
}

struct sm_state sm_state_of(const struct sm_input *in, const struct sm_code *code);

/* Allocates the warps of `blocks` places. To be released, also after an error: ERR_MEMORY, ERR_USAGE
 * when a sub-partition would have more than SM_WARPS warps. */
int sm_allocate(struct sm_state *sm, unsigned blocks, struct err *err);
void sm_release(struct sm_state *sm);

/* Does that, and puts all warps at the start of their lists, each block `stagger` cycles after the one
 * before; if that is more than none, sub-partitions take turns. */
int sm_start(struct sm_state *sm, const struct sm_list *lists, unsigned blocks, double stagger,
             struct err *err);

/* Makes *out what *from is; both were allocated for the same. What points to `from`'s arrays keeps to them. */
void sm_copy(struct sm_state *out, const struct sm_state *from);

/* Each warp is to go on in its path's list among these, at the same place as before. */
void sm_give_lists(struct sm_state *sm, const struct sm_list *lists);

/* Puts the next block on a place whose warps have ended. */
void sm_begin_block(struct sm_state *sm, struct sm_block_slot *block_slot, double time);

static inline const struct sm_op *sm_next_op(const struct sm_state *sm, const struct sm_warp *warp)
{
    return &sm->code->ops[*warp->next];
}

/* When `op`, its next instruction, could go as far as a warp is concerned. */
static inline double sm_ready(const struct sm_warp *warp, const struct sm_op *op)
{
    double ready = warp->earliest;
    unsigned waits;

    for (waits = op->waits; waits; waits &= waits - 1)
        ready = later(ready, warp->slot[__builtin_ctz(waits)]);
    if (op->counted < SM_SCOREBOARDS && warp->sets[op->counted] > op->counted_left)
        ready = later(
            ready, (*warp->past)[op->counted][(warp->sets[op->counted] - op->counted_left) % REPLAY_DEPTH]);
    return ready;
}

static inline bool sm_has_ended(const struct sm_warp *warp)
{
    return warp->next == warp->end;
}

/* The scheduler is free at `time`, later than before. */
static inline void sm_free(struct sm_partition *at, double time)
{
    const struct sm_waiting *first = &at->waiting[at->waiting_count];
    uint64_t able = at->able;

    for (; first->ready <= time; first--)
        able |= first->bit;
    at->able = able;
    at->waiting_count = (unsigned)(first - at->waiting);
    at->free = time;
}

static inline void sm_wait(struct sm_partition *at, uint64_t bit, double ready)
{
    struct sm_waiting *place = &at->waiting[++at->waiting_count];

    for (; place[-1].ready < ready; place--)
        *place = place[-1];
    *place = (struct sm_waiting){ready, bit};
}

/* Notes what the next instruction of a warp is, numbered within its sub-partition, and when it could go: of one that
 * is neither able nor waits. */
static inline void sm_note_next(const struct sm_state *sm, struct sm_partition *at, unsigned who)
{
    const struct sm_op *op = sm_next_op(sm, &at->warps[who]);
    const uint64_t bit = UINT64_C(1) << who;
    const double ready = sm_ready(&at->warps[who], op);

    at->ops[who] = op;
    at->of_port[at->ports[who]] ^= bit;
    at->of_port[op->port] ^= bit;
    at->queuing ^= (uint64_t)sm_queues(at->ports[who] ^ op->port) << who;
    at->ports[who] = op->port;
    if (ready <= at->free)
        at->able |= bit;
    else
        sm_wait(at, bit, ready);
}

static inline void sm_set_slot(struct sm_warp *warp, unsigned slot, double ready)
{
    if (slot >= SM_SCOREBOARDS)
        return;
    warp->slot[slot] = later(warp->slot[slot], ready);
    if (warp->past)
        (*warp->past)[slot][++warp->sets[slot] % REPLAY_DEPTH] = warp->slot[slot];
}

/* How long a request that starts at `time` waits for a server, which it then keeps busy for `cycles`. */
static inline double sm_serve(double *free, double time, double cycles)
{
    const double wait = cycles > 0 ? later(*free - time, 0) : 0;

    if (cycles > 0)
        *free = time + wait + cycles;
    return wait;
}

/* The warp that went last on a sub-partition does not go on by itself. */
static inline struct sm_block_slot *sm_stay(struct sm_partition *partition)
{
    partition->idle |= UINT64_C(1) << partition->last;
    return partition->warps[partition->last].block_slot;
}

/* Warp w of the SM goes on: it is idle no more. */
static inline void sm_go(struct sm_state *sm, unsigned w)
{
    struct sm_partition *at = &sm->partitions[sm_partition_of(sm, w)];

    at->idle &= ~(UINT64_C(1) << w / sm->in->partitions);
    sm_note_next(sm, at, w / sm->in->partitions);
}

#endif
