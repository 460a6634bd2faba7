/* The pipeline model of Lemeire et al., "Microbenchmarks for GPU characteristics", as a predictor.
 *
 * An instruction has an issue latency lambda (cycles until the next independent one) and a completion latency
 * Lambda (until a dependent one). Their compute unit (CU) is an SM. */
#ifndef BASELINES_PIPELINE_H
#define BASELINES_PIPELINE_H

#include <stddef.h>

/* A class of instructions (IV.C). */
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
