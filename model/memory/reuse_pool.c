#include "model/memory/reuse_pool.h"

#include "model/machine/assumptions.h"
#include "model/memory/reuse_mean.h"

#include <math.h>

enum {
    FAR = 3,   /* blocks: what the next ones share ends before */
    LEAST = 3, /* blocks that tell what others do: two may be alike by chance */
    MOST = 48, /* that are looked at */
    STEPS = 40 /* to find a pool: halves its interval as often */
};

/* Sampled blocks that are far from each other. */
struct far {
    const struct emulate_result *result;
    const struct reuse_region *region;
    const struct sharing *sharing;
    const unsigned *grid;
    const struct assumptions *assumed;
    const struct emulate_block *blocks[MOST];
    const struct footprint *prints[MOST];
    double sectors[MOST], sum; /* that each touches */
    size_t count;
};

static unsigned distance(const struct emulate_block *a, const struct emulate_block *b, unsigned axis)
{
    const unsigned x = a->position[axis], y = b->position[axis];

    return x > y ? x - y : y - x;
}

/* What two blocks share at most by what neighbours do. */
static double explained(const struct far *far, const struct emulate_block *a, const struct emulate_block *b)
{
    const struct sharing *s = far->sharing;
    const double along[3] = {s->x, s->y, s->z};
    double least = s->own;

    for (unsigned axis = 0; axis < 3; axis++)
        if (distance(a, b, axis))
            least = fmin(least, along[axis]);
    return distance(a, b, 0) && distance(a, b, 1) ? fmin(least, s->both) : least;
}

/* Whether two blocks share nothing that neighbours do, or are in no row of the grid together, but for axes that have too few
 * blocks. */
static bool are_far(const struct far *far, const struct emulate_block *a, const struct emulate_block *b)
{
    unsigned steps = 0;
    bool differ = true;

    for (unsigned axis = 0; axis < 3; axis++) {
        steps += distance(a, b, axis);
        differ &= distance(a, b, axis) > 0 || far->grid[axis] <= FAR;
    }
    return steps >= FAR && (differ || explained(far, a, b) <= far->assumed->apart_share * far->sharing->own);
}

static double sectors_in(const struct footprint *a, const struct footprint *b,
                         const struct reuse_region *region)
{
    return (double)footprint_shared_in(a, b, b, region->address, region->bytes);
}

static void find_far(struct far *far, bool written)
{
    for (size_t b = 0; b < far->result->block_count && far->count < MOST; b++) {
        const struct emulate_block *block = &far->result->blocks[b];
        const struct footprint *print = reuse_mean_print(block, written);
        const double sectors = sectors_in(print, print, far->region);
        bool joins = sectors > 0;

        for (size_t k = 0; k < far->count && joins; k++)
            joins = are_far(far, far->blocks[k], block);
        if (!joins)
            continue;
        far->blocks[far->count] = block;
        far->prints[far->count] = print;
        far->sectors[far->count++] = sectors;
        far->sum += sectors;
    }
}

/* Whether they share more, of what they would have for themselves. */
static bool share_more(const struct far *far, double together)
{
    double own = far->sectors[0];

    for (size_t k = 1; k < far->count; k++) {
        double most = 0;

        for (size_t j = 0; j < k; j++)
            most = fmax(most, explained(far, far->blocks[k], far->blocks[j]));
        own += fmax(far->sectors[k] - most, 0);
    }
    return together < far->sum && together < own - far->assumed->pooled_least * (own - far->sectors[0]);
}

double reuse_pool_drawn(double pool, double each, double blocks)
{
    return -pool * expm1(blocks * log1p(-fmin(each / pool, 1 - 1e-9)));
}

/* The size of a pool of which so many blocks together cover `covered`, were each to draw its part at random. */
static double pool_of(double covered, double each, double blocks)
{
    double low = covered, high = covered;

    while (reuse_pool_drawn(high, each, blocks) < covered && high < 1e6 * covered)
        high *= 2;
    for (int k = 0; k < STEPS; k++) {
        const double pool = (low + high) / 2;

        *(reuse_pool_drawn(pool, each, blocks) < covered ? &low : &high) = pool;
    }
    return high;
}

/* What all touch is apart. How much of the rest none of them has touched is told by what one of them has and what two have
 * (Chao). */
static void take_pool(struct reuse_pool *out, const struct far *far, const struct footprint_met *met)
{
    const double n = (double)far->count, one = (double)met->one, two = (double)met->two;

    out->common = (double)met->all;
    out->blocks = n;
    out->each = far->sum / n - out->common;
    out->covered = (double)met->any - out->common;
    out->unseen = (n - 1) / n * one * (two > 0 ? one / two : fmax(one - 1, 0)) / 2;
    out->rate = one > 0 ? one / (n * out->unseen + one) : 0;
    out->pool = out->each > 0 ? pool_of(out->covered, out->each, n) : 0;
}

double reuse_pool_touched(const struct reuse_pool *pool, double blocks)
{
    if (!(pool->each > 0))
        return pool->common;
    if (blocks <= pool->blocks)
        return pool->common + reuse_pool_drawn(pool->pool, pool->each, blocks);
    return pool->common + pool->covered - pool->unseen * expm1(-pool->rate * (blocks - pool->blocks));
}

/* What neighbours share no more of than blocks far from each other is no row's and no column's. */
static void take_out_chance(struct sharing *s, const struct far *far)
{
    const double little = far->assumed->apart_share * s->own;
    double chance = 0;

    for (size_t k = 1; k < far->count; k++)
        chance += sectors_in(far->prints[0], far->prints[k], far->region) / (double)(far->count - 1);
    chance *= s->own / far->sectors[0];
    if (s->x + s->halo <= chance + little) {
        s->x = 0;
        s->halo = 0;
    }
    s->y = s->y <= chance + little ? 0 : s->y;
    s->z = s->z <= chance + little ? 0 : s->z;
    s->both = fmin(s->both, fmin(s->x, s->y));
}

/* Whether the blocks reach over most of the grid. */
static bool are_all_over(const struct far *far)
{
    bool all = true;

    for (unsigned axis = 0; axis < 3; axis++) {
        unsigned most = 0;

        for (size_t k = 1; k < far->count; k++) {
            const unsigned apart = distance(far->blocks[0], far->blocks[k], axis);

            most = apart > most ? apart : most;
        }
        all &= far->grid[axis] <= FAR || 4 * most >= far->grid[axis];
    }
    return all;
}

/* Where a block begins; false where it touches nothing. */
static bool find_start(int64_t *out, const struct far *far, const struct emulate_block *block, bool written)
{
    const struct reuse_region *region = far->region;
    const uint64_t end = region->address + (region->bytes + SECTOR - 1) / SECTOR * SECTOR;
    uint64_t first;

    if (!footprint_first(&first, reuse_mean_print(block, written), region->address, end))
        return false;
    *out = (int64_t)first;
    return true;
}

/* How far on neighbours along each axis begin; false where that is not known, or nowhere. */
static bool find_moves(int64_t moves[3], const struct far *far, bool written)
{
    static const enum emulate_slot slots[3] = {EMULATE_X1, EMULATE_Y1, EMULATE_Z1};
    const struct emulate_block *own = &far->result->blocks[far->sharing->anchor];
    int64_t start, next;
    bool any = false;

    if (!find_start(&start, far, own, written))
        return false;
    for (unsigned axis = 0; axis < 3; axis++) {
        const int b = emulate_sample_beside(far->result, far->sharing->anchor, slots[axis]);
        const struct emulate_block *beside = b < 0 ? NULL : &far->result->blocks[b];

        moves[axis] = 0;
        if (far->grid[axis] == 1)
            continue;
        if (!beside || !find_start(&next, far, beside, written))
            return false;
        moves[axis] = beside->position[axis] > own->position[axis] ? next - start : start - next;
        any |= moves[axis] != 0;
    }
    return any;
}

/* Whether most blocks begin where straight lines through the neighbours lead: these say what blocks share, however many
 * there are. */
static bool are_straight(const struct far *far, const int64_t moves[3], bool written)
{
    const struct emulate_block *own = &far->result->blocks[far->sharing->anchor];
    size_t straight = 0, all = 0;
    int64_t start, here;

    if (!find_start(&start, far, own, written))
        return false;
    for (size_t k = 0; k < far->count; k++) {
        uint64_t there = (uint64_t)start; /* wraps around where a line leads beyond all memory */

        if (far->blocks[k] == own || !find_start(&here, far, far->blocks[k], written))
            continue;
        for (unsigned axis = 0; axis < 3; axis++)
            there += (uint64_t)moves[axis] * ((uint64_t)far->blocks[k]->position[axis] - own->position[axis]);
        straight += (uint64_t)here == there;
        all++;
    }
    return 2 * straight >= all;
}

/* Whether so many bytes are less than what blocks ask for, each for its own, and than the region, not but for chance. */
static bool is_clearly_less(const struct far *far, double bytes)
{
    const double blocks = (double)far->grid[0] * far->grid[1] * far->grid[2];
    const double asked = fmin(far->sharing->own * SECTOR * blocks, (double)far->region->bytes);

    return bytes < far->assumed->reach_clearly * asked;
}

/* Bytes that all blocks reach over. Of those on straight lines that is known. Else it is more than what sampled ones do: of n
 * points anywhere on a line the outermost are apart by (n - 1) / (n + 1) of it, on average. Where each block reaches over
 * nearly all of it, every sector is such a point; else it is where blocks lie. INFINITY where that is no less than what they
 * ask for. */
static double reached(const struct far *far, const struct reuse_reach *reach, const int64_t *straight)
{
    const double n = reach->least < far->assumed->reach_nearly * reach->together ? (double)far->count
                                                                                 : fmax(far->sum, LEAST);
    double bytes = SECTOR * reach->most;

    for (unsigned axis = 0; axis < 3 && straight; axis++)
        bytes += fabs((double)straight[axis]) * (far->grid[axis] - 1.0);
    if (straight)
        return fmax(bytes, SECTOR * reach->together);
    bytes = SECTOR * reach->together * (n + 1) / (n - 1);
    return is_clearly_less(far, bytes) ? bytes : INFINITY;
}

void reuse_pool_find(struct sharing *sharing, const struct emulate_result *result,
                     const struct reuse_region *region, const unsigned grid[3],
                     const struct assumptions *assumed, bool written)
{
    struct far far = {
        .result = result, .region = region, .sharing = sharing, .grid = grid, .assumed = assumed};
    const struct reuse_reach reach = reuse_mean_reach(result, region, written);
    const bool ordered = region->ordered && !written;
    struct footprint_met met;
    int64_t moves[3];
    bool straight;

    if (ordered && !is_clearly_less(&far, SECTOR * reach.together))
        return;
    find_far(&far, written);
    if (far.count < LEAST || !are_all_over(&far))
        return;
    straight = find_moves(moves, &far, written) && are_straight(&far, moves, written);
    sharing->most = reached(&far, &reach, straight ? moves : NULL);
    if (straight || ordered)
        return;
    footprint_met_in(&met, far.prints, far.count, region->address, region->bytes);
    if (!share_more(&far, (double)met.any))
        return;
    take_pool(&sharing->pool, &far, &met);
    take_out_chance(sharing, &far);
}
