#include "model/memory/reuse_blocks.h"

#include "model/memory/reuse_shift.h"
#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdlib.h>

enum { LOOKED_AT = 1 << 11 }; /* blocks of a grid, to see what those of a wave share */

/* Of so many blocks in a row, those that share with none before them: one of each span. */
static double groups_of(const struct sharing *s, unsigned axis, double blocks)
{
    return fmax(blocks / s->span[axis], 1);
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

double blocks_touch(const struct sharing *s, const struct launch *launch, double blocks, double held,
                    const struct reuse_region *reuse_region)
{
    const double bytes = blocks_ask(s, launch, blocks, held);
    const double drawn = s->pool < INFINITY ? s->pool * -expm1(-bytes / s->pool) : bytes;

    return fmin(drawn, (double)reuse_region->bytes);
}

double places_bytes(const struct reuse_region *reuse_region, double bytes, double places)
{
    return fmin(places * bytes, (double)reuse_region->bytes);
}

size_t region_number(const struct reuse_region *reuse_region, const struct reuse_regions *reuse_regions)
{
    return (size_t)(reuse_region - reuse_regions->reuse_region - 1);
}

bool blocks_ordered(const struct reuse_region *reuse_region, const struct reuse_regions *reuse_regions)
{
    const double near = reuse_region->read.x + reuse_region->read.halo;

    return reuse_regions->result->order.digits > 0 && reuse_region->read.own > 0 &&
           !reuse_region->read.shift.gaps && (near == 0 || near == reuse_region->read.own);
}

/* Whether a step of digit d leads to another place of the region. */
static bool moves_in(const struct reuse_region *reuse_region, const struct reuse_regions *reuse_regions,
                     unsigned d)
{
    const size_t region = region_number(reuse_region, reuse_regions);

    return reuse_regions->result->order.moves[d * reuse_regions->result->region_count + region] != 0;
}

double places_of_grid(const struct reuse_region *reuse_region, const struct reuse_regions *reuse_regions)
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

/* Different places of `count` blocks from `first` on. seen[] keeps the turn in which a place was seen last. */
static unsigned places_of(const struct reuse_region *reuse_region, const struct reuse_regions *reuse_regions,
                          unsigned first, unsigned count, unsigned *seen, unsigned turn)
{
    const struct emulate_order *order = &reuse_regions->result->order;
    unsigned places = 0;

    for (unsigned block = first; block < first + count; block++) {
        unsigned place = block; /* less the digits that do not matter */

        for (unsigned d = 0; d < order->digits && order->unit[d] <= block; d++) {
            const unsigned unit = (unsigned)order->unit[d];
            const unsigned above = d + 1 < order->digits && order->unit[d + 1] <= block
                                       ? block % (unsigned)order->unit[d + 1]
                                       : block;

            if (!moves_in(reuse_region, reuse_regions, d))
                place -= above - above % unit;
        }
        places += seen[place] != turn;
        seen[place] = turn;
    }
    return places;
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
