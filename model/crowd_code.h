/* What crowd.c plays: instructions with what they ask of what warps share, and the paths of warps as lists of
 * them. Nothing outside model/crowd*.c includes this. */
#ifndef MODEL_CROWD_CODE_H
#define MODEL_CROWD_CODE_H

#include "model/crowd.h"

#define CROWD_TAKEN UINT32_C(0x80000000)

/* An instruction and what it asks of what warps share, in cycles of it. */
struct crowd_op {
    struct replay_op op;
    uint8_t reads[REGISTER_BANKS];
    double units, tags, l2, dram; /* data path and tags of L1; L2 and DRAM, by the SM's share */
    double stored;                /* lines of L1 that it stores to */
    double l2_parts;              /* of L2, by what the warp's store before has sent on its way without it */
    bool barrier;
    bool yields; /* lets other warps go before the warp's next instruction */
    bool quiet;  /* nothing of that, and no scoreboard */
};

/* The instructions of a path, loops cut short. */
struct crowd_list {
    uint32_t *ops; /* index, with CROWD_TAKEN where a taken branch */
    size_t count, capacity;
    size_t shared; /* operation up to which, itself included, it is the same as a shorter list */
    double all;    /* with the loops at full length */
};

/* One operation per instruction of the code, to be freed; null without memory. */
struct crowd_op *crowd_ops(const struct crowd_input *in, struct err *err);

/* One list for each path that the block's warps take, loops cut to `iterations`; `*played` and `*all` sum up
 * over its warps. ERR_MEMORY. */
int crowd_lists(struct crowd_list **out, const struct crowd_input *in, unsigned iterations, double *played,
                double *all, struct err *err);
/* Notes in each of `lists` how many operations it has in common with that of `others`. */
void crowd_lists_share(struct crowd_list *lists, const struct crowd_list *others, size_t count);
void crowd_lists_free(struct crowd_list *lists, size_t count);

#endif
