/* Matrix multiplies whose block (row, column) reads a panel of 64 KB of A and one of B. */
#ifndef TESTS_UNIT_MODEL_REUSE_FIXTURE_H
#define TESTS_UNIT_MODEL_REUSE_FIXTURE_H

#include "model/memory/reuse_regions.h"

enum { PANEL = 64 << 10, PANELS = 64, SIDE = PANEL * PANELS, BLOCKS = 4 };
enum { A = 1 << 24, B = 1 << 25 }; /* addresses */

struct fixture {
    struct emulate_block blocks[BLOCKS];
    struct emulate_region regions[2];
    int64_t moves[3 * 2];
    struct emulate_result result;
    struct launch launch;
    struct traffic_caches caches;
    struct reuse_regions reuse_regions;
};

/* Block number k of the sample, at `x`, `y` of the grid, works on that row and column of panels. */
void fixture_add_block(struct fixture *f, size_t k, unsigned x, unsigned y, unsigned row, unsigned column);
/* 128 blocks at once, two on each of 64 SMs; L2 starts empty. */
void fixture_set_up(struct fixture *f, double l2, double skew);
/* A block per row and column of panels, x along the columns. */
void fixture_set_up_square(struct fixture *f, double l2, double skew);
/* The same in one dimension: down eight rows, then on to the next column, then to the next eight rows. */
void fixture_set_up_groups(struct fixture *f, double l2, double skew);
/* Bytes that DRAM brings, of all regions; the fixture holds what was found. */
double fixture_missed(struct fixture *f);
void fixture_tear_down(struct fixture *f);

#endif
