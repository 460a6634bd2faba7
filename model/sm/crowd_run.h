/* Runs lists of operations on the warps of an SM, in the order of time, as crowd.h describes. What only the
 * warps of one sub-partition can see runs ahead of the others, as far as none of them can set one of its
 * warps going: in what comes out, that is no difference. */
#ifndef MODEL_CROWD_RUN_H
#define MODEL_CROWD_RUN_H

#include "model/sm/crowd_code.h"

/* The cycles until a block has ended on each of `blocks` places, all beginning together. ERR_MEMORY,
 * ERR_STOPPED. */
int crowd_run(double *cycles, const struct crowd_input *in, const struct crowd_code *code,
              const struct crowd_list *lists, unsigned blocks, struct err *err);

/* The cycles in which `blocks` blocks end on as many places where each is replaced by the next as it ends,
 * the first ones having begun `stagger` cycles one after another. */
int crowd_run_wave(double *cycles, const struct crowd_input *in, const struct crowd_code *code,
                   const struct crowd_list *lists, unsigned blocks, double stagger, struct err *err);

struct crowd_both {
    double brief, longer; /* cycles */
};

/* The same as two runs without replacement, of the shorter and of the longer lists, each block beginning
 * `stagger` cycles after the one before; what the lists have in common (crowd_lists_share) is run once. */
int crowd_run_both(struct crowd_both *out, const struct crowd_input *in, const struct crowd_code *code,
                   const struct crowd_list *brief, const struct crowd_list *longer, unsigned blocks,
                   double stagger, struct err *err);

#endif
