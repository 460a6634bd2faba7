#include "model/reuse.h"

#include <math.h>
#include <stdlib.h>

enum { LINE = 128 };

/* What the instructions of one innermost loop ask of one region. Per warp. */
struct phase {
    double asked, fresh, own; /* sectors: see struct traffic_count */
    double lines_most, lines; /* of one pass: of one instruction at most, and of all */
    double far;               /* sectors that an earlier loop touched last */
};

/* Of a block's sectors in a zone: those that all blocks of its row (x) share, all of its column (y), all of
 * both, those that only the next block in x shares (a halo), and those that the next block in z shares. */
struct sharing {
    double own, x, y, both, halo, z;
};

/* A region of global memory. */
struct zone {
    uint64_t address, bytes;
    struct sharing read, written;
    double asked, fresh, stored; /* sectors per warp; `fresh` and `stored` are what a block reads and stores
                                    of it, each once, over its warps */
    double unique, wave;         /* bytes that the grid and that a wave touches, each sector once */
    double pairs;                /* DRAM brings 64 bytes: how many times what is asked for that is, 1 to 2 */
    double lone;                 /* share of its sectors whose line holds no other pair that is asked for */
    double missed;               /* bytes that waves fetch from DRAM, with what comes along */
    double ready;                /* share of what a wave touches that L2 has before */
};

struct reuse {
    struct traffic *out;
    const struct sass_code *code;
    const struct emulate_result *result;
    const struct launch *launch;
    const struct traffic_caches *caches;
    double blocks, warps_per_block;
    double wave_blocks; /* blocks that run together */
    double wave_bytes;  /* that they touch, read and written */
    struct zone *zones; /* one per region; the first stands for none */
    size_t zone_count;
    unsigned *loops; /* of each instruction: its innermost loop, 0 outside */
    size_t loop_count;
    struct phase *phases; /* by loop, then by zone */
};

/* The share of `bytes`, touched again and again in the same order, that L2 still holds. Not being strictly
 * least-recently-used it keeps some of what does not fit: none at twice its size. */
static double kept(double bytes, double cache)
{
    return bytes > cache ? fmax(2 - bytes / cache, 0) : 1;
}

/* The same of L1, which replaces at random: what is touched again is still there unless one of the misses in
 * between, a share 1 - h of all, took its place. Below its size all is. */
static double kept_l1(double bytes, double cache)
{
    const double times = bytes / fmax(cache, 1);
    double h = 0;
    int k;

    if (times <= 1)
        return 1;
    for (k = 0; k < 40; k++)
        h = exp(-(1 - h) * times);
    return h;
}

static struct zone *zone_of(const struct reuse *reuse, size_t i)
{
    return &reuse->zones[reuse->out->counts[i].region];
}

static struct phase *phase_of(const struct reuse *reuse, size_t i)
{
    return &reuse->phases[reuse->loops[i] * reuse->zone_count + reuse->out->counts[i].region];
}

static bool reads(const struct sass *i)
{
    return traffic_is_global(i) && i->accesses[0].access & SASS_READS &&
           !(i->accesses[0].access & SASS_ATOMICALLY);
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
static void find_pairs(struct zone *zone, const struct reuse *reuse)
{
    const struct emulate_result *result = reuse->result;
    const struct footprint *own = &result->blocks[0].read;
    const bool rows = reuse->wave_blocks > reuse->launch->grid[0]; /* the wave is more than a row of blocks */
    const struct footprint *const near[] = {slot_print(result, EMULATE_X1, false),
                                            slot_print(result, EMULATE_X2, false),
                                            rows ? slot_print(result, EMULATE_Y1, false) : NULL};
    struct footprint_pairs alone, pairs;

    footprint_pairs_in(&alone, own, NULL, 0, zone->address, zone->bytes);
    footprint_pairs_in(&pairs, own, near, 3, zone->address, zone->bytes);
    zone->pairs = pairs.sectors ? 2 * (double)pairs.pairs / (double)pairs.sectors : 1;
    zone->lone = pairs.pairs ? (double)(alone.lone + pairs.lone) / 2 / (double)pairs.pairs : 0;
}

/* Bytes that a layer of blocks in z touches, read and written. */
static double layer_bytes(const struct reuse *reuse)
{
    const double blocks = (double)reuse->launch->grid[0] * reuse->launch->grid[1];
    double bytes = 0;
    size_t z;

    for (z = 1; z < reuse->zone_count; z++)
        bytes += bytes_of(&reuse->zones[z].read, reuse->launch, blocks, 0, &reuse->zones[z]) +
                 bytes_of(&reuse->zones[z].written, reuse->launch, blocks, 0, &reuse->zones[z]);
    return bytes;
}

/* What a wave touches that no layer before has left in L2; `held` as above. */
static double wave_of(const struct zone *zone, const struct reuse *reuse, double held)
{
    const unsigned *grid = reuse->launch->grid;
    const double layer = (double)grid[0] * grid[1], blocks = fmin(reuse->wave_blocks, layer);
    const double bytes = bytes_of(&zone->read, reuse->launch, reuse->wave_blocks, held, zone);

    return fmax(bytes - held * zone->read.z * blocks * FOOTPRINT_SECTOR, 0);
}

static void find_zones(struct reuse *reuse)
{
    const double waves = reuse->blocks / reuse->wave_blocks;
    struct traffic *out = reuse->out;
    struct zone *zone;
    double held;

    for (zone = reuse->zones + 1; zone < reuse->zones + reuse->zone_count; zone++) {
        const struct emulate_region *region = &reuse->result->regions[zone - reuse->zones - 1];

        zone->address = region->address;
        zone->bytes = region->bytes;
        zone->read = sharing_of(reuse->result, zone, false);
        zone->written = sharing_of(reuse->result, zone, true);
        find_pairs(zone, reuse);
    }
    held = kept(layer_bytes(reuse), reuse->caches->l2_holds);
    for (zone = reuse->zones + 1; zone < reuse->zones + reuse->zone_count; zone++) {
        zone->unique = bytes_of(&zone->read, reuse->launch, reuse->blocks, 1, zone);
        zone->wave = wave_of(zone, reuse, held);
        out->unique_read += zone->unique;
        out->unique_written += bytes_of(&zone->written, reuse->launch, reuse->blocks, 1, zone);
        out->wave_read += zone->wave;
    }
    reuse->wave_bytes = out->wave_read + out->unique_written / waves;
    out->flight = reuse->caches->l1_bytes / LINE;
}

/* Loops
 * ---------------------------------------------------------------------------------------------------------
 */

/* Numbers the loops of a path from *count on, those within after those around them. */
static void number_loops(unsigned *loops, size_t *count, const struct emulate_step *steps, size_t n,
                         unsigned own)
{
    size_t s = 0;
    uint32_t i;

    while (s < n) {
        const struct emulate_step *step = &steps[s];

        if (step->body)
            number_loops(loops, count, step + 1, step->body, (unsigned)++*count);
        else
            for (i = step->first; i < step->first + step->count; i++)
                loops[i] = own > loops[i] ? own : loops[i];
        s += step->body + 1;
    }
}

static void take_phases(struct reuse *reuse)
{
    size_t i;

    for (i = 0; i < reuse->code->count; i++) {
        const struct traffic_count *count = &reuse->out->counts[i];
        struct phase *phase = phase_of(reuse, i);
        struct zone *zone = zone_of(reuse, i);

        if (!(count->issued > 0))
            continue;
        if (!reads(&reuse->code->instructions[i])) {
            zone->stored += count->fresh;
            continue;
        }
        phase->asked += count->sectors;
        phase->fresh += count->fresh;
        phase->own += count->own;
        phase->lines += count->lines / count->issued;
        phase->lines_most = fmax(phase->lines_most, count->lines / count->issued);
        zone->asked += count->sectors;
        zone->fresh += count->fresh;
    }
}

/* A loop that asks for more than is new to the block asks either for what it had itself or, up to all that
 * the block has of the zone, for what others had. */
static void find_far(struct reuse *reuse)
{
    size_t l, z;

    for (l = 0; l < reuse->loop_count; l++)
        for (z = 0; z < reuse->zone_count; z++) {
            struct phase *phase = &reuse->phases[l * reuse->zone_count + z];

            phase->far = fmax(fmin(phase->asked, reuse->zones[z].fresh) - phase->fresh, 0);
        }
}

/* Different lines that a warp touches in one pass of a loop: those of single instructions, unless they ask
 * for the same ones. */
static double lines_of_pass(const struct phase *phase)
{
    const double own = phase->asked > 0 ? phase->own / phase->asked : 0;

    return fmax(phase->lines_most, phase->lines * own);
}

/* Bytes that `warps` warps touch in one pass of a loop, `unit` of each line; what the warps of a block share
 * counts once. */
static double bytes_of_pass(const struct reuse *reuse, size_t loop, double warps, double unit)
{
    double bytes = 0;
    size_t z;

    for (z = 1; z < reuse->zone_count; z++) {
        const struct phase *phase = &reuse->phases[loop * reuse->zone_count + z];
        const double apart = phase->own > 0 ? fmin(phase->fresh / phase->own, 1) : 1;

        bytes += fmin(lines_of_pass(phase) * apart * warps * unit, (double)reuse->zones[z].bytes);
    }
    return bytes;
}

/* Caches
 * ---------------------------------------------------------------------------------------------------------
 */

/* What a later wave finds in L2 of what the zone's earlier ones touched. Of what is gone through in order,
 * what fits beside the waves until it is touched again; of single sectors anywhere, the part of the zone that
 * L2's share for it holds at any time. */
static double found_again(const struct reuse *reuse, const struct zone *zone)
{
    const double holds = reuse->caches->l2_holds;
    const double all = reuse->out->unique_read + reuse->out->unique_written;
    const double between = reuse->wave_bytes * zone->unique / zone->wave;
    const double random = holds * zone->wave / reuse->wave_bytes / zone->unique;

    return zone->lone * fmin(random, 1) + (1 - zone->lone) * kept(fmin(between, all), holds);
}

static void fetch_zones(struct reuse *reuse)
{
    const struct traffic_caches *caches = reuse->caches;
    const double waves = reuse->blocks / reuse->wave_blocks;
    const double all = reuse->out->unique_read + reuse->out->unique_written;
    const double first = caches->warm ? kept(all, caches->l2_holds) : 0;
    size_t z;

    for (z = 1; z < reuse->zone_count; z++) {
        struct zone *zone = &reuse->zones[z];
        const double unique = fmin(zone->unique * zone->pairs, (double)zone->bytes);
        const double wave = fmin(zone->wave * zone->pairs, (double)zone->bytes);
        const double again = zone->wave > 0 ? found_again(reuse, zone) : 1;

        zone->missed = unique * (1 - first) + fmax(waves * wave - unique, 0) * (1 - again);
        zone->ready = wave > 0 ? 1 - fmin(zone->missed / fmax(waves * wave, unique), 1) : 1;
    }
}

/* Of what a load asks for, the sectors that ... */
struct parts {
    double fresh;  /* are new to the block */
    double shared; /* another warp of the block asks for at about the same time */
    double same;   /* another instruction of the warp's pass asks for */
    double last;   /* the warp's last pass has had */
    double far;    /* an earlier loop has had */
};

static struct parts parts_of(const struct reuse *reuse, size_t i)
{
    const struct traffic_count *count = &reuse->out->counts[i];
    const struct phase *phase = phase_of(reuse, i);
    const double again = fmax(count->sectors - count->own, 0), phase_again = phase->asked - phase->own;
    const double same = phase->lines > 0 ? phase->asked * (1 - lines_of_pass(phase) / phase->lines) : 0;
    const double share = phase_again > 0 ? again / phase_again : 0;
    struct parts parts = {.fresh = fmin(count->fresh, count->sectors)};

    parts.shared = fmax(fmin(count->own, count->sectors) - parts.fresh, 0);
    parts.far = fmin(phase->far * share, again);
    parts.same = fmin(same * share, again - parts.far);
    parts.last = again - parts.far - parts.same;
    return parts;
}

/* What L1 and L2 still have of what the warp's last pass and an earlier loop have had. */
struct found {
    double last_l1, far_l1, last_l2, far_l2;
};

static struct found found_by(const struct reuse *reuse, size_t i)
{
    const struct traffic_caches *caches = reuse->caches;
    const bool cached = traffic_is_cached(&reuse->code->instructions[i]);
    const double warps = caches->resident_blocks * reuse->warps_per_block;
    const double sms = reuse->wave_blocks / caches->resident_blocks;
    double block = 0, stored = 0; /* bytes that the SM's blocks touch altogether; stores go into L1, too */
    size_t z;

    for (z = 1; z < reuse->zone_count; z++) {
        block += reuse->zones[z].fresh * FOOTPRINT_SECTOR * warps;
        stored += reuse->zones[z].stored * FOOTPRINT_SECTOR * warps;
    }
    return (struct found){
        .last_l1 = cached ? kept_l1(bytes_of_pass(reuse, reuse->loops[i], warps, LINE), caches->l1_bytes) : 0,
        .far_l1 = cached ? kept_l1(block + stored, caches->l1_bytes) : 0,
        .last_l2 =
            kept(bytes_of_pass(reuse, reuse->loops[i], warps * sms, 2 * FOOTPRINT_SECTOR), caches->l2_holds),
        .far_l2 = kept(fmin(block * sms, reuse->wave_bytes), caches->l2_holds),
    };
}

/* Tells a load where it finds its data. A hit on a sector that another warp of the block has just missed
 * waits as long as that miss; what the warp itself has had is ready. */
static void answer(struct reuse *reuse, size_t i)
{
    struct traffic_count *count = &reuse->out->counts[i];
    const struct zone *zone = zone_of(reuse, i);
    const struct parts parts = parts_of(reuse, i);
    const struct found found = found_by(reuse, i);
    const double cached = traffic_is_cached(&reuse->code->instructions[i]) ? 1 : 0;
    const double asked = count->sectors;
    const double ready = cached * parts.same + parts.last * found.last_l1 + parts.far * found.far_l1;
    const double last = parts.last * (1 - found.last_l1), far = parts.far * (1 - found.far_l1);
    const double again = (1 - cached) * parts.same + last * found.last_l2 + far * found.far_l2;
    const double refetched = last * (1 - found.last_l2) + far * (1 - found.far_l2);
    const double lone = count->sectors < 2 * count->lines ? 1 : 0;

    if (!(asked > 0))
        return;
    count->l1_hit = (cached * parts.shared + ready) / asked;
    count->l1_ready = ready / asked;
    count->l2_ready =
        asked > ready ? ((parts.fresh + parts.shared) * zone->ready + again) / (asked - ready) : 1;
    count->dram_read = refetched * FOOTPRINT_SECTOR * (1 + lone);
    count->dram_scattered = lone * count->dram_read;
    if (zone->fresh > 0) {
        const double own = zone->missed / reuse->out->warps * count->fresh / zone->fresh;

        count->dram_read += own;
        count->dram_scattered += own * zone->lone;
    }
}

static void sum_up(struct reuse *reuse)
{
    struct traffic *out = reuse->out;
    const struct traffic_caches *caches = reuse->caches;
    const double all = out->unique_read + out->unique_written,
                 part = fmin(caches->l2_bytes / fmax(all, 1), 1);
    double l1_hits = 0, l1_ready = 0, late = 0, l2_ready = 0;
    size_t i;

    for (i = 0; i < reuse->code->count; i++) {
        const struct traffic_count *count = &out->counts[i];

        if (!reads(&reuse->code->instructions[i]))
            continue;
        l1_hits += count->sectors * count->l1_hit;
        l1_ready += count->sectors * count->l1_ready;
        late += count->sectors * (1 - count->l1_ready);
        l2_ready += count->sectors * (1 - count->l1_ready) * count->l2_ready;
        out->dram_read += count->dram_read;
        out->dram_scattered += count->dram_scattered;
    }
    out->l1_hit = out->l1_read > 0 ? l1_hits / out->l1_read : 0;
    out->l1_ready = out->l1_read > 0 ? l1_ready / out->l1_read : 0;
    out->least_l2_read = fmax(out->l2_read, out->unique_read / FOOTPRINT_SECTOR / out->warps);
    out->least_l2_written = out->unique_written / FOOTPRINT_SECTOR / out->warps;
    out->l2_read += out->l1_read - l1_hits;
    out->l2_ready = late > 0 ? l2_ready / late : 1;
    out->l2_hit = out->l2_read > 0 ? 1 - fmin(out->dram_read / (out->l2_read * FOOTPRINT_SECTOR), 1) : 1;
    out->dram_written = out->unique_written * (1 - kept(all, caches->l2_holds)) / out->warps;
    out->least_dram_read = out->unique_read * (caches->warm ? 1 - part : 1) / out->warps;
    out->least_dram_written = out->unique_written * (1 - part) / out->warps;
}

static int make_room(struct reuse *reuse, struct err *err)
{
    const struct emulate_result *result = reuse->result;

    reuse->zone_count = result->region_count + 1;
    reuse->zones = calloc(reuse->zone_count, sizeof *reuse->zones);
    reuse->loops = calloc(reuse->code->count + 1, sizeof *reuse->loops);
    if (!reuse->zones || !reuse->loops)
        return err_memory(err);
    if (result->path_count)
        number_loops(reuse->loops, &reuse->loop_count, result->paths[0].steps, result->paths[0].count, 0);
    reuse->loop_count++;
    reuse->phases = calloc(reuse->loop_count * reuse->zone_count, sizeof *reuse->phases);
    return reuse->phases ? 0 : err_memory(err);
}

int reuse_of(struct traffic *out, const struct sass_code *code, const struct emulate_result *result,
             const struct launch *launch, const struct traffic_caches *caches, struct err *err)
{
    struct reuse reuse = {.out = out,
                          .code = code,
                          .result = result,
                          .launch = launch,
                          .caches = caches,
                          .blocks = (double)launch_blocks(launch),
                          .warps_per_block = result->blocks[0].warps};
    const int rc = make_room(&reuse, err);
    size_t i;

    if (!rc) {
        reuse.wave_blocks = fmin(reuse.blocks, caches->sms * caches->resident_blocks);
        find_zones(&reuse);
        take_phases(&reuse);
        find_far(&reuse);
        fetch_zones(&reuse);
        for (i = 0; i < code->count; i++)
            if (reads(&code->instructions[i]))
                answer(&reuse, i);
        sum_up(&reuse);
    }
    free(reuse.zones);
    free(reuse.loops);
    free(reuse.phases);
    return rc;
}
