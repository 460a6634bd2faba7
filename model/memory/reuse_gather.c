#include "model/memory/reuse_gather.h"

#include "model/machine/assumptions.h"
#include "model/memory/reuse_mean.h"
#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdlib.h>

enum {
    LOOKED_AT = 2048, /* sectors of a block, beyond which none is looked at */
    LEAST = 16,       /* gaps that tell whether they are alike */
    SOME = 4,         /* one of so many gaps at least has a length of its own where they are not */
    WIDE = 8,         /* times what it reads that a block reaches over */
    STEPS = 40        /* to find how fast lines are replaced: halves its interval as often */
};

#define HALVES 1.6 /* times what L2 holds of what all SMs read: above, each half keeps a copy of that */

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

bool reuse_gather_irregular(const struct footprint *print, const struct reuse_region *region)
{
    uint64_t sectors[LOOKED_AT], gaps[LOOKED_AT];
    const uint64_t all = footprint_list(sectors, LOOKED_AT, print, region->address, region->bytes);
    const size_t count = all < LOOKED_AT ? (size_t)all : LOOKED_AT;
    size_t gap_count = 0, lengths = 0;

    qsort(sectors, count, sizeof *sectors, by_size);
    for (size_t k = 1; k < count; k++)
        if (sectors[k] - sectors[k - 1] > LINE / SECTOR)
            gaps[gap_count++] = sectors[k] - sectors[k - 1];
    qsort(gaps, gap_count, sizeof *gaps, by_size);
    for (size_t k = 0; k < gap_count; k++)
        lengths += !k || gaps[k] != gaps[k - 1];
    return gap_count >= LEAST && lengths >= LEAST / 2 && lengths * SOME >= gap_count;
}

/* What a neighbour reads beside a block. */
struct beside {
    bool moved; /* all that the block does, each sector as far on */
    bool apart; /* none that the block does */
};

static struct beside compare(const struct emulate_result *result, const struct reuse_region *region,
                             enum emulate_slot slot)
{
    const size_t anchor = region->read.anchor;
    const struct footprint *own = &result->blocks[anchor].read;
    const int at = emulate_sample_beside(result, anchor, slot);
    const struct footprint *other = at < 0 ? NULL : &result->blocks[at].read;
    struct footprint_ends here, there;
    uint64_t sectors[LOOKED_AT], count, same = 0, moved = 0;

    if (!other || !footprint_ends_in(&here, own, region->address, region->bytes) ||
        !footprint_ends_in(&there, other, region->address, region->bytes))
        return (struct beside){0};
    count = footprint_list(sectors, LOOKED_AT, own, region->address, region->bytes);
    count = count < LOOKED_AT ? count : LOOKED_AT;
    for (uint64_t k = 0; k < count; k++) {
        same += footprint_meets(other, sectors[k] * SECTOR, SECTOR);
        moved += footprint_meets(other, (sectors[k] + there.first - here.first) * SECTOR, SECTOR);
    }
    return (struct beside){.moved = moved == count, .apart = !same};
}

double reuse_gather_pieces(const struct emulate_result *result, const struct reuse_region *region,
                           const unsigned grid[3])
{
    static const enum emulate_slot slots[3] = {EMULATE_X1, EMULATE_Y1, EMULATE_Z1};
    const struct sharing *sharing = &region->read;
    const struct reuse_reach reach = reuse_mean_reach(result, region, false);
    bool anywhere = false;
    double pieces = 1;

    if (region->ordered || sharing->shift.gaps || reach.least < WIDE * sharing->own ||
        !reuse_gather_irregular(&result->blocks[sharing->anchor].read, region))
        return 0;
    for (unsigned axis = 0; axis < 3; axis++) {
        const struct beside beside = compare(result, region, slots[axis]);

        anywhere |= grid[axis] > 1 && !beside.moved;
        pieces *= beside.moved && beside.apart ? grid[axis] : 1;
    }
    return anywhere ? pieces : 0;
}

/* The share that a half of L2 has of the lines that it is home to, and of the other's, if one that is looked for at a rate of 1
 * is replaced at the rate `replaced`. Whoever misses a copy looks for the line in its home. */
struct halves {
    double home, copies;
};

static struct halves halves_of(double replaced)
{
    const double copies = 1 / (1 + replaced), looked_for = 2 - copies;

    return (struct halves){looked_for / (looked_for + replaced), copies};
}

/* Of so many bytes a half is home to a half, and as many may be copied: how many of them it `holds` says how fast they are
 * replaced. */
static struct halves find_halves(double bytes, double holds)
{
    double low = 0, high = 1;

    while (bytes / 2 * (halves_of(high).home + halves_of(high).copies) > holds)
        high *= 2;
    for (int k = 0; k < STEPS; k++) {
        const double replaced = (low + high) / 2;
        const struct halves halves = halves_of(replaced);

        *(bytes / 2 * (halves.home + halves.copies) > holds ? &low : &high) = replaced;
    }
    return halves_of(high);
}

double reuse_gather_kept(double bytes, const struct traffic_caches *caches, double part)
{
    const bool in_halves = caches->l2_bytes > HALVES * caches->l2_holds;
    const double filled = caches->assumed->gathers_fill * caches->l2_bytes / (in_halves ? 2 : 1);
    const double holds = part * fmax(filled, caches->l2_holds);
    struct halves halves;

    if (bytes <= holds)
        return 1;
    if (!(holds > 0))
        return 0;
    if (!in_halves)
        return holds / bytes;
    halves = find_halves(bytes, holds);
    return (halves.home + halves.copies + (1 - halves.copies) * halves.home) / 2;
}
