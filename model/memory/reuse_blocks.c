#include "model/memory/reuse_blocks.h"

#include "model/memory/reuse_mean.h"
#include "model/memory/reuse_pool.h"
#include "model/memory/reuse_shift.h"
#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdlib.h>

enum { LOOKED_AT = 1 << 11 }; /* blocks of a grid, to see what those of a wave share */

/* Of so many blocks in a row, those that share with none before them: one of each span and place in a cluster. */
static double groups_of(const struct sharing *s, unsigned axis, double blocks)
{
    return fmin(fmax(blocks / s->span[axis], 1) * s->ranks[axis], fmax(blocks, 1));
}

/* Different sectors of nx by ny blocks. */
static double together(const struct sharing *s, double nx, double ny)
{
    const double gx = groups_of(s, 0, nx), gy = groups_of(s, 1, ny);
    const double both = fmin(s->both, fmin(s->x, s->y)), x = s->x - both, y = s->y - both;
    const double rest = fmax(s->own - both - x - y, 0);

    if (s->shift.gaps)
        return reuse_shift_together(&s->shift, nx) * ny;
    return both * gx * gy + x * gx * ny + y * nx * gy + rest * nx * ny - fmin(s->halo, rest) * (nx - 1) * ny;
}

double blocks_ask(const struct sharing *s, const struct launch *launch, double blocks, double held)
{
    const double nx = fmin(launch->grid[0], blocks), ny = fmin(launch->grid[1], fmax(blocks / nx, 1));
    const double layer = together(s, nx, ny), layers = fmax(blocks / nx / ny, 1);
    const double again = fmin(s->z * nx * ny, layer) * held;
    const double apart = again * (groups_of(s, 2, layers) - 1);

    return (layer + (layer - again) * (layers - 1) + apart) * SECTOR;
}

/* Different bytes of so many blocks that draw from a pool: of as many as would ask for as much if they shared nothing else. */
static double drawn_bytes(const struct sharing *s, double asked, double blocks)
{
    const struct reuse_pool *pool = &s->pool;
    const double own = s->both >= pool->common ? (asked / SECTOR - pool->common) / fmax(pool->each, 1e-9)
                                               : asked / SECTOR / (pool->common + pool->each);

    return SECTOR * reuse_pool_touched(pool, fmax(fmin(own, blocks), 0));
}

double blocks_touch(const struct sharing *s, const struct launch *launch, double blocks, double held,
                    const struct reuse_region *reuse_region)
{
    const double asked = blocks_ask(s, launch, blocks, held);
    const double most = fmin(fmin(asked, s->most), (double)reuse_region->bytes);

    return s->pool.blocks > 0 ? fmin(drawn_bytes(s, asked, blocks), most) : most;
}

double places_bytes(const struct reuse_region *reuse_region, double bytes, double places)
{
    return fmin(fmin(places * bytes, reuse_region->read.most), (double)reuse_region->bytes);
}

size_t region_number(const struct reuse_region *reuse_region, const struct reuse_regions *reuse_regions)
{
    return (size_t)(reuse_region - reuse_regions->reuse_region - 1);
}

/* Whether a step of digit d leads to another place of the region. */
static bool moves_in(const struct reuse_region *reuse_region, const struct reuse_regions *reuse_regions,
                     unsigned d)
{
    const size_t region = region_number(reuse_region, reuse_regions);

    return reuse_regions->result->order.moves[d * reuse_regions->result->region_count + region] != 0;
}

/* Different places of the whole grid. */
static double places_of_grid(const struct reuse_region *reuse_region,
                             const struct reuse_regions *reuse_regions)
{
    const struct emulate_order *order = &reuse_regions->result->order;
    double places = 1;

    for (unsigned d = 0; d < order->digits; d++) {
        const double end = d + 1 < order->digits ? (double)order->unit[d + 1] : reuse_regions->blocks;

        if (moves_in(reuse_region, reuse_regions, d))
            places *= ceil(end / (double)order->unit[d]);
    }
    return places;
}

/* The place of a block: its number less the digits that do not matter. */
static uint64_t place_of(const struct reuse_region *reuse_region, const struct reuse_regions *reuse_regions,
                         uint64_t block)
{
    const struct emulate_order *order = &reuse_regions->result->order;
    uint64_t place = block;

    for (unsigned d = 0; d < order->digits && order->unit[d] <= block; d++) {
        const uint64_t above =
            d + 1 < order->digits && order->unit[d + 1] <= block ? block % order->unit[d + 1] : block;

        if (!moves_in(reuse_region, reuse_regions, d))
            place -= above - above % order->unit[d];
    }
    return place;
}

bool blocks_ordered(const struct reuse_region *reuse_region, const struct reuse_regions *reuse_regions)
{
    const struct sharing *read = &reuse_region->read;
    const double near = read->x + read->halo;

    return reuse_regions->result->order.digits > 0 && read->own > 0 && !read->shift.gaps &&
           (near == 0 || near == read->own);
}

/* Different places of `count` blocks from `first` on. seen[] keeps the turn in which a place was seen last. */
static unsigned places_of(const struct reuse_region *reuse_region, const struct reuse_regions *reuse_regions,
                          unsigned first, unsigned count, unsigned *seen, unsigned turn)
{
    unsigned places = 0;

    for (unsigned block = first; block < first + count; block++) {
        const uint64_t place = place_of(reuse_region, reuse_regions, block);

        places += seen[place] != turn;
        seen[place] = turn;
    }
    return places;
}

/* Bytes from where the first of all places begins to where the last one ends, if blocks reach as far as the first one, from
 * which they are counted, and no less than sampled ones do together. */
static double places_reach(const struct reuse_region *reuse_region, const struct reuse_regions *reuse_regions)
{
    const struct emulate_result *result = reuse_regions->result;
    const struct emulate_order *order = &result->order;
    const struct reuse_reach reach = reuse_mean_reach(result, reuse_region, false);
    double bytes = SECTOR * reach.first;

    for (unsigned d = 0; d < order->digits; d++) {
        const double end = d + 1 < order->digits ? (double)order->unit[d + 1] : reuse_regions->blocks;
        const int64_t moves =
            order->moves[d * result->region_count + region_number(reuse_region, reuse_regions)];

        bytes += fabs((double)moves) * (ceil(end / (double)order->unit[d]) - 1);
    }
    return reach.first > 0 ? fmax(bytes, SECTOR * reach.together) : INFINITY;
}

double places_touch(const struct reuse_region *reuse_region, const struct reuse_regions *reuse_regions)
{
    const double bytes = places_bytes(reuse_region, reuse_region->read.own * SECTOR,
                                      places_of_grid(reuse_region, reuse_regions));

    return fmin(bytes, places_reach(reuse_region, reuse_regions));
}

double rows_touch(const struct reuse_region *reuse_region, const struct reuse_regions *reuse_regions,
                  double blocks)
{
    const struct sharing *read = &reuse_region->read;
    const struct emulate_result *result = reuse_regions->result;
    const unsigned *grid = reuse_regions->launch->grid;
    const double rows = (double)grid[1] * grid[2], part = reuse_region->unique / rows;
    const bool by_chance = reuse_region->anywhere > 0 || reuse_region->pieces > 0;
    const bool seen = (grid[1] < 2 || emulate_sample_beside(result, read->anchor, EMULATE_Y1) >= 0) &&
                      (grid[2] < 2 || emulate_sample_beside(result, read->anchor, EMULATE_Z1) >= 0);

    if (rows < 2 || !seen || !(read->own > 0) || read->y + read->both + read->z > 0 || read->shift.gaps ||
        by_chance || part < read->own * SECTOR)
        return INFINITY;
    return (1 + (blocks - 1) / grid[0]) * part;
}

int places_of_wave(double *out, const struct reuse_region *reuse_region,
                   const struct reuse_regions *reuse_regions, double blocks, struct err *err)
{
    const unsigned most = (unsigned)fmin(reuse_regions->blocks * reuse_regions->rounds, LOOKED_AT);
    const unsigned wave = (unsigned)fmin(blocks, (double)most), waves = most / wave;
    unsigned *seen = calloc(most, sizeof *seen);

    *out = 0;
    if (!seen)
        return err_memory(err);
    for (unsigned w = 0; w < waves; w++)
        *out += places_of(reuse_region, reuse_regions, w * wave, wave, seen, w + 1);
    *out *= blocks / ((double)wave * waves);
    free(seen);
    return 0;
}
