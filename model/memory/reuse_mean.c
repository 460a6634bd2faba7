#include "model/memory/reuse_mean.h"

#include "model/machine/assumptions.h"
#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdlib.h>

enum {
    FAR = 3,   /* blocks: what the next ones share ends before */
    STEPS = 40 /* to find a pool: halves its interval as often */
};

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

static struct sharing sharing_of(const struct emulate_result *result, size_t anchor,
                                 const struct reuse_region *region, bool written)
{
    const struct emulate_block *own = &result->blocks[anchor], *x1 = beside(result, anchor, EMULATE_X1),
                               *x2 = beside(result, anchor, EMULATE_X2),
                               *y1 = beside(result, anchor, EMULATE_Y1),
                               *z1 = beside(result, anchor, EMULATE_Z1);
    const double near_x = shared_by(region, own, x1, x1, written);
    struct sharing out = {.own = shared_by(region, own, own, own, written),
                          .pool = INFINITY,
                          .all = INFINITY,
                          .anchor = anchor};

    out.x = x2 ? shared_by(region, own, x1, x2, written) : near_x;
    out.halo = near_x - out.x;
    out.y = shared_by(region, own, y1, y1, written);
    out.both = shared_by(region, own, x1, y1, written);
    out.z = shared_by(region, own, z1, z1, written);
    return out;
}

static double sectors_of(const struct emulate_result *result, size_t b, const struct reuse_region *region,
                         bool written)
{
    const struct emulate_block *block = &result->blocks[b];

    return shared_by(region, block, block, block, written);
}

/* What neighbours in x share is shared by the whole row as far as a block further along has it, too: the most of
 * any that touches as much. */
static void part_row(struct sharing *sharing, const struct emulate_result *result,
                     const struct reuse_region *region, bool written)
{
    const struct emulate_block *own = &result->blocks[sharing->anchor],
                               *next = beside(result, sharing->anchor, EMULATE_X1);
    const double near = sharing->x + sharing->halo;
    double most = -1;

    for (size_t b = 0; b < result->block_count && next && sharing->x > 0; b++) {
        const struct emulate_block *other = &result->blocks[b];
        const unsigned at = other->position[0], from = own->position[0];

        if (other->position[1] == own->position[1] && other->position[2] == own->position[2] &&
            (at > from ? at - from : from - at) >= FAR &&
            sectors_of(result, b, region, written) >= sharing->own)
            most = fmax(most, shared_by(region, own, next, other, written));
    }
    if (most < 0 || most >= sharing->x)
        return;
    sharing->x = most;
    sharing->halo = near - most;
}

/* Of the blocks that touch the region one that has neighbours in the sample, the middle one first. */
static size_t find_anchor(const struct emulate_result *result, const struct reuse_region *region,
                          bool written)
{
    size_t best = 0;
    int most = -1;

    if (sectors_of(result, 0, region, written) > 0)
        return 0;
    for (size_t b = 1; b < result->block_count; b++) {
        int near = 0;

        for (int slot = EMULATE_X1; slot < EMULATE_SLOTS; slot++)
            near += emulate_sample_beside(result, b, (enum emulate_slot)slot) >= 0;
        if (near > most && sectors_of(result, b, region, written) > 0) {
            most = near;
            best = b;
        }
    }
    return best;
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
    out->z *= times;
}

void reuse_mean_limit(struct sharing *sharing, const uint64_t *spans, const unsigned grid[3])
{
    for (unsigned axis = 0; axis < 3; axis++) {
        const bool ends = spans && sharing->anchor == 0 && spans[axis] && spans[axis] < grid[axis];

        sharing->span[axis] = ends ? (double)spans[axis] : INFINITY;
    }
    if (sharing->span[0] < INFINITY) { /* the next block but one may be in the next group */
        sharing->x += sharing->halo;
        sharing->halo = 0;
    }
}

/* Pools -------------------------------------------------------------------- */

/* Whether neighbours say that blocks at two positions share nothing, or less than this share. */
static bool are_apart(const struct sharing *s, double share, const unsigned a[3], const unsigned b[3])
{
    const double little = s->own * share;
    unsigned steps = 0;
    bool differ[3];

    for (unsigned axis = 0; axis < 3; axis++) {
        differ[axis] = a[axis] != b[axis];
        steps += a[axis] > b[axis] ? a[axis] - b[axis] : b[axis] - a[axis];
    }
    return steps >= FAR && (!differ[0] || s->x <= little) && (!differ[1] || s->y <= little) &&
           (!differ[2] || s->z <= little);
}

/* The size of a pool of which parts of `sum` together cover `covered`, were they drawn from it at random. */
static double pool_of(double covered, double sum)
{
    double low = covered, high = covered;

    while (high * -expm1(-sum / high) < covered && high < 1e6 * covered)
        high *= 2;
    for (int k = 0; k < STEPS; k++) {
        const double pool = (low + high) / 2;

        *(pool * -expm1(-sum / pool) < covered ? &low : &high) = pool;
    }
    return high;
}

static int add_to(struct footprint *out, const struct emulate_block *block, const struct reuse_region *region,
                  bool written, struct err *err)
{
    const uint64_t end = region->address + (region->bytes + SECTOR - 1) / SECTOR * SECTOR;

    return footprint_move(out, reuse_mean_print(block, written), region->address, end, 0, err);
}

/* Whether a block is apart from all that are marked. */
static bool joins(const struct emulate_result *result, const struct sharing *sharing, double share,
                  const bool *marked, size_t b)
{
    for (size_t k = 0; k < b; k++)
        if (marked[k] && !are_apart(sharing, share, result->blocks[k].position, result->blocks[b].position))
            return false;
    return true;
}

int reuse_mean_pool(double *out, const struct emulate_result *result, const struct reuse_region *region,
                    const struct sharing *sharing, const struct assumptions *assumed, bool written,
                    struct err *err)
{
    struct footprint together = {0};
    bool *marked = calloc(result->block_count, sizeof *marked);
    double sum = 0;
    int rc = marked ? 0 : err_memory(err);

    *out = INFINITY;
    for (size_t b = 0; b < result->block_count && !rc; b++) {
        const double sectors = sectors_of(result, b, region, written);

        marked[b] = sectors > 0 && joins(result, sharing, assumed->apart_share, marked, b);
        if (!marked[b])
            continue;
        sum += sectors;
        rc = add_to(&together, &result->blocks[b], region, written, err);
    }
    if (!rc && (double)together.sectors < (1 - assumed->pooled_least) * sum)
        *out = SECTOR * pool_of((double)together.sectors, sum);
    footprint_release(&together);
    free(marked);
    return rc;
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
