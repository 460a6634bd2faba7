/* A block of a sample: whether it is executed as well, and where its neighbours are. */
#include "model/emulate/sample.h"

#include <limits.h>
#include <string.h>

/* Where blocks take long to execute, fewer must do. */
enum { ENOUGH_BLOCKS = 3, ENOUGH_EXECUTED = 1 << 16 };

enum { GLIMPSE = 1 << 17 /* instructions of a block that is not executed to its end */ };

static int find_block(const struct emulate_result *result, const unsigned position[3])
{
    for (size_t k = 0; k < result->block_count; k++)
        if (!memcmp(result->blocks[k].position, position, sizeof result->blocks[k].position))
            return (int)k;
    return -1;
}

static bool enough(const struct emulate_result *result)
{
    size_t blocks = ENOUGH_BLOCKS;

    for (unsigned axis = 0; axis < 3; axis++)
        blocks += result->cluster[axis] > 1;
    return result->block_count >= blocks && result->executed > ENOUGH_EXECUTED;
}

/* Whether one more block, of `share` of the work of those before, would be beyond the budget: better none
 * than no answer. */
static bool exhausts(const struct emulate_result *result, const struct emulation *emulation, double share)
{
    const double blocks = (double)result->block_count, executed = (double)result->executed;

    return blocks > 0 && executed + 1.25 * share * executed / blocks > (double)emulation->budget;
}

int sample_add(struct emulate_result *result, struct emulation *emulation, const unsigned position[3],
               double share, struct err *err)
{
    if (result->end != EMULATE_DONE || find_block(result, position) >= 0 ||
        exhausts(result, emulation, share))
        return 0;
    memory_forget(&emulation->memory);
    return emulation_block(result, emulation, position, err);
}

int sample_add_early(struct emulate_result *result, struct emulation *emulation, size_t most,
                     const unsigned position[3], struct err *err)
{
    return result->block_count >= most || enough(result) ? 0
                                                         : sample_add(result, emulation, position, 1, err);
}

int sample_glimpse(struct emulate_result *result, struct emulation *emulation, struct err *err)
{
    const uint64_t budget = emulation->budget;
    int rc;

    if (result->block_count != 1 || !(emulation->contention.lanes > 0) ||
        find_block(result, (unsigned[3]){0}) >= 0)
        return 0;
    memory_forget(&emulation->memory);
    emulation->budget = result->executed + GLIMPSE;
    rc = emulation_block(result, emulation, (const unsigned[3]){0}, err);
    emulation->budget = budget;
    if (!rc && result->end == EMULATE_BUDGET)
        result->end = EMULATE_DONE;
    return rc;
}

static const int beside[EMULATE_SLOTS][3] = {
    [EMULATE_X1] = {1, 0, 0},        [EMULATE_X2] = {2, 0, 0},        [EMULATE_Y1] = {0, 1, 0},
    [EMULATE_Z1] = {0, 0, 1},        [EMULATE_CLUSTER_X] = {1, 0, 0}, [EMULATE_CLUSTER_Y] = {0, 1, 0},
    [EMULATE_CLUSTER_Z] = {0, 0, 1},
};

/* Where a neighbour is; *sign is -1 for the one on the other side. False beyond the grid, as far as that is known, and where
 * there is no such neighbour. */
static bool find_beside(unsigned out[3], const struct emulate_result *result, const unsigned at[3],
                        enum emulate_slot slot, int sign, const unsigned *grid)
{
    const bool by_clusters = slot >= EMULATE_CLUSTER_X;
    bool inside = true;

    for (unsigned axis = 0; axis < 3; axis++) {
        const int extent = by_clusters && result->cluster[axis] ? (int)result->cluster[axis] : 1;

        out[axis] = at[axis] + (unsigned)(sign * extent * beside[slot][axis]); /* wraps around below 0 */
        inside &= out[axis] < grid[axis] && !(by_clusters && beside[slot][axis] && extent == 1);
    }
    return inside;
}

int sample_add_beside(struct emulate_result *result, struct emulation *emulation, const unsigned at[3],
                      size_t most, struct err *err)
{
    /* where blocks take long the last ones are left out */
    static const enum emulate_slot order[] = {
        EMULATE_CLUSTER_X, EMULATE_CLUSTER_Y, EMULATE_CLUSTER_Z, EMULATE_X1,
        EMULATE_Y1,        EMULATE_Z1,        EMULATE_X2,
    };
    const unsigned *grid = emulation->launch->grid;
    unsigned position[3];
    int rc = 0;

    for (size_t k = 0; k < sizeof order / sizeof *order && !rc; k++)
        if (find_beside(position, result, at, order[k], 1, grid) ||
            find_beside(position, result, at, order[k], -1, grid))
            rc = sample_add_early(result, emulation, most, position, err);
    return rc;
}

static int block_beside(const struct emulate_result *result, size_t block, enum emulate_slot slot, int sign)
{
    static const unsigned anywhere[3] = {UINT_MAX, UINT_MAX, UINT_MAX};
    unsigned position[3];

    return block < result->block_count &&
                   find_beside(position, result, result->blocks[block].position, slot, sign, anywhere)
               ? find_block(result, position)
               : -1;
}

int emulate_sample_beside(const struct emulate_result *result, size_t block, enum emulate_slot slot)
{
    const int next = block_beside(result, block, slot, 1);

    return next >= 0 ? next : block_beside(result, block, slot, -1);
}
