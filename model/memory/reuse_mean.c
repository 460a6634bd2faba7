#include "model/memory/reuse_mean.h"

#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdlib.h>

enum { FAR = 3 }; /* blocks: what the next ones share ends before */

const struct footprint *reuse_mean_print(const struct emulate_block *block, bool written)
{
    return written ? &block->written : &block->read;
}

static double shared_by(const struct reuse_region *region, const struct emulate_block *a,
                        const struct emulate_block *b, const struct emulate_block *c, bool written)
{
    return a && b && c
               ? (double)footprint_shared_in(reuse_mean_print(a, written), reuse_mean_print(b, written),
                                             reuse_mean_print(c, written), region->address, region->bytes)
               : 0;
}

static const struct emulate_block *beside(const struct emulate_result *result, size_t block,
                                          enum emulate_slot slot)
{
    const int b = emulate_sample_beside(result, block, slot);

    return b < 0 ? NULL : &result->blocks[b];
}

/* What a block shares with its neighbours along an axis. Where it shares more with its like in the next cluster, as of copies
 * to all blocks of a cluster each of which fetches a part, that is what is shared, and each place of a cluster has its own. */
struct along {
    const struct emulate_block *with; /* whom: null where the sample has none */
    double shared, ranks;
};

static struct along share_along(const struct emulate_result *result, const struct sharing *sharing,
                                const struct reuse_region *region, unsigned axis, bool written)
{
    static const enum emulate_slot nearest[3] = {EMULATE_X1, EMULATE_Y1, EMULATE_Z1};
    const struct emulate_block *own = &result->blocks[sharing->anchor],
                               *next = beside(result, sharing->anchor, nearest[axis]),
                               *like = beside(result, sharing->anchor, EMULATE_CLUSTER_X + axis);
    const double near = shared_by(region, own, next, next, written),
                 far = shared_by(region, own, like, like, written);

    if (far <= near)
        return (struct along){next, near, 1};
    return (struct along){like, far, 1 + (result->cluster[axis] - 1) * (1 - near / sharing->own)};
}

static struct sharing sharing_of(const struct emulate_result *result, size_t anchor,
                                 const struct reuse_region *region, bool written)
{
    const struct emulate_block *own = &result->blocks[anchor], *x2 = beside(result, anchor, EMULATE_X2);
    struct sharing out = {.own = shared_by(region, own, own, own, written),
                          .most = INFINITY,
                          .all = INFINITY,
                          .anchor = anchor};
    struct along along[3];
    bool row;

    for (unsigned axis = 0; axis < 3; axis++) {
        along[axis] = share_along(result, &out, region, axis, written);
        out.ranks[axis] = along[axis].ranks;
    }
    row = x2 && out.ranks[0] == 1;
    out.x = row ? shared_by(region, own, along[0].with, x2, written) : along[0].shared;
    out.halo = along[0].shared - out.x;
    out.next = row ? shared_by(region, along[0].with, x2, x2, written) : along[0].shared;
    out.y = along[1].shared;
    out.both = shared_by(region, own, along[0].with, along[1].with, written);
    out.z = along[2].shared;
    return out;
}

static double sectors_of(const struct emulate_result *result, size_t b, const struct reuse_region *region,
                         bool written)
{
    const struct emulate_block *block = &result->blocks[b];

    return shared_by(region, block, block, block, written);
}

/* What neighbours in x share is shared by the whole row as far as a block further along has it, too: the most of
 * any that touches as much, in the same place of its cluster where that matters. */
static void part_row(struct sharing *sharing, const struct emulate_result *result,
                     const struct reuse_region *region, bool written)
{
    const bool ranked = sharing->ranks[0] > 1;
    const struct emulate_block *own = &result->blocks[sharing->anchor],
                               *next =
                                   beside(result, sharing->anchor, ranked ? EMULATE_CLUSTER_X : EMULATE_X1);
    const double near = sharing->x + sharing->halo;
    double most = -1;

    for (size_t b = 0; b < result->block_count && next && sharing->x > 0; b++) {
        const struct emulate_block *other = &result->blocks[b];
        const unsigned at = other->position[0], from = own->position[0];
        const unsigned apart = at > from ? at - from : from - at;

        if (other->position[1] == own->position[1] && other->position[2] == own->position[2] &&
            apart >= FAR && !(ranked && apart % result->cluster[0]) &&
            sectors_of(result, b, region, written) >= sharing->own)
            most = fmax(most, shared_by(region, own, next, other, written));
    }
    if (most < 0 || most >= sharing->x)
        return;
    sharing->x = most;
    sharing->halo = near - most;
}

/* Of the blocks that touch `least` sectors of the region or more one that has most neighbours in the sample which touch it,
 * too; `otherwise` where none does. */
static size_t best_surrounded(const struct emulate_result *result, const struct reuse_region *region,
                              bool written, double least, size_t otherwise)
{
    size_t best = otherwise;
    int most = -1;

    for (size_t b = 0; b < result->block_count; b++) {
        int near = 0;

        for (int slot = EMULATE_X1; slot < EMULATE_SLOTS; slot++) {
            const int other = emulate_sample_beside(result, b, (enum emulate_slot)slot);

            near += other >= 0 && sectors_of(result, (size_t)other, region, written) > 0;
        }
        if (near > most && sectors_of(result, b, region, written) >= least) {
            most = near;
            best = b;
        }
    }
    return best;
}

/* A block whose neighbours tell what is shared, the middle one first. */
static size_t find_anchor(const struct emulate_result *result, const struct reuse_region *region,
                          bool written)
{
    return sectors_of(result, 0, region, written) > 0 ? 0 : best_surrounded(result, region, written, 1, 0);
}

size_t reuse_mean_typical(const struct emulate_result *result, const struct sharing *sharing,
                          const struct reuse_region *region, bool written)
{
    const double least = sharing->own / 2;

    return sectors_of(result, sharing->anchor, region, written) >= least
               ? sharing->anchor
               : best_surrounded(result, region, written, least, sharing->anchor);
}

static double mean_sectors(const struct emulate_result *result, const struct reuse_region *region,
                           bool written)
{
    const double own = sectors_of(result, 0, region, written);
    double blocks = 0, sum = 0;

    for (size_t b = 0; b < result->block_count; b++) {
        const struct emulate_block *block = &result->blocks[b];

        blocks += block->weight;
        sum += block->weight *
               (block->counts == result->blocks[0].counts ? own : sectors_of(result, b, region, written));
    }
    return blocks > 0 ? sum / blocks : own;
}

void reuse_mean_sharing(struct sharing *out, const struct emulate_result *result,
                        const struct reuse_region *region, bool written)
{
    const double mean = mean_sectors(result, region, written);
    double times;

    *out = sharing_of(result, find_anchor(result, region, written), region, written);
    part_row(out, result, region, written);
    times = out->own > 0 ? mean / out->own : 0;
    out->own = mean;
    out->x *= times;
    out->y *= times;
    out->both *= times;
    out->halo *= times;
    out->next *= times;
    out->z *= times;
}

void reuse_mean_limit(struct sharing *sharing, const uint64_t *spans, const unsigned grid[3])
{
    for (unsigned axis = 0; axis < 3; axis++) {
        const bool ends = spans && sharing->anchor == 0 && spans[axis] > 1 && spans[axis] < grid[axis];

        sharing->span[axis] = ends ? (double)spans[axis] : INFINITY;
    }
    if (sharing->span[0] < INFINITY) { /* the next block but one may be in the next group */
        sharing->x += sharing->halo;
        sharing->halo = 0;
    } else { /* pairs share all or nothing with the next block */
        sharing->halo = (sharing->halo + fmax(sharing->next - sharing->x, 0)) / 2;
    }
}

struct reuse_reach reuse_mean_reach(const struct emulate_result *result, const struct reuse_region *region,
                                    bool written)
{
    struct reuse_reach out = {.least = INFINITY};
    uint64_t first = UINT64_MAX, last = 0;

    for (size_t b = 0; b < result->block_count; b++) {
        const unsigned *at = result->blocks[b].position;
        struct footprint_ends ends;
        double own;

        if (!footprint_ends_in(&ends, reuse_mean_print(&result->blocks[b], written), region->address,
                               region->bytes))
            continue;
        first = ends.first < first ? ends.first : first;
        last = ends.last > last ? ends.last : last;
        own = (double)(ends.last - ends.first + 1);
        out.least = fmin(out.least, own);
        out.most = fmax(out.most, own);
        out.first = at[0] + at[1] + at[2] ? out.first : own;
    }
    out.together = first <= last ? (double)(last - first + 1) : 0;
    return out;
}

static int add_to(struct footprint *out, const struct emulate_block *block, const struct reuse_region *region,
                  bool written, struct err *err)
{
    const uint64_t end = region->address + (region->bytes + SECTOR - 1) / SECTOR * SECTOR;

    return footprint_move(out, reuse_mean_print(block, written), region->address, end, 0, err);
}

int reuse_mean_union(double *out, double *pairs, const struct emulate_result *result,
                     const struct reuse_region *region, bool written, struct err *err)
{
    struct footprint together = {0};
    struct footprint_pairs all;
    int rc = 0;

    for (size_t b = 0; b < result->block_count && !rc; b++)
        rc = add_to(&together, &result->blocks[b], region, written, err);
    footprint_pairs_in(&all, &together, NULL, 0, region->address, region->bytes);
    *out = SECTOR * (double)together.sectors;
    *pairs = all.sectors ? 2 * (double)all.pairs / (double)all.sectors : 1;
    footprint_release(&together);
    return rc;
}
