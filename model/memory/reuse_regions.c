#include "model/memory/reuse_regions.h"

#include "model/memory/reuse_blocks.h"
#include "model/memory/reuse_fetch.h"
#include "model/memory/reuse_gather.h"
#include "model/memory/reuse_least.h"
#include "model/memory/reuse_left.h"
#include "model/memory/reuse_mean.h"
#include "model/memory/reuse_pool.h"
#include "model/memory/reuse_rounds.h"
#include "model/machine/assumptions.h"
#include "model/memory/reuse_shift.h"
#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double reuse_regions_kept(double bytes, double cache)
{
    return bytes > cache ? fmax(2 - bytes / cache, 0) : 1;
}

/* Sharing between blocks --------------------------------------------------- */

/* Of a neighbour of a block. */
static const struct footprint *slot_print(const struct emulate_result *result, size_t block,
                                          enum emulate_slot slot, bool written)
{
    const int b = emulate_sample_beside(result, block, slot);

    return b < 0 ? NULL : reuse_mean_print(&result->blocks[b], written);
}

/* What DRAM brings along, and what it brings alone, of what the middle block and its neighbours of the same
 * wave ask for. A line of which a neighbour fetches the other half takes, as reads of 64-byte rows showed on
 * an NVIDIA H200, half of what one takes of which nobody does. */
static void find_pairs(struct reuse_region *reuse_region, const struct reuse_regions *reuse_regions)
{
    const struct emulate_result *result = reuse_regions->result;
    const struct sharing *sharing = &reuse_region->read;
    const size_t block = reuse_mean_typical(result, sharing, reuse_region, false);
    const struct footprint *own = &result->blocks[block].read;
    const bool rows = reuse_regions->wave_blocks >
                      reuse_regions->launch->grid[0]; /* the wave is more than a row of blocks */
    const struct footprint *const near[] = {slot_print(result, block, EMULATE_X1, false),
                                            slot_print(result, block, EMULATE_X2, false),
                                            rows ? slot_print(result, block, EMULATE_Y1, false) : NULL};
    struct footprint_pairs alone, pairs;

    footprint_pairs_in(&alone, own, NULL, 0, reuse_region->address, reuse_region->bytes);
    footprint_pairs_in(&pairs, own, near, 3, reuse_region->address, reuse_region->bytes);
    reuse_region->pairs = sharing->all < INFINITY ? sharing->pairs
                          : pairs.sectors         ? 2 * (double)pairs.pairs / (double)pairs.sectors
                                                  : 1;
    reuse_region->alone = alone.sectors ? 2 * (double)alone.pairs / (double)alone.sectors : 1;
    reuse_region->anywhere = pairs.pairs ? (double)pairs.lone / (double)pairs.pairs : 0;
    reuse_region->scattered = pairs.pairs ? (double)(alone.lone + pairs.lone) / 2 / (double)pairs.pairs : 0;
}

/* The share of a block's lines of which neither it nor a neighbour in x reads, or writes, the other half of
 * their 256 bytes. Of three in a row the one in the middle has both neighbours. What a block of the next row
 * asks for comes too late, if it comes in the same wave at all: copies of such pieces on an NVIDIA H200. */
static double lone_lines(const struct reuse_region *reuse_region, const struct reuse_regions *reuse_regions,
                         bool written)
{
    const struct sharing *sharing = written ? &reuse_region->written : &reuse_region->read;
    const struct emulate_result *result = reuse_regions->result;
    const size_t block = reuse_mean_typical(result, sharing, reuse_region, written);
    const struct footprint *first = slot_print(result, block, EMULATE_MIDDLE, written),
                           *own = slot_print(result, block, EMULATE_X1, written),
                           *last = slot_print(result, block, EMULATE_X2, written);
    const struct footprint *const near[] = {first, last};
    struct footprint_lines lines;

    footprint_lines_in(&lines, own ? own : first, near, 2, reuse_region->address, reuse_region->bytes);
    return lines.lines ? (double)lines.lone / (double)lines.lines : 0;
}

/* The share of the sectors that a block writes at random places which neither it nor a neighbour in x writes beside, in their
 * line. What lies in order others may write beside. */
static double written_alone(const struct reuse_region *reuse_region,
                            const struct reuse_regions *reuse_regions)
{
    const struct emulate_result *result = reuse_regions->result;
    const size_t block = reuse_mean_typical(result, &reuse_region->written, reuse_region, true);
    const struct footprint *first = slot_print(result, block, EMULATE_MIDDLE, true),
                           *own = slot_print(result, block, EMULATE_X1, true),
                           *last = slot_print(result, block, EMULATE_X2, true);
    const struct footprint *const near[] = {first, last};
    struct footprint_pairs pairs;

    if (!first || !reuse_gather_irregular(first, reuse_region))
        return 0;
    footprint_pairs_in(&pairs, own ? own : first, near, 2, reuse_region->address, reuse_region->bytes);
    return pairs.sectors ? (double)pairs.lone / (double)pairs.sectors : 0;
}

/* Bytes that a layer of blocks in z touches, read and written. */
static double layer_bytes(const struct reuse_regions *reuse_regions)
{
    const double blocks = (double)reuse_regions->launch->grid[0] * reuse_regions->launch->grid[1];
    double bytes = 0;

    for (size_t z = 1; z < reuse_regions->count; z++)
        bytes += blocks_touch(&reuse_regions->reuse_region[z].read, reuse_regions->launch, blocks, 0,
                              &reuse_regions->reuse_region[z]) +
                 blocks_touch(&reuse_regions->reuse_region[z].written, reuse_regions->launch, blocks, 0,
                              &reuse_regions->reuse_region[z]);
    return bytes;
}

/* What a wave touches that no layer before has left in L2; `held` as above. */
static double wave_of(const struct reuse_region *reuse_region, const struct reuse_regions *reuse_regions,
                      double held)
{
    const unsigned *grid = reuse_regions->launch->grid;
    const double layer = (double)grid[0] * grid[1], blocks = fmin(reuse_regions->wave_blocks, layer);
    const double bytes = blocks_touch(&reuse_region->read, reuse_regions->launch, reuse_regions->wave_blocks,
                                      held, reuse_region);

    return fmax(bytes - held * reuse_region->read.z * blocks * SECTOR, 0);
}

/* What blocks of a wave ask for that others of it touch by chance. */
static double met_again(const struct reuse_region *reuse_region, const struct reuse_regions *reuse_regions,
                        double held)
{
    const struct sharing *read = &reuse_region->read;
    const double blocks = reuse_regions->wave_blocks;

    return blocks_ask(read, reuse_regions->launch, blocks, held) -
           blocks_touch(read, reuse_regions->launch, blocks, held, reuse_region);
}

/* Whether what blocks access of it is known to move with their position. */
static bool is_linear(const struct reuse_regions *reuse_regions, const struct reuse_region *reuse_region)
{
    const bool *linear = reuse_regions->result->alike.linear;

    return linear && linear[region_number(reuse_region, reuse_regions)];
}

/* What a mean block touches and shares. All of a grid's blocks that were executed tell what they touch together;
 * else those far from each other what they share beside what neighbours do, unless the order of the grid does. */
static int find_sharing(struct sharing *out, const struct reuse_regions *reuse_regions,
                        struct reuse_region *reuse_region, bool written, struct err *err)
{
    const struct emulate_result *result = reuse_regions->result;
    const uint64_t *spans =
        result->spans && !written ? result->spans + 3 * region_number(reuse_region, reuse_regions) : NULL;

    reuse_mean_sharing(out, result, reuse_region, written);
    reuse_mean_limit(out, spans, reuse_regions->launch->grid);
    if (reuse_shift_find(&out->shift, out, result, reuse_region, region_number(reuse_region, reuse_regions),
                         written, reuse_regions->launch->grid, reuse_regions->assumed, err))
        return ERR_MEMORY;
    if (!written)
        reuse_region->ordered = blocks_ordered(reuse_region, reuse_regions);
    if (!written && result->places)
        reuse_region->places = result->places[region_number(reuse_region, reuse_regions)];
    if ((double)result->block_count >= reuse_regions->blocks)
        return reuse_mean_union(&out->all, &out->pairs, result, reuse_region, written, err);
    if (!out->shift.gaps)
        reuse_pool_find(out, result, reuse_region, reuse_regions->launch->grid, reuse_regions->assumed,
                        written);
    if (!written)
        reuse_region->pieces = reuse_gather_pieces(result, reuse_region, reuse_regions->launch->grid);
    return 0;
}

/* Places where so many blocks in a row begin. */
static double places_begun(const struct emulate_places *places, double blocks)
{
    const double half = places->blocks / 2;
    const double latter = fmin(fmax(blocks - half, 0), half), behind = fmax(blocks - places->blocks, 0);

    return fmax(places->half * fmin(blocks / half, 1) + (places->all - places->half) * latter / half +
                    places->further * behind,
                1);
}

/* What so many blocks in a row read of a region where it is known at how many places they begin. */
static double begun_bytes(const struct reuse_region *reuse_region, double blocks)
{
    const struct emulate_places *places = &reuse_region->places;
    const double begun = places_begun(places, blocks), own = reuse_region->read.own;
    const double of_one =
        places->pool > own ? reuse_pool_drawn(places->pool, own, fmax(blocks / begun, 1)) : own;

    return places_bytes(reuse_region, of_one * SECTOR, begun);
}

/* Different bytes of the whole grid. */
static double unique_of(const struct sharing *sharing, const struct reuse_regions *reuse_regions,
                        const struct reuse_region *reuse_region)
{
    if (sharing->all < INFINITY)
        return sharing->all;
    if (sharing == &reuse_region->read && reuse_region->ordered)
        return places_touch(reuse_region, reuse_regions);
    if (sharing == &reuse_region->read && reuse_region->places.blocks > 0)
        return fmin(blocks_touch(sharing, reuse_regions->launch, reuse_regions->blocks, 1, reuse_region),
                    begun_bytes(reuse_region, reuse_regions->blocks));
    return blocks_touch(sharing, reuse_regions->launch, reuse_regions->blocks, 1, reuse_region);
}

/* Sums of one kind over the regions. */
struct sums {
    double *unique, *least, *most;
};

/* What the grid touches of a region, returned in *unique: where that is proved, nothing is estimated. */
static int add_unique(double *unique, const struct sums *sums, const struct reuse_regions *reuse_regions,
                      const struct reuse_region *reuse_region, bool written, struct err *err)
{
    const struct sharing *sharing = written ? &reuse_region->written : &reuse_region->read;
    const double most = fmin(sharing->own * SECTOR * reuse_regions->blocks, (double)reuse_region->bytes);
    double least;
    bool exact;
    const int rc = reuse_least(&least, &exact, reuse_regions, reuse_region,
                               is_linear(reuse_regions, reuse_region), written, err);

    if (rc)
        return rc;
    *unique = exact ? least : fmax(fmin(unique_of(sharing, reuse_regions, reuse_region), most), least);
    *sums->unique += *unique;
    *sums->least += least;
    *sums->most += exact ? least : fmax(most, least);
    return 0;
}

static int find_regions(struct reuse_regions *reuse_regions, struct err *err)
{
    const struct sums read = {&reuse_regions->unique_read, &reuse_regions->least_read,
                              &reuse_regions->most_read};
    const struct sums written = {&reuse_regions->unique_written, &reuse_regions->least_written,
                                 &reuse_regions->most_written};
    struct reuse_region *reuse_region;

    for (reuse_region = reuse_regions->reuse_region + 1;
         reuse_region < reuse_regions->reuse_region + reuse_regions->count; reuse_region++) {
        const struct emulate_region *region =
            &reuse_regions->result->regions[region_number(reuse_region, reuse_regions)];

        reuse_region->address = region->address;
        reuse_region->bytes = region->bytes;
        if (find_sharing(&reuse_region->read, reuse_regions, reuse_region, false, err) ||
            find_sharing(&reuse_region->written, reuse_regions, reuse_region, true, err))
            return ERR_MEMORY;
        find_pairs(reuse_region, reuse_regions);
        reuse_region->read_lone = lone_lines(reuse_region, reuse_regions, false);
        reuse_region->written_lone = lone_lines(reuse_region, reuse_regions, true);
        reuse_region->written_alone = written_alone(reuse_region, reuse_regions);
        if (add_unique(&reuse_region->unique, &read, reuse_regions, reuse_region, false, err) ||
            add_unique(&reuse_region->unique_written, &written, reuse_regions, reuse_region, true, err))
            return ERR_MEMORY;
        reuse_regions->touched += reuse_region->unique;
        reuse_regions->copied += reuse_copied(reuse_region, reuse_regions->blocks);
    }
    reuse_regions->touched += reuse_regions->unique_written;
    return 0;
}

/* What `blocks` blocks of a grid whose order is known read of a region, and how much of it the next ones do. */
static int find_ordered_wave(struct reuse_region *reuse_region, const struct reuse_regions *reuse_regions,
                             double blocks, struct err *err)
{
    double places, two;
    int rc = places_of_wave(&places, reuse_region, reuse_regions, blocks, err);

    if (!rc)
        rc = places_of_wave(&two, reuse_region, reuse_regions, 2 * blocks, err);
    if (rc)
        return rc;
    reuse_region->wave = places_bytes(reuse_region, reuse_region->piece, places);
    reuse_region->again = 0;
    reuse_region->next = fmin(fmax(2 - two / places, 0), reuse_rounds_next(reuse_regions, reuse_region));
    return 0;
}

/* What `blocks` blocks that go in step touch. */
static int find_wave(struct reuse_regions *reuse_regions, double blocks, struct err *err)
{
    const double held = reuse_regions_kept(layer_bytes(reuse_regions), reuse_regions->caches->l2_holds);
    const unsigned *grid = reuse_regions->launch->grid;
    const bool same_row = grid[1] > 1 && blocks < grid[0];
    struct reuse_region *reuse_region;
    int rc = 0;

    reuse_regions->wave_blocks = blocks;
    reuse_regions->wave_read = 0;
    for (reuse_region = reuse_regions->reuse_region + 1;
         reuse_region < reuse_regions->reuse_region + reuse_regions->count && !rc; reuse_region++) {
        reuse_region->wave = wave_of(reuse_region, reuse_regions, held);
        reuse_region->again = met_again(reuse_region, reuse_regions, held);
        reuse_region->next = same_row && reuse_region->read.own > 0 && reuse_region->read.span[0] == INFINITY
                                 ? fmin(reuse_region->read.x / reuse_region->read.own, 1)
                                 : 0;
        if (reuse_region->ordered)
            rc = find_ordered_wave(reuse_region, reuse_regions, blocks, err);
        if (reuse_region->places.blocks > 0)
            reuse_region->wave = fmin(reuse_region->wave, begun_bytes(reuse_region, blocks));
        reuse_region->wave = fmin(reuse_region->wave, rows_touch(reuse_region, reuse_regions, blocks));
        reuse_region->wave = blocks < reuse_regions->blocks || reuse_regions->rounds > 1
                                 ? fmin(reuse_region->wave, reuse_region->unique)
                                 : reuse_region->unique;
        reuse_regions->wave_read += reuse_region->wave;
    }
    reuse_regions->wave_bytes =
        reuse_regions->wave_read + reuse_regions->unique_written / reuse_fetch_waves(reuse_regions);
    return rc;
}

/* How far apart blocks are for L2, over all waves: 0 where all share what is fetched once, 1 where those of
 * an SM fetch for themselves. After w waves a share 1 - (1 - drift)^w of a wave lies between the first block
 * of an SM and its last. Of that, L2 holds some of the wave's bytes, and what is beyond, of all that could
 * be, is what is fetched again. */
static double apart_share(const struct reuse_regions *reuse_regions)
{
    const double half = reuse_regions->assumed->apart_half * reuse_regions->caches->l2_holds;
    const double waves = reuse_fetch_waves(reuse_regions), rate = -log(1 - reuse_regions->caches->skew);
    double beyond; /* waves after L2 ceased to hold enough */

    if (!(rate > 0) || reuse_regions->wave_bytes <= half)
        return 0;
    beyond = fmax(waves + log(1 - half / reuse_regions->wave_bytes) / rate, 0);
    return (beyond - (1 - exp(-rate * beyond)) / rate) / waves;
}

/* Blocks that have drifted apart are in step with those that began when they did, one on each SM: so many
 * smaller waves. */
static int fetch_drifting(struct reuse_regions *reuse_regions, struct err *err)
{
    const double sms = fmin(reuse_regions->wave_blocks, reuse_regions->caches->sms);
    const double share = apart_share(reuse_regions);
    const size_t bytes = reuse_regions->count * sizeof *reuse_regions->reuse_region;
    struct reuse_regions apart = *reuse_regions;
    int rc;

    if (!(share > 0) || sms == reuse_regions->wave_blocks)
        return 0;
    apart.reuse_region = malloc(bytes);
    if (!apart.reuse_region)
        return err_memory(err);
    memcpy(apart.reuse_region, reuse_regions->reuse_region, bytes);
    rc = find_wave(&apart, sms, err);
    reuse_fetch_regions(&apart);
    for (size_t z = 1; z < reuse_regions->count; z++) {
        double *missed = &reuse_regions->reuse_region[z].missed;

        *missed = *missed + share * fmax(apart.reuse_region[z].missed - *missed, 0);
    }
    free(apart.reuse_region);
    return rc;
}

int reuse_regions_find(struct reuse_regions *out, const struct emulate_result *result,
                       const struct launch *launch, const struct traffic_caches *caches, struct err *err)
{
    const double blocks = (double)launch_blocks(launch);

    *out = (struct reuse_regions){.result = result,
                                  .launch = launch,
                                  .assumed = caches->assumed,
                                  .blocks = blocks,
                                  .wave_blocks = fmin(blocks, caches->sms * caches->resident_blocks),
                                  .count = result->region_count + 1};
    out->reuse_region = calloc(out->count, sizeof *out->reuse_region);
    if (!out->reuse_region)
        return err_memory(err);
    if (find_regions(out, err))
        return ERR_MEMORY;
    reuse_rounds_find(out);
    return 0;
}

int reuse_regions_fetch(struct reuse_regions *out, const struct reuse_regions *found,
                        const struct traffic_caches *caches, struct err *err)
{
    const size_t bytes = found->count * sizeof *found->reuse_region;
    int rc;

    *out = *found;
    out->caches = caches;
    out->reuse_region = malloc(bytes);
    if (!out->reuse_region)
        return err_memory(err);
    memcpy(out->reuse_region, found->reuse_region, bytes);
    out->left = reuse_left(out);
    rc = find_wave(out, out->wave_blocks, err);
    reuse_fetch_regions(out);
    if (!rc)
        rc = fetch_drifting(out, err);
    reuse_fetch_ready(out);
    return rc;
}

void reuse_regions_release(struct reuse_regions *reuse_regions)
{
    free(reuse_regions->reuse_region);
    *reuse_regions = (struct reuse_regions){0};
}
