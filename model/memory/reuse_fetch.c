#include "model/memory/reuse_fetch.h"

#include "model/memory/reuse_gather.h"
#include "model/memory/reuse_shift.h"

#include <math.h>

enum { STEPS = 40 }; /* to find what L2 holds: halves its interval as often */

double reuse_fetch_waves(const struct reuse_regions *reuse_regions)
{
    return reuse_regions->blocks * reuse_regions->rounds / reuse_regions->wave_blocks;
}

/* Bytes that L2 holds of what later waves meet by chance: each half a copy. What is gone through in order is lost before. Words loaded and
 * added to at random in 32 to 512 MB take on an NVIDIA H200 what 30 to 33 MB let them. */
static double holds_by_chance(const struct traffic_caches *caches)
{
    return fmax(caches->l2_holds, caches->l2_bytes / 2);
}

/* What a later wave finds in L2 of what the region's earlier ones touched. Of what is gone through in order,
 * what fits beside the waves until it is touched again: by the next wave, or once in a round of the region.
 * Of single sectors anywhere and of gathered lines, the part of the region, or of a piece of it that blocks gather from at a
 * time, that L2's share for it holds. */
static double found_again(const struct reuse_regions *reuse_regions, const struct reuse_region *reuse_region)
{
    const double holds = reuse_regions->caches->l2_holds;
    const double between = reuse_regions->wave_bytes * reuse_region->unique / reuse_region->wave;
    const double part = reuse_region->wave / reuse_regions->wave_bytes;
    const double random = holds_by_chance(reuse_regions->caches) * part / reuse_region->unique;
    const double gathered =
        reuse_gather_kept(reuse_region->unique / fmax(reuse_region->pieces, 1), reuse_regions->caches, part);
    const double in_order =
        reuse_region->read.shift.gaps
            ? reuse_shift_kept(&reuse_region->read.shift, reuse_regions->wave_blocks,
                               reuse_regions->wave_bytes, holds)
            : reuse_region->next * reuse_regions_kept(reuse_regions->wave_bytes, holds) +
                  (1 - reuse_region->next) * reuse_regions_kept(fmin(between, reuse_regions->touched), holds);

    return reuse_region->anywhere * fmin(random, 1) +
           (1 - reuse_region->anywhere) * (reuse_region->pieces > 0 ? fmax(gathered, in_order) : in_order);
}

/* What a wave asks DRAM for: in order no more than the region has; of single sectors anywhere 64 bytes for
 * each, since L2 loses many before another asks for their other half. */
static double wave_asks(const struct reuse_region *reuse_region)
{
    const double bytes = reuse_region->wave * reuse_region->pairs;

    return reuse_region->anywhere * bytes +
           (1 - reuse_region->anywhere) * fmin(bytes, (double)reuse_region->bytes);
}

/* What blocks of a wave meet by chance: 64 bytes at a time, each of them come to so many times in a wave. */
struct met {
    double bytes; /* different ones */
    double times;
};

static struct met met_by_chance(const struct reuse_region *reuse_region)
{
    const double asked =
        reuse_region->anywhere * (reuse_region->wave + reuse_region->again) * reuse_region->pairs;
    const double bytes =
        reuse_region->anywhere * fmin(reuse_region->wave * reuse_region->pairs, (double)reuse_region->bytes);

    return (struct met){.bytes = bytes, .times = bytes > 0 ? asked / bytes : 0};
}

/* What L2 has to hold for `part` of a wave to be there: of what is gone through in order as much of it, of what is met
 * again and again by chance all that was met (Che et al.). */
static double bytes_in(const struct reuse_regions *reuse_regions, double part)
{
    double bytes = reuse_regions->wave_bytes * part;

    for (size_t z = 1; z < reuse_regions->count; z++) {
        const struct reuse_region *reuse_region = &reuse_regions->reuse_region[z];

        if (reuse_region->again > 0) {
            const struct met met = met_by_chance(reuse_region);

            bytes +=
                met.bytes * -expm1(-met.times * part) - reuse_region->anywhere * reuse_region->wave * part;
        }
    }
    return bytes;
}

/* The part of a wave that L2 holds at any time; INFINITY where it holds all of it. */
static double part_held(const struct reuse_regions *reuse_regions)
{
    double low = 0, high = 1;

    if (bytes_in(reuse_regions, 1) <= reuse_regions->caches->l2_holds)
        return INFINITY;
    for (int k = 0; k < STEPS; k++) {
        const double part = (low + high) / 2;

        *(bytes_in(reuse_regions, part) < reuse_regions->caches->l2_holds ? &low : &high) = part;
    }
    return low;
}

/* Bytes that the waves fetch of what they meet by chance, where L2 does not hold all of a wave: what has not been come to
 * while a part `held` of one went by. The launch before has left such a part as well, unless L2 is flushed. */
static double fetched_by_chance(const struct reuse_regions *reuse_regions,
                                const struct reuse_region *reuse_region, double held)
{
    const struct met met = met_by_chance(reuse_region);
    const double waves = reuse_fetch_waves(reuse_regions), lost = exp(-met.times * held);
    const double first = met.bytes * (1 - lost - met.times * held * lost);

    return waves * met.bytes * met.times * lost + (reuse_regions->caches->warm ? 0 : first);
}

void reuse_fetch_regions(struct reuse_regions *reuse_regions)
{
    const double waves = reuse_fetch_waves(reuse_regions);
    const double held = part_held(reuse_regions);

    for (size_t z = 1; z < reuse_regions->count; z++) {
        struct reuse_region *reuse_region = &reuse_regions->reuse_region[z];
        const double unique = fmin(reuse_region->unique * reuse_region->pairs, (double)reuse_region->bytes);
        const double wave = wave_asks(reuse_region);
        const double again = reuse_region->wave > 0 ? found_again(reuse_regions, reuse_region) : 1;
        const bool by_chance = reuse_region->again > 0 && reuse_region->wave > 0 && held < INFINITY;
        const double in_order = by_chance ? 1 - reuse_region->anywhere : 1;

        reuse_region->missed =
            in_order * (unique * (1 - reuse_regions->left) + fmax(waves * wave - unique, 0) * (1 - again));
        if (by_chance)
            reuse_region->missed += fetched_by_chance(reuse_regions, reuse_region, held);
    }
}

/* Bytes of what the waves fetch for which all their blocks wait. The first one's begin in step. Later blocks,
 * where they go on with what those before them touched, begin when those end: the first to come to new data
 * wait for DRAM, and those behind go at the pace of L2, which takes half of a wave on average to catch up. */
static double waited_for(const struct reuse_region *reuse_region, double wave)
{
    const double first = fmin(reuse_region->missed, wave);

    return first + (reuse_region->missed - first) * (1 - reuse_region->next / 2);
}

void reuse_fetch_ready(struct reuse_regions *reuse_regions)
{
    const double waves = reuse_fetch_waves(reuse_regions);
    struct reuse_region *reuse_region;

    for (reuse_region = reuse_regions->reuse_region + 1;
         reuse_region < reuse_regions->reuse_region + reuse_regions->count; reuse_region++) {
        const double unique = fmin(reuse_region->unique * reuse_region->pairs, (double)reuse_region->bytes);
        const double wave = wave_asks(reuse_region);
        const double asked = fmax(waves * wave, unique) +
                             waves * reuse_region->anywhere * reuse_region->again * reuse_region->pairs;

        reuse_region->ready = wave > 0 ? 1 - fmin(waited_for(reuse_region, wave) / asked, 1) : 1;
    }
}
