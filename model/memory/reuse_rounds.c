#include "model/memory/reuse_rounds.h"

#include "model/memory/reuse_blocks.h"
#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdlib.h>

/* How often a warp of the path comes to innermost loops; parts of a loop that it goes through in another way count apart. */
static double inner_entries(const struct emulate_step *steps, size_t count, double entered)
{
    double entries = 0;

    for (size_t s = 0; s < count; s += steps[s].body + 1)
        if (steps[s].body) {
            const double within =
                inner_entries(steps + s + 1, steps[s].body, entered * (double)steps[s].repeats);

            entries += within > 0 ? within : entered;
        }
    return entries;
}

/* Bytes from a block's piece of the region to that of the next block that reads another one; 0 where the first block reads
 * only some of them. */
static double piece_of(const struct reuse_regions *reuse_regions, const struct reuse_region *reuse_region)
{
    const struct emulate_result *result = reuse_regions->result;
    const struct footprint *own = &result->blocks[reuse_region->read.anchor].read;
    const size_t region = region_number(reuse_region, reuse_regions);
    uint64_t first, address, bytes = 0;

    for (unsigned d = 0; d < result->order.digits && !bytes; d++)
        bytes = (uint64_t)llabs((long long)result->order.moves[d * result->region_count + region]);
    if (!bytes || bytes % SECTOR ||
        !footprint_first(&first, own, reuse_region->address, reuse_region->address + reuse_region->bytes))
        return 0;
    for (address = first; address < first + bytes; address += SECTOR)
        if (!footprint_meets(own, address, 1))
            return 0;
    return (double)bytes;
}

/* Bytes of the region that a mean block asks for: what it copies again in another round counts again. */
static double asked_of(const struct reuse_regions *reuse_regions, const struct reuse_region *reuse_region)
{
    const struct emulate_result *result = reuse_regions->result;
    const struct emulate_block *block = &result->blocks[reuse_region->read.anchor];
    const uint64_t own = footprint_shared_in(&block->read, &block->read, &block->read, reuse_region->address,
                                             reuse_region->bytes);
    const size_t number = region_number(reuse_region, reuse_regions) + 1;
    double copied = 0;

    for (size_t i = 0; i < result->instruction_count; i++)
        copied += block->touches[i].region == number && block->counts[i].receivers > 0
                      ? (double)block->counts[i].sectors_once
                      : 0;
    return reuse_region->read.own * SECTOR * (own > 0 ? fmax(copied / (double)own, 1) : 1);
}

static double rounds_of(const struct reuse_regions *reuse_regions)
{
    const struct emulate_result *result = reuse_regions->result;
    const struct reuse_region *reuse_region;
    double rounds = 1, most = 1;

    if (!result->order.digits || reuse_regions->wave_blocks < reuse_regions->blocks)
        return 1;
    for (size_t p = 0; p < result->path_count; p++)
        most = fmax(most, inner_entries(result->paths[p].steps, result->paths[p].count, 1));
    for (reuse_region = reuse_regions->reuse_region + 1;
         reuse_region < reuse_regions->reuse_region + reuse_regions->count; reuse_region++) {
        double bytes, piece;

        if (!(reuse_region->read.own > 0))
            continue;
        if (!reuse_region->ordered)
            return 1;
        bytes = asked_of(reuse_regions, reuse_region);
        piece = piece_of(reuse_regions, reuse_region);
        if (piece > 0 && bytes / piece <= most)
            rounds = fmax(rounds, bytes / piece);
    }
    return rounds;
}

void reuse_rounds_find(struct reuse_regions *reuse_regions)
{
    struct reuse_region *reuse_region;

    reuse_regions->rounds = rounds_of(reuse_regions);
    for (reuse_region = reuse_regions->reuse_region + 1;
         reuse_region < reuse_regions->reuse_region + reuse_regions->count; reuse_region++) {
        const double own = reuse_region->read.own * SECTOR,
                     piece = reuse_regions->rounds > 1 && own > 0 ? piece_of(reuse_regions, reuse_region) : 0;

        reuse_region->piece = piece > 0 ? fmin(piece, own) : own / reuse_regions->rounds;
    }
}

double reuse_rounds_next(const struct reuse_regions *reuse_regions, const struct reuse_region *reuse_region)
{
    const double more = reuse_regions->rounds - 1, fresh = reuse_region->unique / reuse_region->wave - 1;

    return more > 0 ? fmin(fmax(1 - fresh / more, 0), 1) : 1;
}
