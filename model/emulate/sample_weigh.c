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

/* Whether a block is the first, in the middle of the grid, or was taken because it lies beside that, which it is rather like than
 * any other. */
static bool is_central(const struct emulate_result *result, size_t k)
{
    const unsigned *first = result->blocks[0].position, *at = result->blocks[k].position;
    bool near = true;

    for (unsigned axis = 0; axis < 3; axis++)
        near &= at[axis] <= first[axis] + BESIDE && first[axis] <= at[axis] + BESIDE;
    return near;
}

/* Among how many the blocks of a group at the same edges as block `k` divide what they stand for. Those in the middle have one share
 * together. */
static double shares(const struct emulate_result *result, const unsigned grid[3], const size_t *group,
                     size_t k)
{
    const unsigned *at = result->blocks[k].position;
    unsigned apart = 0, central = 0;

    for (size_t n = 0; n < result->block_count; n++) {
        if (group[n] != group[k] || !same_part(at, result->blocks[n].position, grid))
            continue;
        if (is_central(result, n))
            central++;
        else
            apart++;
    }
    return (is_central(result, k) ? central : 1) * (apart + (central > 0));
}

void sample_weigh(struct emulate_result *result, const unsigned grid[3], const size_t *group, size_t which,
                  double blocks)
{
    double sum = 0;

    for (size_t k = 0; k < result->block_count; k++) {
        if (group[k] != which)
            continue;
        result->blocks[k].weight =
            part_blocks(result->blocks[k].position, grid) / shares(result, grid, group, k);
        sum += result->blocks[k].weight;
    }
    for (size_t k = 0; k < result->block_count; k++)
        if (group[k] == which)
            result->blocks[k].weight *= blocks / sum;
}
