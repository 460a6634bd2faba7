/* What a mean block of a grid touches of a region, and shares with others: for the estimate. For
 * model/memory/reuse_regions.c.
 *
 * Neighbours show what blocks share; all sampled blocks, by their weights, how much each touches. */
#ifndef MODEL_REUSE_MEAN_H
#define MODEL_REUSE_MEAN_H

#include "model/memory/reuse_regions.h"

/* What a block reads, or writes. */
const struct footprint *reuse_mean_print(const struct emulate_block *block, bool written);

/* Fills *out, without spans, pool and union. The block whose neighbours are looked at is the middle one or, where that
 * touches nothing of the region, another one of the sample. */
void reuse_mean_sharing(struct sharing *out, const struct emulate_result *result,
                        const struct reuse_region *region, bool written);

/* The block that tells how a mean one's sectors lie: the one whose neighbours are looked at or, where that touches less than
 * half as many as a mean one, another of the sample. */
size_t reuse_mean_typical(const struct emulate_result *result, const struct sharing *sharing,
                          const struct reuse_region *region, bool written);

/* Sets how many blocks in a row share: so many as were found to (three of emulate_result's spans, or null), else all.
 */
void reuse_mean_limit(struct sharing *sharing, const uint64_t *spans, const unsigned grid[3]);

/* How far sampled blocks reach in a region, from the first sector to the last. */
struct reuse_reach {
    double together, least, most; /* all of them, and those that reach least and most far */
    double first;                 /* the first block of the grid; 0 where it is not among them */
};

struct reuse_reach reuse_mean_reach(const struct emulate_result *result, const struct reuse_region *region,
                                    bool written);

/* Bytes that all sampled blocks touch together, and how many times that DRAM brings by pairs of sectors: those of
 * the grid where each of its blocks was executed. */
int reuse_mean_union(double *out, double *pairs, const struct emulate_result *result,
                     const struct reuse_region *region, bool written, struct err *err);

#endif
