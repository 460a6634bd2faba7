/* Ryoo et al.'s pruning (CGO 2008), as Yuan et al.'s introduction states it: keep the Pareto front of two
 * metrics of a variant, time none of the others. */
#ifndef TUNER_PARETO_H
#define TUNER_PARETO_H

#include <stdbool.h>
#include <stddef.h>

struct pareto_metrics {
    double efficiency;  /* 1 / (instructions per thread x threads); more is better */
    double utilization; /* independent work per wait; more is better */
};

/* instructions: executed per thread; threads: of the grid; waits: barriers and memory accesses a thread waits
 * for, counted as 1 when there are none; warps_per_block = W_TB; blocks_per_sm = B_SM.
 *   efficiency  = 1 / (instructions x threads)
 *   utilization = instructions / waits x ((W_TB - 1) / 2 + (B_SM - 1) x W_TB) */
struct pareto_metrics pareto_metrics_of(double instructions, double threads, double waits,
                                        double warps_per_block, double blocks_per_sm);

/* keep[i] = no other variant is at least as good in both metrics and better in one. Equal variants are kept
 * or dropped together. */
void pareto_front(bool *keep, const struct pareto_metrics *metrics, size_t n);

#endif
