/* The weights of sampled blocks: how many blocks of the grid each stands for. */
#include "model/emulate/sample.h"

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

void sample_weigh(struct emulate_result *result, const unsigned grid[3], const size_t *group, size_t which,
                  double blocks)
{
    double sum = 0;

    for (size_t k = 0; k < result->block_count; k++) {
        const unsigned *at = result->blocks[k].position;
        unsigned sharing = 0;

        if (group[k] != which)
            continue;
        for (size_t n = 0; n < result->block_count; n++)
            sharing += group[n] == which && same_part(at, result->blocks[n].position, grid);
        result->blocks[k].weight = part_blocks(at, grid) / sharing;
        sum += result->blocks[k].weight;
    }
    for (size_t k = 0; k < result->block_count; k++)
        if (group[k] == which)
            result->blocks[k].weight *= blocks / sum;
}
