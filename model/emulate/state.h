/* The state of an emulation, shared by its files; nothing outside model/emulate*.c includes this.
 *
 *   emulate.c          blocks, grid: the frame; emulate/open.c opens and closes it, emulate/sample.c samples
 *   emulate/block.c    one block: what is cleared before it, and what of it is kept;
 *                      emulate/beginning.c executes its beginning with its warps together
 *   emulate/run.c      its warps in turn; emulate/step.c executes their groups, instruction by
 *                      instruction
 *   emulate/alu.c      sources and results of a computing instruction, after a plan of emulate/plan.c that
 *                      was made once; emulate/operations.c says which of emulate/integer.c, logic.c, float.c,
 *                      convert.c, lane.c computes it, emulate/modify.c applies minus and the like
 *   emulate/operand.c  operands of all other instructions, and the stores of all
 *   emulate/request.c  addresses of an access and its cost
 *   emulate/access.c   loads, stores; emulate/atomic.c; emulate/memory.c is what is behind them,
 *                      emulate/layout.c where it lies
 *   emulate/control.c  branches, calls, reconvergence; emulate/barrier.c barriers of the block,
 *                      emulate/mbarrier.c asynchronous ones in shared memory,
 *                      emulate/cluster.c blocks of a cluster together, emulate/tensor_copy.c boxes of tensors,
 *                      emulate/tensor_box.c their bytes, emulate/events.c which phases warps arrive at and wait for
 *   emulate/count.c    sectors, lines, wavefronts of one request
 *   emulate/walk.c     lines of constant memory that uniform loads read
 *   emulate/trace.c    which instructions were executed, loops folded
 *   emulate/slice.c    what addresses and branches need, emulate/read_back.c which stores that reads
 *   emulate/contention.c  where atomics of all blocks meet
 *   emulate/ticket.c   counters that hand out work
 *   emulate/arrival.c  counters whose last arrival does more
 *   emulate/waiting.c  loops for what other blocks store
 *   emulate/told.c     what decides that was told from each block alone
 *   emulate/special.c  divisions that avoid their special cases
 *   emulate/steady.c   loops in steady state, of which emulate/snapshots.c keeps the state at their head,
 *                      emulate/record.c what they do, emulate/record_count.c counts it, emulate/lane_spans.c
 *                      says which bytes that touches, emulate/listen.c is told
 *                      of it, emulate/fold.c makes an inner loop a part of an outer one, and emulate/rehearse.c
 *                      tries a period
 *   emulate/speculate.c  whether a speculative slice holds
 *   emulate/memoize.c  blocks that do what another did, elsewhere
 *   emulate/signature.c  which way a block goes, without its accesses, as a hash of emulate/sequence.c;
 *                        emulate/origin.c what decides that
 *   emulate/strata.c   the blocks of a grid by the way they go */
#ifndef MODEL_EMULATE_STATE_H
#define MODEL_EMULATE_STATE_H

#include "model/emulate/arrival.h"
#include "model/emulate/count.h"
#include "model/emulate/reuse_distance.h"
#include "model/emulate/reuse_stack.h"
#include "model/emulate/emulate.h"
#include "model/emulate/contention.h"
#include "model/emulate/memory.h"
#include "model/emulate/sequence.h"
#include "model/emulate/slice.h"
#include "model/emulate/ticket.h"
#include "model/emulate/waiting.h"
#include "model/emulate/trace.h"
#include "model/sass/arch/geometry.h"

enum {
    ROWS = 256,          /* registers of a lane */
    BARRIERS = 16,       /* of a block */
    RECONVERGE = 16,     /* convergence barriers of a lane */
    CLUSTER_BLOCKS = 16, /* most thread blocks of a cluster */
    RESULT_WORDS = 4
};

#define NOBODY    UINT32_MAX
#define ALL_LANES UINT32_C(0xffffffff)

typedef uint32_t row[LANES]; /* one 32-bit register of every lane */

/* Registers lie by register, not by lane, so that an operation is a loop over lanes. A uniform register is
 * kept as a row of equal lanes, a predicate as a mask of lanes. */
struct registers {
    row r[ROWS], u[ROWS];
    row zero[2]; /* what RZ reads, also as two words */
    uint32_t p[8], up[8];
    uint32_t r_unknown[ROWS], u_unknown[ROWS]; /* lanes whose value cannot be known */
    uint32_t p_unknown[8], up_unknown[8];
    row b[RECONVERGE]; /* per lane, the lanes it reconverges with */
    bool tainted;      /* something in the above may be unknown */

    /* Speculative slices: lanes whose value was not computed, and the instruction that was trusted. */
    uint32_t stale[ROWS], stale_by[ROWS];
    bool doubtful; /* there may be such lanes */
};

enum group_state {
    GROUP_READY,
    GROUP_AT_YIELD,
    GROUP_AT_RECONVERGENCE,
    GROUP_AT_WARPSYNC,
    GROUP_AT_BARRIER,
    GROUP_AT_CLUSTER,
    GROUP_AT_MBARRIER
};

enum {
    TRAIT_NOTED = 1,    /* emulate_notes() says so */
    TRAIT_JOINS = 2,    /* signature_joins() */
    TRAIT_GUARDED = 4,  /* by another predicate than PT */
    TRAIT_PLAIN = 8,    /* is_plain_branch() */
    TRAIT_EQUATES = 16, /* arrival_compares() */
    TRAIT_WAITS = 32,   /* the branch back of a loop of emulate/waiting.h */
    TRAIT_SPECIAL = 64  /* a branch around a special case: emulate/special.h */
};

/* Lanes of a warp that are at the same instruction. */
struct group {
    uint32_t mask;
    uint32_t pc;                      /* index of the instruction to execute next, or to wait at */
    uint32_t awaited;                 /* GROUP_AT_WARPSYNC: lanes that must come */
    uint8_t state;                    /* enum group_state */
    uint8_t index;                    /* of the convergence or block barrier it waits at */
    uint8_t parity;                   /* GROUP_AT_MBARRIER: of the phase whose end it waits for */
    uint32_t mbarrier;                /* and the address in shared memory */
    bool waits;                       /* for what other blocks store: emulate/waiting.h */
    bool idle;                        /* its state repeats while nothing else changes, see emulate/step.c */
    uint32_t back_pc;                 /* last backward branch that was looked at for that, */
    uint64_t back_hash, back_version; /* and the state there */
};

struct warp {
    struct registers *regs; /* its own, or while warps run one by one those of all */
    struct group groups[LANES];
    unsigned group_count;
    unsigned turn;   /* group that runs next */
    uint32_t exited; /* lanes that ended or never began */
    row tid[3];
    unsigned index;         /* in the block */
    unsigned char *local;   /* local memory: local_bytes of each lane in turn */
    bool *local_unknown;    /* of each byte */
    bool local_used;        /* and some may be, since it began */
    uint32_t reduction[2];  /* of the last reducing barrier: the number, the truth value */
    unsigned cluster_phase; /* of the cluster's barrier when it arrived there */
    uint64_t passed;        /* block barriers it went through, when warps run one by one */
    struct trace trace;
};

struct block_barrier {
    uint32_t arrived;              /* threads */
    uint32_t expected;             /* 0: all that have not exited */
    uint32_t population, all, any; /* of a reducing barrier so far */
};

/* What one request costs the memory system. */
struct cost {
    unsigned sectors, lines, places, sectors_once, lines_once, wavefronts, passes, filled;
    unsigned remote_lines, remote_sectors, remote_parts;
    struct count_askew askew;
};

/* A request of an access, kept for those that follow: its cost, the lowest and the highest of its addresses,
 * and bits: a multiple of which power of two they are, or of a larger one. Lanes off the mask have addresses, too. */
struct pattern {
    uint32_t mask;
    uint64_t address[LANES], least, most, bits;
    struct cost cost;
};

/* What each thread block of a cluster has of its own. */
struct block_own {
    unsigned position[3];
    unsigned char *shared;
    bool *shared_unknown; /* of each byte */
    bool shared_tainted;
    struct block_barrier barriers[BARRIERS];
    struct warp *warps;
    unsigned alive; /* threads that have not exited */
};

struct emulation {
    const struct cubin *cubin;
    const struct cubin_kernel *kernel;
    const struct launch *launch;
    struct sass *patched; /* the instructions where some were changed (by the loader, say), else null */
    const struct sass *instructions;
    size_t count;
    struct special *specials; /* of sliced code: emulate/special.h */
    size_t special_count;
    struct emulate_memory memory;
    enum emulate_mode mode;
    uint64_t budget;
    double deviations;                 /* of struct emulate_options */
    bool skip_constants;               /* likewise */
    uint64_t counted;                  /* accesses of extrapolated loops that were counted one by one */
    double core_limit_s, wall_limit_s; /* see struct emulate_options */
    double begin_core_s, begin_wall_s;
    const atomic_bool *stop;
    uint8_t *kinds;      /* enum kind of each instruction */
    uint8_t *traits;     /* TRAIT_... of each, asked whenever it is executed */
    struct plan *plans;  /* of each that computes: emulate/plan.h */
    row (*plan_rows)[2]; /* words of immediates and constants, for the plans */
    unsigned threads, warp_count;
    unsigned row_count, uniform_count; /* registers in use */
    size_t local_bytes, shared_bytes;

    /* Sliced: what is executed (see emulate/slice.c). In full mode everything is needed. */
    struct slice slice;

    /* The block being executed. */
    struct block_own own;
    struct tensor_loads *loads;  /* into it that were put off: emulate/tensor_box.h; null before the first */
    unsigned char remote[32];    /* what loads from shared memory of other blocks find, unknown */
    struct registers *registers; /* of one warp, once they ran together of all */
    unsigned register_sets;
    uint64_t clock;                 /* warp instructions so far: what the next reading of a clock sees */
    uint64_t version;               /* grows with whatever another warp could wait for */
    uint64_t changed;               /* clock at the last growth */
    bool idles;                     /* some group is idle since groups were woken */
    bool alone;                     /* warps run one by one, because none needs what another does */
    bool restart;                   /* sliced: it turned out that more is needed; emulate the block again, */
    uint32_t mistrust;              /* because of this instruction, unless it is NOBODY */
    bool rehearsing;                /* what is executed is not counted */
    unsigned running;               /* the number of the block's warp that runs */
    struct reuse_distance distance; /* of the block's first two warps */
    struct reuse_stack *stack;      /* of its first one, in the first block of a sample; null before */
    uint64_t followed;              /* requests that are still to be looked at there */
    struct events *events;          /* phases that warps arrive at and wait for: emulate/events.h */
    struct cluster *cluster;        /* where there are clusters: emulate/cluster.h; else null */
    bool waits;                     /* warps wait for each other at mbarriers, or copy tensors */
    bool together;                  /* because warps pass barriers unequally: not one by one */
    uint64_t beginning;             /* of a block, for its events: the clock at which it is over; else 0 */
    struct emulate_block *block;
    struct walk *walks; /* of loads that walk through constant memory, in the order of the code */
    size_t walk_count;
    struct pattern *patterns; /* of every access, */
    uint32_t *first_pattern;  /* from this one on those of each instruction */
    uint8_t
        *leaders; /* of each instruction, the block's warp that was first to issue it, plus 1; 0: none has */
    int64_t *issue_steps;         /* differences of `issued` from one instruction to the next */
    struct steady *steady;        /* loops in steady state; null in full mode */
    struct contention contention; /* atomics of the sample so far */
    struct tickets tickets;       /* counters that hand out work */
    struct arrivals arrivals;     /* counters whose last arrival does more */
    struct waiting waiting;       /* loops for what other blocks store */
    struct memo *memo;            /* while a sample is taken, else null */
    uint64_t *lowest;  /* peeking: the lowest sector read of each region, all that is noted; else null */
    const bool *until; /* then: regions after whose reading the look ends; null: it goes on */
    size_t missing;    /* of those regions, which it has not read of yet */
    uint64_t peeked;   /* warp instructions of the last look */
    const struct foresight
        *foresight;          /* while what a block issues is foreseen (emulate/foresee.h); else null */
    struct signing *signing; /* which way a block goes is all that is asked for; else null */
    bool copied;             /* the block is like an earlier one, and the rest of it not executed */
    struct emulate_result *result;
    struct err *err;
};

/* What a step returns beside negative error codes. */
enum { STEP_NEXT, STEP_JUMPED, STEP_BLOCKED, STEP_STOPPED };

/* Of the result in progress: emulate.c and emulate/sample.c. */
void emulation_begin(struct emulate_result *result, struct emulation *emulation);
/* Executes one more block; it is in the result only if it ended as DONE. */
int emulation_block(struct emulate_result *result, struct emulation *emulation, const unsigned position[3],
                    struct err *err);
/* Executes the first instructions of a block, which leaves nothing behind: so many, or until it has read of all regions that
 * `until` flags (null: no fewer). first[r]: the lowest address that they read in region r, 0 where none. */
int emulation_peek(uint64_t *first, struct emulation *emulation, const unsigned position[3],
                   uint64_t instructions, const bool *until, struct err *err);

/* Ends the emulation at an instruction: STEP_STOPPED. */
int stop_at(struct emulation *emulation, const struct sass *i, enum emulate_end end, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static inline struct slice_code emulation_code(const struct emulation *emulation)
{
    return (struct slice_code){emulation->instructions, emulation->count, emulation->specials,
                               emulation->special_count};
}

static inline uint32_t lane_bit(unsigned lane)
{
    return UINT32_C(1) << lane;
}

/* Blocks that are executed only for which way they go, or for where they read first, learn nothing new. */
static inline bool emulation_learns(const struct emulation *emulation)
{
    return emulation->mode == EMULATE_SLICED && !emulation->lowest && !emulation->beginning;
}

static inline void note_change(struct emulation *emulation)
{
    emulation->version++;
    emulation->changed = emulation->clock;
}

#endif
