#include "model/memory/reuse_zones.h"

#include <math.h>
#include <stdlib.h>

enum { LOOKED_AT = 1 << 11 }; /* blocks of a grid, to see what those of a wave share */

double zones_kept(double bytes, double cache)
{
    return bytes > cache ? fmax(2 - bytes / cache, 0) : 1;
}

/* Sharing between blocks
 * ---------------------------------------------------------------------------------------------------------
 */

static const struct footprint *slot_print(const struct emulate_result *result, enum emulate_slot slot,
                                          bool written)
{
    const int b = emulate_sample_slot(result, slot); /* the middle block is the sample's first */

    if (b < 0)
        return NULL;
    return written ? &result->blocks[b].written : &result->blocks[b].read;
}

static double shared_by(const struct zone *zone, const struct footprint *a, const struct footprint *b,
                        const struct footprint *c)
{
    return a && b && c ? (double)footprint_shared_in(a, b, c, zone->address, zone->bytes) : 0;
}

static struct sharing sharing_of(const struct emulate_result *result, const struct zone *zone, bool written)
{
    const struct footprint *middle = slot_print(result, EMULATE_MIDDLE, written),
                           *x1 = slot_print(result, EMULATE_X1, written),
                           *x2 = slot_print(result, EMULATE_X2, written),
                           *y1 = slot_print(result, EMULATE_Y1, written),
                           *z1 = slot_print(result, EMULATE_Z1, written);
    struct sharing out = {0};
    double near_x;

    near_x = shared_by(zone, middle, x1, x1);
    out.own = shared_by(zone, middle, middle, middle);
    out.x = x2 ? shared_by(zone, middle, x1, x2) : near_x;
    out.halo = near_x - out.x;
    out.y = shared_by(zone, middle, y1, y1);
    out.both = shared_by(zone, middle, x1, y1);
    out.z = shared_by(zone, middle, z1, z1);
    return out;
}

/* Different sectors of nx by ny blocks. */
static double together(const struct sharing *s, double nx, double ny)
{
    const double both = fmin(s->both, fmin(s->x, s->y)), x = s->x - both, y = s->y - both;
    const double rest = fmax(s->own - both - x - y, 0);

    return both + x * ny + y * nx + rest * nx * ny - fmin(s->halo, rest) * (nx - 1) * ny;
}

/* Bytes of `blocks` blocks of a zone in the order in which they are dispatched, x first, then y. What a layer
 * in z shares with the one before counts once as far as it is still in L2 when its turn comes: `held`. */
static double bytes_of(const struct sharing *s, const struct launch *launch, double blocks, double held,
                       const struct zone *zone)
{
    const double nx = fmin(launch->grid[0], blocks), ny = fmin(launch->grid[1], fmax(blocks / nx, 1));
    const double layer = together(s, nx, ny), layers = fmax(blocks / nx / ny, 1);
    const double again = fmin(s->z * nx * ny, layer) * held;

    return fmin((layer + (layer - again) * (layers - 1)) * FOOTPRINT_SECTOR, (double)zone->bytes);
}

/* What DRAM brings along, and what it brings alone, of what the middle block and its neighbours of the same
 * wave ask for. A line of which a neighbour fetches the other half takes, as reads of 64-byte rows showed on
 * an NVIDIA H200, half of what one takes of which nobody does. */
static void find_pairs(struct zone *zone, const struct zones *zones)
{
    const struct emulate_result *result = zones->result;
    const struct footprint *own = &result->blocks[0].read;
    const bool rows = zones->wave_blocks > zones->launch->grid[0]; /* the wave is more than a row of blocks */
    const struct footprint *const near[] = {slot_print(result, EMULATE_X1, false),
                                            slot_print(result, EMULATE_X2, false),
                                            rows ? slot_print(result, EMULATE_Y1, false) : NULL};
    struct footprint_pairs alone, pairs;

    footprint_pairs_in(&alone, own, NULL, 0, zone->address, zone->bytes);
    footprint_pairs_in(&pairs, own, near, 3, zone->address, zone->bytes);
    zone->pairs = pairs.sectors ? 2 * (double)pairs.pairs / (double)pairs.sectors : 1;
    zone->alone = alone.sectors ? 2 * (double)alone.pairs / (double)alone.sectors : 1;
    zone->anywhere = pairs.pairs ? (double)pairs.lone / (double)pairs.pairs : 0;
    zone->scattered = pairs.pairs ? (double)(alone.lone + pairs.lone) / 2 / (double)pairs.pairs : 0;
}

/* The share of a block's lines of which neither it nor a neighbour in x reads, or writes, the other half of
 * their 256 bytes. Of three in a row the one in the middle has both neighbours. What a block of the next row
 * asks for comes too late, if it comes in the same wave at all: copies of such pieces on an NVIDIA H200. */
static double lone_lines(const struct zone *zone, const struct zones *zones, bool written)
{
    const struct footprint *first = slot_print(zones->result, EMULATE_MIDDLE, written),
                           *own = slot_print(zones->result, EMULATE_X1, written),
                           *last = slot_print(zones->result, EMULATE_X2, written);
    const struct footprint *const near[] = {first, last};
    struct footprint_lines lines;

    footprint_lines_in(&lines, own ? own : first, near, 2, zone->address, zone->bytes);
    return lines.lines ? (double)lines.lone / (double)lines.lines : 0;
}

/* Bytes that a layer of blocks in z touches, read and written. */
static double layer_bytes(const struct zones *zones)
{
    const double blocks = (double)zones->launch->grid[0] * zones->launch->grid[1];
    double bytes = 0;
    size_t z;

    for (z = 1; z < zones->count; z++)
        bytes += bytes_of(&zones->zone[z].read, zones->launch, blocks, 0, &zones->zone[z]) +
                 bytes_of(&zones->zone[z].written, zones->launch, blocks, 0, &zones->zone[z]);
    return bytes;
}

/* Bytes of a zone at so many different places. */
static double bytes_at(const struct zone *zone, double places)
{
    return fmin(places * zone->read.own * FOOTPRINT_SECTOR, (double)zone->bytes);
}

/* Whether the order of the grid says where in the zone each block reads: neighbours read the same or apart.
 */
static bool is_ordered(const struct zone *zone, const struct zones *zones)
{
    const double near = zone->read.x + zone->read.halo;

    return zones->result->order.digits > 0 && zone->read.own > 0 && (near == 0 || near == zone->read.own);
}

/* Whether a step of digit d leads to another place of the zone. */
static bool moves_in(const struct zone *zone, const struct zones *zones, unsigned d)
{
    const size_t region = (size_t)(zone - zones->zone - 1);

    return zones->result->order.moves[d * zones->result->region_count + region] != 0;
}

/* Different places in a zone of the whole grid. */
static double all_places(const struct zone *zone, const struct zones *zones)
{
    const struct emulate_order *order = &zones->result->order;
    double places = 1;

    for (unsigned d = 0; d < order->digits; d++) {
        const double end = d + 1 < order->digits ? (double)order->unit[d + 1] : zones->blocks;

        if (moves_in(zone, zones, d))
            places *= ceil(end / (double)order->unit[d]);
    }
    return places;
}

/* Different places of `count` blocks from `first` on. seen[] keeps the turn in which a place was seen last.
 */
static unsigned places_of(const struct zone *zone, const struct zones *zones, unsigned first, unsigned count,
                          unsigned *seen, unsigned turn)
{
    const struct emulate_order *order = &zones->result->order;
    unsigned places = 0;

    for (unsigned block = first; block < first + count; block++) {
        unsigned place = block; /* less the digits that do not matter */

        for (unsigned d = 0; d < order->digits && order->unit[d] <= block; d++) {
            const unsigned unit = (unsigned)order->unit[d];
            const unsigned above = d + 1 < order->digits && order->unit[d + 1] <= block
                                       ? block % (unsigned)order->unit[d + 1]
                                       : block;

            if (!moves_in(zone, zones, d))
                place -= above - above % unit;
        }
        places += seen[place] != turn;
        seen[place] = turn;
    }
    return places;
}

/* The same of a mean wave of `blocks` blocks, from the first waves of the grid. */
static int mean_places(double *out, const struct zone *zone, const struct zones *zones, double blocks,
                       struct err *err)
{
    const unsigned most = (unsigned)fmin(zones->blocks, LOOKED_AT);
    const unsigned wave = (unsigned)fmin(blocks, (double)most), waves = most / wave;
    unsigned *seen = calloc(most, sizeof *seen);

    *out = 0;
    if (!seen)
        return err_memory(err);
    for (unsigned w = 0; w < waves; w++)
        *out += places_of(zone, zones, w * wave, wave, seen, w + 1);
    *out *= blocks / ((double)wave * waves);
    free(seen);
    return 0;
}

/* What a wave touches that no layer before has left in L2; `held` as above. */
static double wave_of(const struct zone *zone, const struct zones *zones, double held)
{
    const unsigned *grid = zones->launch->grid;
    const double layer = (double)grid[0] * grid[1], blocks = fmin(zones->wave_blocks, layer);
    const double bytes = bytes_of(&zone->read, zones->launch, zones->wave_blocks, held, zone);

    return fmax(bytes - held * zone->read.z * blocks * FOOTPRINT_SECTOR, 0);
}

static void find_zones(struct zones *zones)
{
    struct zone *zone;

    for (zone = zones->zone + 1; zone < zones->zone + zones->count; zone++) {
        const struct emulate_region *region = &zones->result->regions[zone - zones->zone - 1];

        zone->address = region->address;
        zone->bytes = region->bytes;
        zone->read = sharing_of(zones->result, zone, false);
        zone->written = sharing_of(zones->result, zone, true);
        find_pairs(zone, zones);
        zone->read_lone = lone_lines(zone, zones, false);
        zone->written_lone = lone_lines(zone, zones, true);
        zone->unique = bytes_of(&zone->read, zones->launch, zones->blocks, 1, zone);
        zones->unique_read += zone->unique; /* for a bound: not from the order, which looked at few blocks */
        zones->unique_written += bytes_of(&zone->written, zones->launch, zones->blocks, 1, zone);
        if (is_ordered(zone, zones))
            zone->unique = bytes_at(zone, all_places(zone, zones));
        zones->touched += zone->unique;
    }
    zones->touched += zones->unique_written;
}

/* What `blocks` blocks of a grid whose order is known read of a zone, and how much of it the next ones do. */
static int find_ordered_wave(struct zone *zone, const struct zones *zones, double blocks, struct err *err)
{
    double places, two;
    int rc = mean_places(&places, zone, zones, blocks, err);

    if (!rc)
        rc = mean_places(&two, zone, zones, 2 * blocks, err);
    if (rc)
        return rc;
    zone->wave = bytes_at(zone, places);
    zone->next = fmax(2 - two / places, 0);
    return 0;
}

/* What `blocks` blocks that go in step touch. */
static int find_wave(struct zones *zones, double blocks, struct err *err)
{
    const double held = zones_kept(layer_bytes(zones), zones->caches->l2_holds);
    const unsigned *grid = zones->launch->grid;
    const bool same_row = grid[1] > 1 && blocks < grid[0];
    struct zone *zone;
    int rc = 0;

    zones->wave_blocks = blocks;
    zones->wave_read = 0;
    for (zone = zones->zone + 1; zone < zones->zone + zones->count && !rc; zone++) {
        zone->wave = wave_of(zone, zones, held);
        zone->next = same_row && zone->read.own > 0 ? fmin(zone->read.x / zone->read.own, 1) : 0;
        if (is_ordered(zone, zones))
            rc = find_ordered_wave(zone, zones, blocks, err);
        zones->wave_read += zone->wave;
    }
    zones->wave_bytes = zones->wave_read + zones->unique_written * blocks / zones->blocks;
    return rc;
}

/* What a later wave finds in L2 of what the zone's earlier ones touched. Of what is gone through in order,
 * what fits beside the waves until it is touched again: by the next wave, or once in a round of the zone. Of
 * single sectors anywhere, the part of the zone that L2's share for it holds at any time.
 */
static double found_again(const struct zones *zones, const struct zone *zone)
{
    const double holds = zones->caches->l2_holds;
    const double between = zones->wave_bytes * zone->unique / zone->wave;
    const double random = holds * zone->wave / zones->wave_bytes / zone->unique;
    const double in_order = zone->next * zones_kept(zones->wave_bytes, holds) +
                            (1 - zone->next) * zones_kept(fmin(between, zones->touched), holds);

    return zone->anywhere * fmin(random, 1) + (1 - zone->anywhere) * in_order;
}

/* What a wave asks DRAM for: in order no more than the zone has; of single sectors anywhere 64 bytes for
 * each, since L2 loses many before another asks for their other half. */
static double wave_asks(const struct zone *zone)
{
    const double bytes = zone->wave * zone->pairs;

    return zone->anywhere * bytes + (1 - zone->anywhere) * fmin(bytes, (double)zone->bytes);
}

static void fetch_zones(struct zones *zones)
{
    const struct traffic_caches *caches = zones->caches;
    const double waves = zones->blocks / zones->wave_blocks;
    const double first = caches->warm ? zones_kept(zones->touched, caches->l2_holds) : 0;
    size_t z;

    for (z = 1; z < zones->count; z++) {
        struct zone *zone = &zones->zone[z];
        const double unique = fmin(zone->unique * zone->pairs, (double)zone->bytes);
        const double wave = wave_asks(zone);
        const double again = zone->wave > 0 ? found_again(zones, zone) : 1;

        zone->missed = unique * (1 - first) + fmax(waves * wave - unique, 0) * (1 - again);
    }
}

/* Bytes of what the waves fetch for which all their blocks wait. The first one's begin in step. Later blocks,
 * where they go on with what those before them touched, begin when those end: the first to come to new data
 * wait for DRAM, and those behind go at the pace of L2, which takes half of a wave on average to catch up. */
static double waited_for(const struct zone *zone, double wave)
{
    const double first = fmin(zone->missed, wave);

    return first + (zone->missed - first) * (1 - zone->next / 2);
}

static void find_ready(struct zones *zones)
{
    const double waves = zones->blocks / zones->wave_blocks;
    struct zone *zone;

    for (zone = zones->zone + 1; zone < zones->zone + zones->count; zone++) {
        const double unique = fmin(zone->unique * zone->pairs, (double)zone->bytes);
        const double wave = wave_asks(zone);

        zone->ready = wave > 0 ? 1 - fmin(waited_for(zone, wave) / fmax(waves * wave, unique), 1) : 1;
    }
}

/* How far apart blocks are for L2, over all waves: 0 where all share what is fetched once, 1 where those of
 * an SM fetch for themselves. After w waves a share 1 - (1 - drift)^w of a wave lies between the first block
 * of an SM and its last. Of that, L2 holds some of the wave's bytes, and what is beyond, of all that could
 * be, is what is fetched again. */
static double apart_share(const struct zones *zones)
{
    const double half = 1.5 * zones->caches->l2_holds; /* bytes of which L2 keeps half: zones_kept() */
    const double waves = zones->blocks / zones->wave_blocks, rate = -log(1 - zones->caches->drift);
    double beyond; /* waves after L2 ceased to hold enough */

    if (!(rate > 0) || zones->wave_bytes <= half)
        return 0;
    beyond = fmax(waves + log(1 - half / zones->wave_bytes) / rate, 0);
    return (beyond - (1 - exp(-rate * beyond)) / rate) / waves;
}

/* Blocks that have drifted apart are in step with those that began when they did, one on each SM: so many
 * smaller waves. */
static int fetch_drifting(struct zones *zones, struct err *err)
{
    const double blocks = zones->wave_blocks, sms = fmin(blocks, zones->caches->sms);
    const double apart = apart_share(zones);
    struct zone *zone;
    int rc;

    if (!(apart > 0) || sms == blocks)
        return 0;
    for (zone = zones->zone + 1; zone < zones->zone + zones->count; zone++)
        zone->in_step = zone->missed;
    rc = find_wave(zones, sms, err);
    fetch_zones(zones);
    for (zone = zones->zone + 1; zone < zones->zone + zones->count; zone++)
        zone->missed = zone->in_step + apart * fmax(zone->missed - zone->in_step, 0);
    return rc ? rc : find_wave(zones, blocks, err);
}

int zones_find(struct zones *out, const struct emulate_result *result, const struct launch *launch,
               const struct traffic_caches *caches, struct err *err)
{
    const double blocks = (double)launch_blocks(launch);
    int rc;

    *out = (struct zones){.result = result,
                          .launch = launch,
                          .caches = caches,
                          .blocks = blocks,
                          .wave_blocks = fmin(blocks, caches->sms * caches->resident_blocks),
                          .count = result->region_count + 1};
    out->zone = calloc(out->count, sizeof *out->zone);
    if (!out->zone)
        return err_memory(err);
    find_zones(out);
    rc = find_wave(out, out->wave_blocks, err);
    fetch_zones(out);
    if (!rc)
        rc = fetch_drifting(out, err);
    find_ready(out);
    return rc;
}

void zones_release(struct zones *zones)
{
    free(zones->zone);
    *zones = (struct zones){0};
}
