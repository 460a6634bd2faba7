/* Where and how often a kernel runs. */
#ifndef MODEL_RESIDENCY_H
#define MODEL_RESIDENCY_H

#include <stdbool.h>

/* Whole numbers >= 1. */
struct residency {
    double blocks;          /* of the grid */
    double sms;             /* of the GPU */
    double blocks_per_sm;   /* that fit at once (occupancy) */
    double warps_per_block; /* a partial warp counts as one */
    double places; /* for warps on an SM, where blocks begin before others have ended whole; 0: all blocks
                      that fit at once have theirs */
    unsigned partitions; /* sub-partitions of an SM that warps are dealt out to */
    bool blocks_equal;   /* every block executes the same: lets the bound count the busiest SM */
};

#endif
