/* What the loops of a kernel ask of each region, a phase for each pair of them. For model/memory/reuse.c. */
#ifndef MODEL_REUSE_PHASES_H
#define MODEL_REUSE_PHASES_H

#include "model/memory/reuse_regions.h"

#include <math.h>

/* What the instructions of one innermost loop ask of one region. Per warp. */
struct phase {
    double asked, fresh, own; /* sectors: see struct traffic_count */
    double lines_most, lines; /* of one pass: of one instruction at most, and of all */
    double requests;          /* of one pass */
    double far;               /* sectors that an earlier loop touched last */
    double first;             /* of what is asked, what no instruction of the pass has asked before ... */
    double late, late_dram;   /* ... of that, what L2 or DRAM answers, and what DRAM does */
};

struct reuse {
    struct traffic *out;
    const struct sass_code *code;
    const struct emulate_result *result;
    const struct traffic_caches *caches;
    double warps_per_block;
    double loads, lines; /* requests to L1 of a warp, and lines that they ask for */
    struct reuse_regions reuse_regions;
    unsigned *loops; /* of each instruction: its innermost loop, 0 outside, */
    double *entries; /* and how often the warp comes to that loop, or to the instruction */
    size_t loop_count;
    struct phase *phases; /* by loop, then by region */
};

static inline struct reuse_region *reuse_region_of(const struct reuse *reuse, size_t i)
{
    return &reuse->reuse_regions.reuse_region[reuse->out->counts[i].region];
}

static inline struct phase *phase_of(const struct reuse *reuse, size_t i)
{
    return &reuse->phases[reuse->loops[i] * reuse->reuse_regions.count + reuse->out->counts[i].region];
}

/* Of what a load comes back to, the share that is to be evicted first: the load that brought it says so, not the one that comes back. */
static inline double reuse_evicted_first_of(const struct reuse *reuse, size_t i)
{
    const struct reuse_region *reuse_region = reuse_region_of(reuse, i);

    return reuse_region->fresh > 0 ? fmin(reuse_region->evicted_first / reuse_region->fresh, 1) : 0;
}

/* Whether it reads global memory, and not as an atomic does. */
bool reuse_reads(const struct sass *i);
/* Whether it is an atomic on global memory. */
bool reuse_adds(const struct sass *i);
/* Whether what it touches is to be evicted first. */
bool reuse_evicts_first(const struct sass *i);

/* Fills loads, lines, loops, entries and phases, and what the regions are asked for; all else is given. The
 * caller frees loops, entries and phases, also after a failure: ERR_MEMORY. */
int phases_make(struct reuse *reuse, struct err *err);

/* Different lines that a warp touches in one pass of a loop: those of single instructions, unless they ask
 * for the same ones. */
double phase_lines(const struct phase *phase);

/* Bytes that `warps` warps touch in one pass of a loop, `unit` of each line; what the warps of a block share
 * counts once. */
double phase_bytes(const struct reuse *reuse, size_t loop, double warps, double unit);

#endif
