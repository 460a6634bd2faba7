#include "model/memory/reuse_least.h"

#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NEAR = 2 /* blocks: neighbours are no further */ };

static const struct footprint *print_of(const struct emulate_block *block, bool written)
{
    return written ? &block->written : &block->read;
}

static const struct emulate_block *slot_of(const struct emulate_result *result, enum emulate_slot slot)
{
    const int b = emulate_sample_slot(result, slot);

    return b < 0 ? NULL : &result->blocks[b];
}

static uint64_t sectors_of(const struct emulate_block *block, const struct reuse_region *region, bool written)
{
    const struct footprint *print = print_of(block, written);

    return footprint_shared_in(print, print, print, region->address, region->bytes);
}

static bool find_first(uint64_t *out, const struct emulate_block *block, const struct reuse_region *region,
                       bool written)
{
    const uint64_t bytes = (region->bytes + SECTOR - 1) / SECTOR * SECTOR;

    return block && footprint_first(out, print_of(block, written), region->address, region->address + bytes);
}

/* Whether the next two blocks in x touch as much, as far on as each other: else blocks may begin within a
 * sector that another one ends in. */
static bool steps_evenly(const struct emulate_result *result, const struct reuse_region *region, bool written)
{
    static const enum emulate_slot slots[] = {EMULATE_MIDDLE, EMULATE_X1, EMULATE_X2};
    uint64_t first[3], sectors[3];

    for (unsigned k = 0; k < 3; k++) {
        const struct emulate_block *block = slot_of(result, slots[k]);

        if (!find_first(&first[k], block, region, written))
            return false;
        sectors[k] = sectors_of(block, region, written);
    }
    return first[1] - first[0] == first[2] - first[1] && sectors[0] == sectors[1] && sectors[1] == sectors[2];
}

/* Whether the next block in y or z touches as much, whole lines away: of two blocks nothing else shows that they
 * do not meet within a sector. */
static bool steps_by_lines(const struct emulate_result *result, const struct reuse_region *region,
                           enum emulate_slot slot, bool written)
{
    const struct emulate_block *other = slot_of(result, slot);
    uint64_t from, to;

    return find_first(&from, &result->blocks[0], region, written) &&
           find_first(&to, other, region, written) && (to - from) % LINE == 0 &&
           sectors_of(other, region, written) == sectors_of(&result->blocks[0], region, written);
}

void reuse_least_sharing(struct sharing *shared, const struct emulate_result *result,
                         const struct launch *launch, const struct reuse_region *region, bool written)
{
    const unsigned *grid = launch->grid;
    const bool x = grid[0] > 1 && !steps_evenly(result, region, written);
    const bool y = grid[1] > 1 && !steps_by_lines(result, region, EMULATE_Y1, written);

    if (x) {
        shared->x = shared->own;
        shared->halo = 0;
    }
    if (y)
        shared->y = shared->own;
    if (x || y)
        shared->both = fmin(shared->x, shared->y);
    if (grid[2] > 1 && !steps_by_lines(result, region, EMULATE_Z1, written))
        shared->z = shared->own;
}

/* Whether the warps of two blocks go the same way. */
static bool same_way(const struct emulate_block *a, const struct emulate_block *b)
{
    return a->paths == b->paths ||
           (a->warps == b->warps && !memcmp(a->paths, b->paths, a->warps * sizeof *a->paths));
}

/* What blocks touch, as a share of what the middle one does and no more than all of it, by the way they go. */
struct shares {
    double *of; /* of each sampled block */
    const struct emulate_result *result;
};

static double mean_of_way(const struct shares *shares, const struct emulate_block *like)
{
    double blocks = 0, sum = 0;

    for (size_t b = 0; b < shares->result->block_count; b++)
        if (same_way(&shares->result->blocks[b], like)) {
            blocks += shares->result->blocks[b].weight;
            sum += shares->result->blocks[b].weight * shares->of[b];
        }
    return blocks > 0 ? sum / blocks : 0;
}

/* By how much all shares together may be less than counted: blocks that go the same way and touch unequal
 * amounts tell how far those differ that were not executed. */
static double shares_error(const struct shares *shares)
{
    const size_t n = shares->result->block_count;
    double squares = 0, most = 0, unseen = 0;

    for (size_t b = 0; b < n; b++) {
        const struct emulate_block *block = &shares->result->blocks[b];
        const double off = shares->of[b] - mean_of_way(shares, block), beyond = fmax(block->weight - 1, 0);

        squares += block->weight * beyond * off * off;
        most = fmax(most, fabs(off));
        unseen += beyond;
    }
    return 3.3 * sqrt(squares * n / fmax((double)n - 1, 1)) * (1 + 4 / fmax((double)n - 1, 1)) +
           3 * unseen * most / (double)n;
}

/* Those of the region; fills shares->of. A block that touches less than the middle one may share as much with the
 * next. */
static void find_shares(struct shares *shares, const struct reuse_region *region, bool written)
{
    const struct emulate_block *middle = &shares->result->blocks[0];
    const double own = (double)sectors_of(middle, region, written);
    const double halo = written ? region->written.halo : region->read.halo;

    for (size_t b = 0; b < shares->result->block_count; b++) {
        const struct emulate_block *block = &shares->result->blocks[b];
        const double sectors =
            block->counts == middle->counts ? own : (double)sectors_of(block, region, written);

        shares->of[b] = sectors >= own ? 1 : fmax(sectors - halo, 0) / own;
    }
}

int reuse_least_blocks(double *out, const struct emulate_result *result, const struct reuse_region *region,
                       bool written, struct err *err)
{
    struct shares shares = {.of = malloc(result->block_count * sizeof *shares.of), .result = result};
    double blocks = 0, sum = 0;

    if (!shares.of)
        return err_memory(err);
    find_shares(&shares, region, written);
    for (size_t b = 0; b < result->block_count; b++) {
        blocks += result->blocks[b].weight;
        sum += result->blocks[b].weight * shares.of[b];
    }
    *out = fmax(sum - shares_error(&shares), 0) / blocks;
    free(shares.of);
    return 0;
}

/* How far on the next block along each axis begins. An axis without one says nothing. */
struct way {
    int64_t step[3];
    bool known[3];
};

static struct way find_way(const struct emulate_result *result, const struct reuse_region *region,
                           uint64_t from, bool written)
{
    static const enum emulate_slot slots[] = {EMULATE_X1, EMULATE_Y1, EMULATE_Z1};
    struct way out = {{0}, {false}};
    uint64_t to;

    for (unsigned axis = 0; axis < 3; axis++) {
        out.known[axis] = find_first(&to, slot_of(result, slots[axis]), region, written);
        out.step[axis] = out.known[axis] ? (int64_t)(to - from) : 0;
    }
    return out;
}

/* How far a block begins from where the way leads to, in bytes, and from how many steps that is. */
static int64_t off_way(int64_t *steps, const struct way *way, const unsigned middle[3],
                       const unsigned position[3], int64_t distance)
{
    *steps = 0;
    for (unsigned axis = 0; axis < 3; axis++) {
        const int64_t own = (int64_t)position[axis] - (int64_t)middle[axis];

        if (own && !way->known[axis])
            return 0;
        distance -= own * way->step[axis];
        *steps += own < 0 ? -own : own;
    }
    return distance < 0 ? -distance : distance;
}

/* What is left of the shortest step if it is a sector shorter than it looks. */
static double least_step(const struct way *way)
{
    double least = 1;

    for (unsigned axis = 0; axis < 3; axis++)
        if (way->step[axis])
            least = fmin(least, fmax(1 - SECTOR / fabs((double)way->step[axis]), 0));
    return least;
}

/* Of the blocks that touch as much: what is apart of them, and whether one far from the middle says so. */
struct look {
    double apart;
    bool differs, confirmed; /* some block touches less; a block far from the middle is where it should be */
};

static void look_at(struct look *look, const struct emulate_block *block, const struct way *way,
                    const unsigned middle[3], int64_t distance)
{
    int64_t steps;
    const int64_t off = off_way(&steps, way, middle, block->position, distance);

    if (off > SECTOR)
        look->apart = off > SECTOR * steps ? 0 : fmin(look->apart, least_step(way));
    look->confirmed |= steps > NEAR;
}

/* Sectors that the middle block shares with one so far away, as far as neighbours show. */
static double expected_sharing(const struct sharing *shared, const unsigned middle[3], const unsigned at[3])
{
    const bool x = at[0] != middle[0], y = at[1] != middle[1], z = at[2] != middle[2];
    const double row = x ? shared->x + shared->halo : shared->own, column = y ? shared->y : shared->own;

    return fmin(x && y ? shared->both : fmin(row, column), z ? shared->z : shared->own);
}

/* Whether a block shares more with the middle one than that, as where blocks go round a piece of memory. */
static bool meets(const struct emulate_result *result, const struct reuse_region *region,
                  const struct sharing *shared, const struct emulate_block *block, double sectors,
                  bool written)
{
    const struct emulate_block *middle = &result->blocks[0];
    const struct footprint *own = print_of(middle, written), *other = print_of(block, written);
    const double expected = expected_sharing(shared, middle->position, block->position);

    return (double)footprint_shared_in(own, other, other, region->address, region->bytes) >
           expected * fmax(sectors / shared->own, 1);
}

double reuse_least_apart(const struct emulate_result *result, const struct reuse_region *region,
                         const struct sharing *shared, bool written)
{
    const struct emulate_block *middle = &result->blocks[0];
    const uint64_t own = sectors_of(middle, region, written);
    struct look look = {.apart = 1};
    struct way way;
    uint64_t from, to;

    if (!find_first(&from, middle, region, written))
        return 0;
    way = find_way(result, region, from, written);
    for (size_t b = 1; b < result->block_count; b++) {
        const struct emulate_block *block = &result->blocks[b];
        const uint64_t sectors = sectors_of(block, region, written);

        if (meets(result, region, shared, block, (double)sectors, written))
            return 0;
        if (find_first(&to, block, region, written) && sectors >= own)
            look_at(&look, block, &way, middle->position, (int64_t)(to - from));
        else
            look.differs = true;
    }
    return look.differs && !look.confirmed ? 0 : look.apart;
}
