/* What a kernel asks of the machine, per mean warp: instructions by pipe, wavefronts, sectors, bytes. Counted
 * where emulation can count; the share of accesses that caches answer is estimated from footprints.
 *
 * The model of the caches, and what it takes for granted:
 *   L1   A line is looked up for every access of a load that is not told to pass by (.STRONG). The first
 * touch of a sector by a block misses. A later one hits if what the resident blocks touch meanwhile fits: the
 *        smaller of all that they touch at all and of what they touch in one turn of the innermost loop (the
 *        load executed most often in a warp says how many turns). Where it does not fit, that share of it
 * that does hits. Stores write through. L2   Blocks of one wave run side by side, so what several of them
 * touch is fetched once. Sectors that the middle block of the grid shares with the second neighbour in x or y
 * are taken to be shared by the whole row or column of the wave, those shared with the first neighbour only
 * by these two. What a wave touches again that an earlier one has touched hits to the extent that a wave's
 * footprint fits. DRAM At least: every sector touched once, the sectors of one block that none of its
 * neighbours touches being its own, but for each buffer no more than the buffer has; less, when warm, the L2.
 */
#ifndef MODEL_TRAFFIC_H
#define MODEL_TRAFFIC_H

#include "base/err.h"
#include "base/launch.h"
#include "model/emulate.h"
#include "model/throughput.h"

#include <stdbool.h>
#include <stddef.h>

struct traffic_machine {
    double sms;           /* of the GPU */
    double blocks_per_sm; /* resident at once (occupancy) */
    double l1_bytes;      /* of an SM, what shared memory leaves */
    double l2_bytes;
    bool warm; /* L2 may hold data from the launch before */
};

/* One static memory instruction, means over executed requests of the grid. */
struct traffic_access {
    uint32_t pc;     /* byte offset */
    double requests; /* per warp of the grid */
    double lanes;    /* per request, and so on */
    double sectors, lines, wavefronts;
    double l1_hits; /* share of its sectors that L1 answers; 0 for stores and shared memory */
};

struct traffic {
    struct demand demand;              /* per mean warp; what replay or the profile must add is 0:
                                          RESOURCE_LOADS_IN_FLIGHT,              _CONSTANT, _ICACHE */
    double warps;                      /* of the grid */
    double instructions;               /* executed per warp, NOPs included */
    double by_class[SASS_CLASS_COUNT]; /* of them */
    double *issued;                    /* of each static instruction, per warp */
    size_t instruction_count;
    double known_share; /* of the executed instructions, those the decoder knows */

    double l1_sectors;      /* of global and local loads, per warp */
    double l1_hit_share;    /* of them */
    double l2_read_sectors; /* per warp: what misses L1 */
    double l2_write_sectors;
    double l2_hit_share;    /* of the read sectors */
    double dram_read_bytes; /* of the whole grid, expected */
    double dram_write_bytes;
    double unique_read_bytes; /* of the whole grid, at least */
    double unique_written_bytes;
    double block_bytes; /* that the middle block touches */
    double wave_bytes;  /* that all resident blocks touch */

    struct traffic_access *accesses; /* global, shared and local ones, in the order of the code */
    size_t access_count;
};

/* `result` is a sample (or all blocks) that ended as EMULATE_DONE with at least one block: else ERR_USAGE. */
int traffic_init(struct traffic *out, const struct emulate_result *result, const struct sass_code *code,
                 const struct launch *launch, const struct traffic_machine *machine, struct err *err);
void traffic_release(struct traffic *traffic);

#endif
