/* Tables in constant memory that all lanes of a warp read at one computed place (ULDC with a register).
 *
 * Such a load is answered by a small cache of its sub-partition. Where it looks there follows from the
 * immediate part of its address alone, so of one instruction the cache keeps a few lines only (4 on an NVIDIA
 * H200, see benchmarks/micro/tables.c), however small the table is. The misses of an SM are served one after
 * another. Three cases follow from how many lines an instruction reads and how many groups of warps read
 * them, each at a place of its own:
 *
 *   the lines are kept          nothing misses
 *   a line for each is kept     a group misses when it comes to the next line, and its warps share that miss
 *   more groups than lines      each takes its line from the others before these come back: every load misses
 *
 * In the last case a launch may run in either of two ways, as the microbenchmark does: warps that begin in
 * step keep each other in step, since the first to reach a line waits for it; once apart, they stay apart,
 * and a walk takes up to eight times as long. Which way a kernel takes depends on details that are not
 * modelled. The estimate goes by how far blocks drift apart; what the other ways miss is given beside it. */
#ifndef MODEL_TABLES_H
#define MODEL_TABLES_H

#include "model/machine/residency.h"
#include "model/memory/traffic.h"

/* The warps of a sub-partition. */
struct tables_walkers {
    double groups;   /* those of one block are one */
    double together; /* warps of a group, 1 or more */
    double cohesion; /* see walk_together in assumptions.def */
    double spread;   /* over what share of a table the groups are spread, 0 to 1 */
};

/* `drift` is the share of a wave by which blocks that begin together end apart (skew_share()). The next ones
 * begin that far apart, and drift further. */
struct tables_walkers tables_walkers_of(const struct residency *residency, double skew, double cohesion);

/* Lines that a launched warp misses on average. */
struct tables_misses {
    double in_step;  /* all warps go through the tables together: the least */
    double expected; /* they are spread as the walkers say */
    double apart;    /* no two of them are together: the most */
};

/* `kept`: lines that a sub-partition keeps of an instruction. */
void tables_missed(struct tables_misses *out, const struct sass_code *code, const struct traffic *traffic,
                   const struct tables_walkers *walkers, double kept);

#endif
