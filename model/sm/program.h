/* What simulate.c simulates: instructions with what they ask of what warps share (program.c), and the paths of warps as lists
 * of them (lists.c). Nothing outside model/sm includes this. */
#ifndef MODEL_SM_PROGRAM_H
#define MODEL_SM_PROGRAM_H

#include "model/sm/simulate.h"

enum {
    SM_SCOREBOARDS = 7, /* of a warp, and the groups of tensor operations: REPLAY_GROUP_SLOT */
    SM_PORTS = 2 * SASS_PIPE_COUNT
};

/* How many iterations of loops are simulated: the first ones differ from the rest, since warps begin in step,
 * and what they wait for is not under way yet. */
struct sm_cut {
    unsigned brief, longer; /* of the outermost loops, in the shorter and in the longer simulation */
    unsigned inner;         /* of the loops within those; within these, `brief` again */
    size_t most;            /* instructions of a path */
    double part;            /* of a path, its beginning, that they are of: to the end of an outermost loop */
};

/* What an instruction sets going beside the warps. */
enum sm_beside { SM_NOTHING, SM_LOADS, SM_STORES, SM_FLUSHES, SM_TELLS /* what st.async stores */ };

/* What answers some requests beside the load/store units, and for which no instruction waits to be issued. */
enum sm_server { SM_REMOTE /* other blocks' shared memory */, SM_CONSTANTS, SM_MATCHES, SM_SERVERS };

/* What an instruction asks of what warps share, in cycles of it, and the scoreboards that it sets. */
struct sm_request {
    double units, tags, l2, dram; /* data path and tags of L1; L2 (reads at the SM's own rate, writes by
                                      its share) and DRAM, by its share */
    double waits,
        waits_dram; /* shares of the issues that wait for L2 and for DRAM to take on what was asked before */
    double own[SM_SERVERS];       /* cycles of each */
    double dram_part;             /* of the latency of a load, what is DRAM's and grows with the load there */
    double granules;              /* of memory that come together, see DEVICE_CURVE_DRAM_SPREAD, of a load */
    double latency, read_latency; /* see struct replay_op, also below */
    double queued;
    uint8_t sets, sets_read, kind;
    bool stores;     /* to global memory */
    bool fences;     /* waits until L2 has what the warp stored, ... */
    bool fenced;     /* ... and what follows it until copies have come */
    uint8_t async;   /* enum sm_beside: a copy, or the wait for copies to be read */
    double transfer; /* cycles of the copy engine for its bytes, ... */
    double interval; /* ... and from its begin to that of the next one */
    double brought;  /* bytes of DRAM that a copy waits for */
};

/* An instruction as the choice among warps sees it: small, because the choice is where the time goes, and
 * warps are all over the code. */
struct sm_op {
    double stall;                 /* cycles until the warp's next instruction */
    double interval;              /* until its pipe takes another one */
    double busy;                  /* for which the scheduler sends nothing else */
    double reads[REGISTER_BANKS]; /* cycles that it keeps each bank of the register file busy */
    double needs[REGISTER_BANKS]; /* the same, to be issued; -INFINITY where it waits for none of it */
    uint8_t port;                 /* see sm_port() */
    uint8_t waits, counted, counted_left;
    bool asks; /* for something: it has a request */
    bool barrier;
    bool async;  /* sets something going beside the warps, or arrives at and waits for phases: sm/async.h */
    bool yields; /* lets other warps go before the warp's next instruction */
    bool local;  /* does nothing that warps of other sub-partitions could see, and sees nothing of theirs */
    bool prompt; /* local, and waits for no scoreboard */
};

/* What an instruction must pass: its pipe, and the load/store units if it queues for them. */
static inline unsigned sm_port(unsigned pipe, bool queues)
{
    return 2 * pipe + queues;
}

static inline unsigned sm_pipe(unsigned port)
{
    return port / 2;
}

static inline bool sm_queues(unsigned port)
{
    return port % 2;
}

/* Phases that warps and copies arrive at: sm/async.h. */
struct sm_async {
    uint32_t *needed;    /* arrivals, by block of the input and phase; owned; null: none were noted */
    uint32_t phases;     /* of a block, at most */
    double arrive, wake; /* cycles from an arrival to its effect, and from there until a warp goes on */
    double remote;       /* cycles from a store to another block's shared memory to its effect there */
};

/* The sub-partitions that are simulated: all, or one that stands for all. */
struct sm_subset {
    unsigned first, count;
    double times; /* so much more than their warps do is what all of the SM do */
};

/* The code of a simulation. */
struct sm_code {
    struct sm_async async;
    struct sm_subset subset;
    struct sm_op *ops;           /* of each instruction, then of each where it is a taken branch; owned */
    struct sm_request *requests; /* of each instruction, in one piece with `ops` */
    size_t count;                /* of instructions */
    size_t *issued;              /* borrowed: sums up those simulated with this code; null: nobody counts */
    struct saturation_mix dram,
        dram_copies; /* how the latency of loads, and of copies, grows with the use of DRAM */
    bool spreads;    /* some loads take unequal times: sm_request.dram_part */
    bool counts;     /* some instruction waits for all but the last few that set a scoreboard */
};

/* The instruction that an index into the operations is of. */
static inline size_t sm_instruction(const struct sm_code *code, size_t op)
{
    return op < code->count ? op : op - code->count;
}

/* The instructions of a path, loops cut short. */
struct sm_list {
    uint32_t *ops; /* index into the code's operations */
    size_t count, capacity;
    size_t shared; /* operation up to which, itself included, it is the same as a shorter list */
    double all;    /* with the loops at full length, and to the path's end */
    size_t steps;  /* of the path, to where the cut ends it, */
    double shown;  /* and its instructions to there, with the loops at full length */
};

struct sm_subset sm_subset_whole(const struct sm_input *in);
/* The busiest sub-partition of an SM with `blocks` resident blocks where it can stand for all, or else these. ERR_MEMORY. */
int sm_subset_choose(struct sm_subset *out, const struct sm_code *code, const struct sm_input *in,
                     unsigned blocks, struct err *err);

/* The highest clock over that of the SMs: as many cycles of what keeps its clock pass in one of theirs. */
double sm_slowed(const struct sm_input *in);
/* Cycles in which L2 brings a sector to an SM that has but its share of it. */
double sm_l2_share(const struct sm_input *in);

/* ERR_MEMORY. */
int sm_code_init(struct sm_code *out, const struct sm_input *in, struct err *err);
void sm_code_release(struct sm_code *code);

/* One list for each path that the blocks' warps take, outermost loops cut to `iterations`, which is one of
 * the two of `cut`, those within a loop that is cut to the same number in both; `*simulated` and `*all` sum up
 * over the blocks' warps, `*all` with what lists leave out that end at cut->most or after cut->part. ERR_MEMORY. */
int sm_lists(struct sm_list **out, const struct sm_input *in, const struct sm_cut *cut, unsigned iterations,
             double *simulated, double *all, struct err *err);
/* The share of the warps' instructions by which the beginnings of paths that lists are of are another mixture than the
 * paths. ERR_MEMORY. */
int sm_lists_unlike(double *out, const struct sm_list *lists, const struct sm_input *in, struct err *err);
/* How many instructions steps stand for. */
double sm_count_steps(const struct emulate_step *steps, size_t count);
/* Adds the run of instructions that is steps[s], up to `most` in the list. */
int sm_list_run(struct sm_list *list, const struct sm_input *in, const struct emulate_step *steps, size_t s,
                size_t count, size_t most, struct err *err);
/* Notes in each of `lists` how many operations it has in common with that of `others`. */
void sm_lists_share(struct sm_list *lists, const struct sm_list *others, size_t count);
void sm_lists_free(struct sm_list *lists, size_t count);

#endif
