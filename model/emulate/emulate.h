/* Executes thread blocks of SASS on the host, to learn what the code alone cannot say: trip counts,
 * coalescing, bank conflicts, divergence. All warps of a block run lane by lane with real arguments, special
 * registers, constant banks, shared memory and barriers. Buffers have deterministic virtual addresses with
 * guard gaps; a global load is answered by the buffer's fill, a store goes to an overlay of pages: no buffer
 * is ever copied whole.
 *
 * Two modes that count the same:
 *   EMULATE_FULL     everything is executed: the buffers hold the kernel's output afterwards.
 *   EMULATE_SLICED   what no address, predicate, branch or barrier needs is only counted, and a loop in
 *                    steady state (same path, addresses advancing by constants) is extrapolated.
 *                    Divisions and roots whose outcome decides nothing are taken to need no special case
 *                    (zero, denormal, infinite): where many do, their subroutine is missing from the counts.
 *
 * A value that cannot be known (the result of a tensor core, of a texture, of a bulk copy, shared memory
 * another block of the cluster writes) is *unknown*, and spreads with what is computed from it. A branch,
 * predicate or address that depends on one ends the emulation as EMULATE_INCOMPLETE: refused, not guessed. But
 * what is loaded from constant memory at an unknown place is unknown itself.
 *
 * Threads of a warp have their own program counters, as since sm_70: a part of a warp that waits does not
 * hold up the rest. Without other need, the part of a warp that falls through a branch goes first. */
#ifndef MODEL_EMULATE_H
#define MODEL_EMULATE_H

#include "base/err.h"
#include "launch/launch.h"
#include "model/sass/cubin.h"
#include "model/emulate/footprint.h"
#include "model/sass/sass.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum emulate_mode { EMULATE_FULL, EMULATE_SLICED };

/* How an emulation ended. Data, not an error: a kernel that hangs is a finding. */
enum emulate_end {
    EMULATE_DONE,
    EMULATE_INCOMPLETE,  /* an instruction or value that the emulator cannot know decides what follows */
    EMULATE_BUDGET,      /* the instruction budget is spent: an endless loop, or too much work */
    EMULATE_TIME,        /* so is the time, if that is limited */
    EMULATE_DEADLOCK,    /* every warp that is left waits at a barrier that can never complete */
    EMULATE_BAD_ADDRESS, /* an access outside every buffer, or one that is not aligned to its width */
    EMULATE_BAD_BRANCH,  /* a branch to where no instruction is */
    EMULATE_TRAP,        /* the kernel stopped itself: trap, failed assertion */
    EMULATE_END_COUNT
};

const char *emulate_end_text(enum emulate_end end); /* "done", "incomplete", "out of budget", ... */

/* Of the budget, which the first block of a sample may take: a prediction from one block is better than none. */
enum { EMULATE_FIRST_TIMES = 8 };

struct emulate_options {
    enum emulate_mode mode;
    uint64_t budget; /* warp instructions executed one by one, all blocks together; 0: a default of 2^28. An
                        access of an extrapolated loop that has to be counted one by one is one as well */
    double
        core_limit_s; /* of a core, spent by the thread that opened the emulation, which executes it as well;
                            looked at now and then; 0: none. What it ends depends on the machine, but not on what
                            else runs there */
    double wall_limit_s;     /* by the wall clock, likewise: the last resort */
    const atomic_bool *stop; /* looked at now and then: once it is true, ERR_STOPPED. Null: never */
    double deviations;   /* standard deviations of a sample that its error reaches to: see assumptions.def */
    uint64_t resident;   /* thread blocks that the GPU holds at once; 0: all of the grid */
    bool skip_constants; /* where lanes read constant memory (LDC with a register) is not followed for its
                            own sake, nor counted */
};

/* What one static instruction did in one block, summed over the block's warps. Memory figures are 0 for what
 * is not a memory instruction; those of local memory are of its interleaved layout. */
struct emulate_count {
    uint64_t issued;   /* warp instructions issued, also with every lane predicated off */
    uint64_t requests; /* of them, with at least one lane that accesses memory */
    uint64_t lanes;    /* accesses of single lanes, all requests together */
    uint64_t bytes;    /* that those lanes asked for: lanes times width */
    uint64_t sectors;  /* 32-byte sectors of global and local memory, per request */
    uint64_t lines;    /* 128-byte lines, likewise */
    uint64_t places;   /* of global memory, pieces of DRAM_GRANULE bytes, from the lowest line on, likewise */
    uint64_t wavefronts; /* passes of shared memory: 1 without bank conflicts, per 128 bytes of width; of an
                            LDC with a register the different words that lanes name, of a MATCH.ANY the
                            different values of those that were executed, `requests` of them */
    uint64_t passes;     /* of L1's 32 banks for global memory, were its data there, or by four lines each */
    uint64_t filled;     /* 32-byte sectors of shared memory that a copy to it (LDGSTS) writes, per request */
    uint64_t sectors_once, lines_once; /* of global memory, what several parts of a wide request touch counted
                                          once: what it asks of L1 and what lies behind */
    uint64_t receivers; /* thread blocks that a load of the copy engine goes to, as last seen; 0: not known */
    uint64_t remote_lines; /* of shared memory of other blocks of the cluster: 128-byte lines, per request, of
                              what is stored as if they were full, */
    uint64_t remote_sectors,
        remote_parts; /* and in them sectors loaded or stored, and those added to, once more for each further
                         lane that adds to the same word */
    uint64_t askew_sectors,
        askew_lines; /* what copies past L1 ask for beyond `sectors_once` and `lines_once`: count_askew() */
};

/* What one static instruction's accesses to global memory add to its block's footprint: to what is read or,
 * by a store, to what is written. */
struct emulate_touch {
    uint64_t fresh;  /* sectors that nothing in the block had touched before it did */
    uint64_t own;    /* of them, those of its leader, the first warp to issue it: what a warp touches */
    uint32_t region; /* that the first access went to: its index in the result, plus 1; 0 for none */
    uint64_t led;    /* requests of its leader */
    uint64_t late;   /* of them, those with a sector that is new to the block: all lanes wait for it */
    uint64_t shared; /* of the sectors that the block's second warp loads, those that the first does too, */
    uint64_t apart;  /* and how many requests lie between, summed up (emulate/reuse_distance.h) */
    uint64_t
        came_back; /* of the sectors that the first warp loads, those that an earlier request of its own has loaded, */
    uint64_t between; /* and how many requests lie between, likewise */

    uint64_t
        jumped; /* of an LDC with a register, lines of CONSTANT_LINE bytes that lanes of a request jump to
                        (emulate/constants.h), as seen one by one */

    /* Of a load from constant memory at a computed uniform place, by its leader (emulate/walk.h): */
    uint64_t table_lines; /* different lines of CONSTANT_LINE bytes */
    uint64_t table_moves; /* how often it read another line than the time before, the first included */
    uint32_t table_first; /* the first of them, by its number in the bank */
};

enum { EMULATE_DISTANCES = 16, EMULATE_RETURNS = 16 };

/* How far apart a warp loads from sectors that it had before, of one instruction: by the number of different lines between,
 * 0, 1, 2 to 3, 4 to 7 and so on. The first 2^15 requests are looked at, and of many lines a sample. */
struct emulate_again {
    double sectors[EMULATE_DISTANCES];
    double lines[EMULATE_DISTANCES]; /* between, times sectors */
    double first[EMULATE_DISTANCES]; /* of the sectors, those of lines that were touched only once before */
    double requests[EMULATE_DISTANCES]; /* of the warp between, times sectors */
};

/* When the same warp comes back to lines of a region, by the requests between: 1, 2 to 3, 4 to 7 and so on. */
struct emulate_returns {
    double first; /* lines that it comes to for the first time */
    double lines[EMULATE_RETURNS];
    double requests[EMULATE_RETURNS]; /* between, times lines */
};

/* The instructions one warp executed, in order, loops folded. */
struct emulate_step {
    uint32_t first,
        count;     /* body = 0: instructions `first` to `first + count - 1`, by index; count may be 0 */
    uint32_t body; /* else: the next `body` steps are executed `repeats` times */
    uint64_t repeats;
};

struct emulate_path {
    struct emulate_step *steps;
    size_t count;
    uint64_t hash;
    bool cut; /* too long to keep: the steps are missing */
};

/* What one executed instruction does to a phase of an mbarrier or of a barrier of the block: copies and warps
 * arrive at it, warps wait for its end. An instruction has one of these or several in a row. */
struct emulate_event {
    uint32_t instruction; /* its index */
    uint32_t phase;       /* number of the phase in the block, from 1; 0: none, it does nothing to any */
    uint16_t arrivals;    /* at it */
    bool waits;           /* for its end */
    bool last;            /* of the instruction's */
};

/* Those of one warp, in order. */
struct emulate_events {
    struct emulate_event *list;
    size_t count, capacity;
    bool cut; /* the rest is missing */
};

struct emulate_block {
    unsigned position[3];
    double weight; /* blocks of the grid that it stands for, itself included */
    unsigned warps;
    uint64_t issued;               /* warp instructions, all of `counts` together */
    struct emulate_count *counts;  /* one per instruction of the code */
    struct emulate_touch *touches; /* likewise */
    bool last_of_all;              /* at a counter where all of the grid arrive: it stands for no other */
    bool borrows;                  /* counts and touches are those of an earlier block, which owns them */
    uint32_t *paths;               /* one per warp: index of its path in the result */
    struct emulate_events *events; /* one per warp; null where warps do not wait for each other's phases */
    bool borrows_events;           /* they are those of an earlier block, whose warps take the same paths */
    uint32_t phases;               /* of all barriers together */
    uint64_t
        *tickets; /* warp instructions of its cluster before each number that it took (emulate/ticket.h) */
    size_t ticket_count;
    uint64_t ticket_end;            /* and up to its end */
    struct footprint read, written; /* sectors of global memory; atomics are in both */
};

/* A piece of global memory: a buffer, or a variable of the cubin. */
struct emulate_region {
    uint64_t address, bytes;
};

/* What blocks are told that decides which way they go, and that was told from each block alone. */
enum emulate_told {
    EMULATE_TOLD_ANSWERS = 1, /* what atomics answer */
    EMULATE_TOLD_STORED = 2, /* what other blocks store, of which each saw what was there before the launch */
    EMULATE_TOLD_WHEREABOUTS = 4, /* a clock, the SM, or the slot on it */
};

enum { EMULATE_DIGITS = 4, EMULATE_CONSTANT_WORDS = (64 << 10) / 64 / 64 /* of a bank of 64 KB */ };

/* How what the blocks of a one-dimensional grid read moves with their number, written in digits of mixed
 * radix: a step of digit d, which is `unit[d]` blocks, moves it by moves[d * region_count + r] bytes in
 * region r. Thread blocks numbered in groups of rows have three digits: row of the group, column, group. */
struct emulate_order {
    unsigned digits; /* 0: not known */
    uint64_t unit[EMULATE_DIGITS];
    int64_t *moves;
};

/* Where atomics of a block and of the next meet (emulate/contention.h). */
struct emulate_meeting {
    double lines; /* by how evenly they add there; 0 where they do not meet, or nobody saw */
    double share; /* of their passes that are there */
    double run;   /* so many blocks, one after another, meet there */
};

/* Blocks of a grid that are proved to go the way of the first sampled one, lane by lane. */
struct emulate_alike {
    bool known;
    unsigned from[3], to[3]; /* a box of the grid, both inside, which holds the first sampled block */
    bool *
        linear; /* by region: what blocks that go one way access there moves by constants times their position; null
                     where nobody asked; owned */
};

/* Where consecutive blocks of a one-dimensional grid begin to read a region, loaded values leading them there. */
struct emulate_places {
    double blocks;    /* that were looked at in a row, on the mean; 0: not known */
    double half, all; /* different places of the first half of them, and of all ... */
    double further;   /* ... and those that each block behind them adds */
    double
        pool; /* sectors of which each block of a place reads any part; 0: all read the same, from its begin on */
};

struct emulate_result {
    enum emulate_end end;
    uint32_t pc;          /* byte offset of the instruction at which it ended, unless DONE */
    unsigned position[3]; /* and the thread block */
    char reason[240];     /* one line: "R4 of LDG is unknown" */
    bool assumed; /* an atomic's result was answered from the own block and initial memory alone, and */
    uint32_t assumed_pc; /* something depended on it; offset of the first such atomic */
    unsigned told;       /* of a sample: enum emulate_told, or-ed */
    bool tickets;        /* counters hand out work; it was dealt out in turn (emulate/ticket.h) */
    bool last_of_all;    /* all blocks of the grid arrive at one counter */
    bool arrivals;       /* the last block to arrive at a counter does more: emulate/arrival.h */
    bool wandered;       /* addresses in long loops were sampled (emulate/wander.h) */
    bool parted;         /* lanes went past a convergence barrier since others had yielded */
    bool skipped;        /* a branch by a value that cannot be known was taken, past what it guards */
    bool loaded;         /* loaded values decide which lanes access memory */
    uint64_t
        constant_lines[EMULATE_CONSTANT_WORDS]; /* a bit for each line of CONSTANT_LINE bytes that an LDC with
                                                         a register read, of all banks that have such */
    bool placeless;       /* an LDC read where nobody can know, which is no request then */
    bool uneven_clusters; /* blocks of a cluster whose warps wait for each other do different things */
    /* Of a sample. Blocks that were not executed do what others do as far as that is proved. */
    double unproven;   /* share of the grid's blocks of which it is not */
    bool likened;      /* of some blocks only a few warps say which way they go */
    double work_error; /* half the width of the interval around the warp instructions counted that holds those
                          of the grid, relative; 0 where every block's are known */
    unsigned cluster[3]; /* blocks; 0 in a grid of one dimension, whose order says more of what is shared */
    double *certain;     /* warp instructions that the grid issues at least, by instruction; null where the
                            sampled blocks tell; owned */
    double *expected;    /* likewise those that it is expected to issue */
    double contended;    /* of a sample: contention_busiest(), per operation: passes ... */
    double contended_behind;   /* ... and those of them behind another of the same sector */
    double contended_unevenly; /* contention_unevenness() */
    double repeated;           /* contention_repeats() */
    double passes;             /* of atomics, per operation of a lane */
    struct emulate_meeting meeting;
    uint64_t executed; /* warp instructions executed one by one: what the emulation cost */

    size_t instruction_count; /* of the code: the length of every `counts` */
    struct emulate_block *blocks;
    size_t block_count;
    struct emulate_again
        *again; /* of a sample, by instruction: the first warp of the first block; null where nobody
                                    looked; owned */
    struct emulate_returns *returns; /* the same by region, index as in `regions` */
    double followed;                 /* requests that these are of */
    struct emulate_path *paths;      /* distinct ones */
    size_t path_count;
    struct emulate_region *regions; /* ascending addresses, at least FOOTPRINT_CHUNK_SECTORS apart */
    size_t region_count;
    struct emulate_order order; /* of a sample; owned */
    uint64_t *
        spans; /* of a sample: 3 for each region, how many blocks in a row along x, y and z, the middle one among
                        them, begin to read it at the same place, where a neighbour shares all that it reads; 0: not
                        known. Null where nobody looked; owned */
    struct emulate_places *places; /* of a sample, by region; null where nobody looked; owned */
    struct emulate_alike alike;    /* of a sample */
};

/* Whether executions of the instruction are among the events. */
bool emulate_notes(const struct sass *i);

struct emulation; /* a kernel, its launch and its memory */

/* `code` is the decoded code of `kernel` in `cubin`; `launch` is prepared. All four are borrowed until
 * emulation_close(). ERR_USAGE where arguments and parameters do not fit together, naming the parameter. */
int emulation_open(struct emulation **out, const struct cubin *cubin, const struct cubin_kernel *kernel,
                   const struct sass_code *code, const struct launch *launch,
                   const struct emulate_options *options, struct err *err);
void emulation_close(struct emulation *emulation);

/* Executes blocks one after another; stores stay for the next, so the whole grid in order leaves the kernel's
 * output. Ends early when one does not end as DONE: the blocks before it are in the result. Errors are those
 * of fills, of memory, and ERR_STOPPED; the result is empty then. */
int emulate_blocks(struct emulate_result *out, struct emulation *emulation, const unsigned (*positions)[3],
                   size_t count, struct err *err);
int emulate_grid(struct emulate_result *out, struct emulation *emulation, struct err *err);

/* Executes a sample of the grid, each block on initial memory: the middle, its neighbours in x, y and z,
 * first and last, and blocks that stand for those which go another way (emulate/strata.h), up to `most` (at
 * least 1) and fewer where they take long to execute. Their weights add up to the grid, and what they issue
 * to what it does, but for `work_error`. */
int emulate_sample(struct emulate_result *out, struct emulation *emulation, size_t most, struct err *err);

/* Where in a sample's `blocks` the neighbours of one of them are, or where it has none those on the other side: -1 where the
 * sample has neither. EMULATE_CLUSTER_X and the like are those with the same place in the next cluster, where that has several
 * blocks along the axis. */
enum emulate_slot {
    EMULATE_MIDDLE,
    EMULATE_X1,
    EMULATE_X2,
    EMULATE_Y1,
    EMULATE_Z1,
    EMULATE_CLUSTER_X,
    EMULATE_CLUSTER_Y,
    EMULATE_CLUSTER_Z,
    EMULATE_SLOTS
};
int emulate_sample_beside(const struct emulate_result *result, size_t block, enum emulate_slot slot);

/* Bytes of constant memory in the lines that are read at places which lanes compute. */
uint64_t emulate_constant_bytes(const struct emulate_result *result);

void emulate_result_release(struct emulate_result *result);

/* Copies elements first .. first + count - 1 of a buffer or symbol argument as they are now. */
int emulation_read(void *out, struct emulation *emulation, size_t argument, uint64_t first, uint64_t count,
                   struct err *err);

#endif
