#include "model/memory/reuse_least.h"

#include "model/memory/lattice.h"

enum { AXES = 3 };

/* What the first block touches of a region, and how far on the blocks behind it along each axis do. */
struct least {
    const struct emulate_result *result;
    const struct reuse_region *region;
    bool written;
    struct stretches own;
    struct lattice_axis axes[AXES]; /* count: 1 along those that are not known */
    struct err *err;
};

static int find_stretches(struct stretches *out, const struct least *least, const struct emulate_block *block)
{
    return stretches_find(out, least->written ? &block->written : &block->read, least->region->address,
                          least->region->bytes, least->err);
}

/* Whether the block is of those that the first one stands for, as far as axes are known. */
static bool is_like_first(const struct least *least, const struct emulate_block *block)
{
    const struct emulate_alike *alike = &least->result->alike;
    const unsigned *first = least->result->blocks[0].position;
    bool like = true;

    for (unsigned axis = 0; axis < AXES; axis++)
        like &= least->axes[axis].count > 1
                    ? block->position[axis] >= alike->from[axis] && block->position[axis] <= alike->to[axis]
                    : block->position[axis] == first[axis];
    return like;
}

/* Whether it touches what the first one does, as far on as its position says. */
static int check_block(bool *moved, const struct least *least, const struct emulate_block *block)
{
    const unsigned *first = least->result->blocks[0].position;
    struct stretches other;
    int64_t sectors = 0;
    int rc = find_stretches(&other, least, block);

    for (unsigned axis = 0; axis < AXES; axis++)
        sectors += ((int64_t)block->position[axis] - (int64_t)first[axis]) * least->axes[axis].step;
    *moved = !rc && stretches_moved(&least->own, &other, sectors);
    stretches_release(&other);
    return rc;
}

/* The neighbour along an axis says how far. An axis without one, or one that moves parts of sectors, stays unknown. */
static int find_axis(struct least *least, unsigned axis)
{
    static const enum emulate_slot slots[AXES] = {EMULATE_X1, EMULATE_Y1, EMULATE_Z1};
    const struct emulate_alike *alike = &least->result->alike;
    const int beside = emulate_sample_beside(least->result, 0, slots[axis]);
    const struct emulate_block *block = beside < 0 ? NULL : &least->result->blocks[beside];
    struct lattice_axis *out = &least->axes[axis];
    struct stretches other;
    int rc;

    if (!block || block->position[axis] < alike->from[axis] || block->position[axis] > alike->to[axis])
        return 0;
    rc = find_stretches(&other, least, block);
    if (!rc && other.count) {
        out->step = (int64_t)(other.list[0].first - least->own.list[0].first);
        if (stretches_moved(&least->own, &other, out->step))
            out->count = (uint64_t)alike->to[axis] - alike->from[axis] + 1;
        if (block->position[axis] < least->result->blocks[0].position[axis])
            out->step = -out->step;
    }
    stretches_release(&other);
    return rc;
}

/* Sectors of all blocks that go the way of the first one; 0 where some sampled one of them is not where it should be. */
static int find_copies(double *sectors, bool *all, struct least *least)
{
    bool moved = true;
    int rc = 0;

    for (unsigned axis = 0; axis < AXES && !rc; axis++)
        rc = find_axis(least, axis);
    for (size_t b = 1; b < least->result->block_count && moved && !rc; b++)
        if (is_like_first(least, &least->result->blocks[b]))
            rc = check_block(&moved, least, &least->result->blocks[b]);
    return rc || !moved ? rc : lattice_sectors(sectors, all, &least->own, least->axes, AXES, least->err);
}

/* Sectors of all sampled blocks together, but for those that were only taken to be like others. */
static int find_together(double *sectors, bool *all, const struct least *least, bool linear, double blocks)
{
    const struct reuse_region *region = least->region;
    struct footprint together = {0};
    double executed = 0;
    int rc = 0;

    for (size_t b = 0; b < least->result->block_count && !rc; b++) {
        const struct emulate_block *block = &least->result->blocks[b];

        if (!linear && block->borrows)
            continue;
        executed++;
        rc = footprint_move(&together, least->written ? &block->written : &block->read, region->address,
                            region->address + (region->bytes + SECTOR - 1) / SECTOR * SECTOR, 0, least->err);
    }
    *sectors = (double)together.sectors;
    *all = executed >= blocks;
    footprint_release(&together);
    return rc;
}

/* Whether the first block stands for all of the grid, whose blocks along each axis are as far apart as is known. */
static bool is_whole(const struct least *least, const struct launch *launch)
{
    bool whole = true;

    for (unsigned axis = 0; axis < AXES; axis++)
        whole &= least->axes[axis].count == launch->grid[axis];
    return whole;
}

int reuse_least(double *out, bool *exact, const struct reuse_regions *regions,
                const struct reuse_region *region, bool linear, bool written, struct err *err)
{
    struct least least = {.result = regions->result,
                          .region = region,
                          .written = written,
                          .axes = {{0, 1}, {0, 1}, {0, 1}},
                          .err = err};
    double sectors = 0;
    int rc = 0;

    *exact = false;
    if (linear && least.result->alike.known) {
        rc = find_stretches(&least.own, &least, &least.result->blocks[0]);
        if (!rc && least.own.count)
            rc = find_copies(&sectors, exact, &least);
        stretches_release(&least.own);
        *exact &= sectors > 0 && is_whole(&least, regions->launch);
    }
    if (!rc && !(sectors > 0))
        rc = find_together(&sectors, exact, &least, linear, regions->blocks);
    *out = SECTOR * sectors;
    return rc;
}
