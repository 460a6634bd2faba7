/* Tables in constant memory that all lanes of a warp read at one computed place (ULDC with a register).
 *
 * Such a load is answered by a small cache of its sub-partition. Where it looks there follows from the
 * immediate part of its address alone, so of one instruction the cache keeps a few lines only (4 on an NVIDIA
 * H200, see benchmarks/micro/tables.c), however small the table is. Warps that walk through a table in step
 * share a line. Once more groups of them than there are lines have drifted apart, each takes its line from
 * the others before these come back, and every load misses; the misses of an SM are served one after another.
 * Loads that follow each other at once miss together. */
#ifndef MODEL_TABLES_H
#define MODEL_TABLES_H

#include "model/sass/cubin.h"
#include "model/machine/residency.h"
#include "model/memory/traffic.h"

/* The warps of a sub-partition. */
struct tables_walkers {
    double groups;   /* those of one block are one */
    double together; /* warps of a group, 1 or more */
    double spread;   /* over what share of a table the groups are spread, 0 to 1 */
};

/* `drift` is the share of a wave by which blocks that begin together end apart (drift_share()). The next ones
 * begin that far apart, and drift further. */
struct tables_walkers tables_walkers_of(const struct residency *residency, double drift);

/* Lines that a launched warp misses on average, where a sub-partition keeps `kept` lines of an instruction.
 * Of a table no more is known than the size of its bank. */
double tables_missed(const struct sass_code *code, const struct cubin_kernel *kernel,
                     const struct traffic *traffic, const struct tables_walkers *walkers, double kept);

#endif
