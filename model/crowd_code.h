/* What crowd.c plays: instructions with what they ask of what warps share, and the paths of warps as lists of
 * them. Nothing outside model/crowd*.c includes this. */
#ifndef MODEL_CROWD_CODE_H
#define MODEL_CROWD_CODE_H

#include "model/crowd.h"

enum { CROWD_SLOTS = 6 /* scoreboards of a warp */ };

/* What an instruction asks of what warps share, in cycles of it, and the scoreboards that it sets. */
struct crowd_request {
    double units, tags, l2, dram; /* data path and tags of L1; L2 (reads at the SM's own rate, writes by
                                      its share) and DRAM, by its share */
    double far;                   /* of the latency of a load, what is DRAM's and grows with the load there */
    double pieces;                /* of memory that come together, see DEVICE_CURVE_DRAM_SPREAD, of a load */
    double latency, read_latency; /* see struct replay_op, also below */
    uint8_t sets, sets_read, kind;
    bool stores; /* to global memory */
};

/* An instruction as the choice among warps sees it: small, because the choice is where the time goes. */
struct crowd_op {
    double stall;                        /* cycles until the warp's next instruction ... */
    double lasts;                        /* ... and until its end, if there is none */
    double interval;                     /* until its pipe takes another one */
    double reads[REGISTER_BANKS];        /* cycles that it keeps each bank of the register file busy */
    double needs[REGISTER_BANKS];        /* the same; -INFINITY where it needs nothing of the bank */
    const struct crowd_request *request; /* null: it asks for nothing */
    uint8_t pipe, waits, counted, counted_left;
    bool queues; /* for the load/store units */
    bool barrier;
    bool yields; /* lets other warps go before the warp's next instruction */
    bool local;  /* does nothing that warps of other sub-partitions could see, and sees nothing of theirs */
};

/* The instructions of a path, loops cut short. */
struct crowd_list {
    uint32_t *ops; /* index into crowd_ops() */
    size_t count, capacity;
    size_t shared; /* operation up to which, itself included, it is the same as a shorter list */
    double all;    /* with the loops at full length */
};

/* Two operations per instruction of the code, the second for where it is a taken branch; to be freed in one
 * piece with the requests they point to. Null without memory. */
struct crowd_op *crowd_ops(const struct crowd_input *in, struct err *err);

/* One list for each path that the block's warps take, loops cut to `iterations`; `*played` and `*all` sum up
 * over its warps. ERR_MEMORY. */
int crowd_lists(struct crowd_list **out, const struct crowd_input *in, unsigned iterations, double *played,
                double *all, struct err *err);
/* Notes in each of `lists` how many operations it has in common with that of `others`. */
void crowd_lists_share(struct crowd_list *lists, const struct crowd_list *others, size_t count);
void crowd_lists_free(struct crowd_list *lists, size_t count);

#endif
