/* Runs lists of operations on the warps of an SM, in the order of time, as simulate.h describes. What only
 * the warps of one sub-partition can see runs ahead of the others, as far as none of them can set one of its
 * warps going: in what comes out, that is no difference. */
#ifndef MODEL_SM_RUN_H
#define MODEL_SM_RUN_H

#include "model/sm/program.h"

/* The cycles until a block has ended on each of `blocks` places, all beginning together. ERR_MEMORY,
 * ERR_STOPPED. */
struct sm_ran {
    double cycles;
    double waited;      /* of a warp, for phases of mbarriers */
    double engine_busy; /* of the copy engine */
    double under_way;   /* bytes of copies from DRAM, at the mean of that time */
    double storing; /* share of the time in which tensor pipes have nothing to do while results are stored */
    bool lost;      /* blocks did not end: what their warps wait for never comes */
};
int sm_run(struct sm_ran *out, const struct sm_input *in, const struct sm_code *code,
           const struct sm_list *lists, unsigned blocks, struct err *err);

/* The beginning of such a run: `most` instructions of all warps together, or fewer where it is over before
 * (`whole`), or where some warp's events were noted no further. Warps are stopped where they are, so none waits
 * for one that was stopped before it. */
struct sm_part {
    struct sm_ran ran;
    double issued, half, half_cycles; /* instructions; a half of them or a little less, and when they were */
    bool whole;
};
int sm_run_part(struct sm_part *out, const struct sm_input *in, const struct sm_code *code,
                const struct sm_list *lists, unsigned blocks, size_t most, struct err *err);

/* The cycles in which `blocks` blocks end on as many places where each is replaced by the next as it ends,
 * the first ones having begun `stagger` cycles one after another: the mean over `waves` of as many, after the
 * first. */
int sm_run_wave(double *cycles, const struct sm_input *in, const struct sm_code *code,
                const struct sm_list *lists, unsigned blocks, unsigned waves, double stagger,
                struct err *err);

struct sm_both {
    double brief, longer; /* cycles */
};

/* The same as two runs, of the shorter and of the longer lists, each block beginning `stagger` cycles after the one
 * before, without replacement or, unless `waves` is 0, as sm_run_wave() does it; what the lists have in common
 * (sm_lists_share) is run once. */
int sm_run_both(struct sm_both *out, const struct sm_input *in, const struct sm_code *code,
                const struct sm_list *brief, const struct sm_list *longer, unsigned blocks, unsigned waves,
                double stagger, struct err *err);

#endif
