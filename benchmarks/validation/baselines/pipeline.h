/* The pipeline model and the measuring equations of Lemeire et al., "Microbenchmarks for GPU
 * characteristics".
 *
 * An instruction has an issue latency lambda (cycles until the next independent one) and a completion latency
 * Lambda (until a dependent one). Their work group is a thread block, their compute unit (CU) an SM. */
#ifndef BASELINES_PIPELINE_H
#define BASELINES_PIPELINE_H

#include "base/err.h"

#include <stddef.h>

/* Peak operations per second (eq. 1): 2 CUs x 192 x 0.9 GHz = 345.6e9; `per_instruction` is 2 for a
 * multiply-add. (The printed 361.2 Gop/s does not follow from its own factors.) */
double pipeline_peak(double cus, double units_per_cu, double clock_hz, double per_instruction);

/* Cycles an instruction of a warp takes on one CU when the whole GPU does `per_second` lane operations (eq. 3
 * with the warp of IV.B): lanes x CUs x clock / performance. Correct while all CUs are full. */
double pipeline_cpi_approximated(double per_second, double lanes, double cus, double clock_hz);

/* Issue latency of a warp on `units` processing elements (IV.B): 32 / 8 = 4 on Tesla, 32 / 192 on Kepler. */
double pipeline_issue_latency(double lanes, double units);

/* A microbenchmark run, its launch and the limits of the GPU. */
struct pipeline_run {
    double runtime_s;
    double clock_hz;
    double instructions; /* of the kernel, per work item */
    double items;        /* work items of the launch */
    double group_items;  /* work items of a work group */
    double lanes;        /* of a warp */
    double cus;
    double max_groups;      /* concurrent on a CU, whichever limit of registers and occupancy gives */
    double max_warps;       /* concurrent on a CU */
    double local_bytes;     /* of a work group; 0 for none */
    double max_local_bytes; /* of a CU */
};

struct pipeline_cpi {
    double groups, concurrent_groups, concurrent_warps, warps, runs;
    double cycles_of_run;
    double instructions_of_run; /* work item instructions of the groups concurrent on a CU */
    double per_warp;            /* cycles per instruction of a warp on a CU */
    double approximated;        /* the same by eq. 3, which takes the GPU for full all the time */
};

/* The corrected equations of V.B, from the time of one run of concurrent work groups. Unlike the printed ones
 * concurrent groups are whole, and bounded by warps as well, so that instructions and warps of a run agree.
 * ERR_USAGE when nothing runs. */
int pipeline_cpi_of(struct pipeline_cpi *out, const struct pipeline_run *run, struct err *err);

/* lambda and Lambda: smallest and largest CPI per warp over experiments from one warp to full occupancy (eqs.
 * 4 and 5). n >= 1. */
struct pipeline_latencies {
    double issue, completion;
};
struct pipeline_latencies pipeline_latencies_of(const double *cpi, size_t n);

/* Latency of a random walk through `bytes` (eq. 6): `hit` within the cache, and beyond it the hit ratio is
 * cache / bytes. */
double pipeline_walk(double bytes, double hit, double miss, double cache_bytes);

/* The eq. 6 that comes nearest to n >= 4 measured points, by least squares: hit and miss latency are linear
 * in it, the cache size is searched between the smallest and the largest size. ERR_USAGE when the sizes are
 * not positive or all equal. */
struct pipeline_walk_fit {
    double hit, miss, cache_bytes;
    double residual; /* root mean square, cycles */
};
int pipeline_walk_fit_of(struct pipeline_walk_fit *out, const double *bytes, const double *cycles, size_t n,
                         struct err *err);

/* Arms executed per warp, on average over the warps of a block of `threads`, when thread t takes arm
 * (t / run) % arms and each arm taken by any lane is executed (V.D, Fig. 5). All >= 1. */
double pipeline_divergent_arms(unsigned threads, unsigned lanes, unsigned run, unsigned arms);

/* A class of instructions for the pipeline model as a predictor (IV.C). */
struct pipeline_class {
    double count;      /* executed per warp */
    double issue;      /* lambda per warp, cycles of a CU */
    double completion; /* Lambda, cycles */
    double dependent;  /* how many of them the next instruction must wait for, per warp */
    int memory;        /* nonzero: on the memory pipeline, else on the computational one */
};

/* Cycles that `warps` concurrent warps take on one CU: the fullest of the two pipelines by issue latencies,
 * or one warp's chain of dependent completions, whichever is longer. */
double pipeline_cycles(const struct pipeline_class *classes, size_t n, double warps);

#endif
