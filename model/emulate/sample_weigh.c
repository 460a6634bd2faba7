/* The weights of sampled blocks: how many blocks of the grid each stands for. */
#include "model/emulate/sample.h"

enum { BESIDE = 2 }; /* along each axis: sample_add_beside() */

static bool at_edge(unsigned at, unsigned extent)
{
    return at == 0 || at == extent - 1;
}

/* Whether two blocks are at the same edges of the grid. */
static bool same_part(const unsigned a[3], const unsigned b[3], const unsigned grid[3])
{
    bool same = true;

    for (unsigned axis = 0; axis < 3; axis++)
        same &= at_edge(a[axis], grid[axis]) ? b[axis] == a[axis] : !at_edge(b[axis], grid[axis]);
    return same;
}

/* Blocks of the grid at the same edges as this one. */
static double part_blocks(const unsigned at[3], const unsigned grid[3])
{
    double blocks = 1;

    for (unsigned axis = 0; axis < 3; axis++)
        if (!at_edge(at[axis], grid[axis]))
            blocks *= grid[axis] - 2.0;
    return blocks;
}

/* Whether a block was taken because it lies beside the first, whose way it goes rather than that of any. */
static bool is_beside(const struct emulate_result *result, size_t k)
{
    const unsigned *first = result->blocks[0].position, *at = result->blocks[k].position;
    bool near = k > 0;

    for (unsigned axis = 0; axis < 3; axis++)
        near &= at[axis] <= first[axis] + BESIDE && first[axis] <= at[axis] + BESIDE;
    return near;
}

/* How many draws the blocks of a group at the same edges as block `k` are: the first and those beside it are one. */
static double draws(const struct emulate_result *result, const unsigned grid[3], const size_t *group,
                    size_t k)
{
    const unsigned *at = result->blocks[k].position;
    unsigned apart = 0, together = 0;

    for (size_t n = 0; n < result->block_count; n++) {
        if (group[n] != group[k] || !same_part(at, result->blocks[n].position, grid))
            continue;
        if (n == 0 || is_beside(result, n))
            together++;
        else
            apart++;
    }
    return (k == 0 || is_beside(result, k) ? together : 1) * (apart + (together > 0));
}

void sample_weigh(struct emulate_result *result, const unsigned grid[3], const size_t *group, size_t which,
                  double blocks)
{
    double sum = 0;

    for (size_t k = 0; k < result->block_count; k++) {
        if (group[k] != which)
            continue;
        result->blocks[k].weight =
            part_blocks(result->blocks[k].position, grid) / draws(result, grid, group, k);
        sum += result->blocks[k].weight;
    }
    for (size_t k = 0; k < result->block_count; k++)
        if (group[k] == which)
            result->blocks[k].weight *= blocks / sum;
}
