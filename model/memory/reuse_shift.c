#include "model/memory/reuse_shift.h"

#include "model/machine/assumptions.h"
#include "model/memory/reuse_mean.h"
#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdlib.h>

enum {
    MOST = 1 << 14, /* sectors of a block that are looked at: more are whole rows by themselves */
    LOOKED_AT = 8   /* blocks that are far */
};

#define NEARLY_ALL 0.95 /* of the blocks: a digit that begins behind them comes of a border */

/* A sector, told by how many blocks it lies behind the first that could touch it. */
struct place {
    uint64_t within, blocks;
};

static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return x->within != y->within ? (x->within > y->within) - (x->within < y->within)
                                  : (x->blocks > y->blocks) - (x->blocks < y->blocks);
}

static int by_blocks(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Notes a run of equal gaps; those that are close to each other, or too many, are put together at their mean. */
static void add_gap(struct reuse_shift *out, double blocks, double sectors)
{
    unsigned at = out->gaps;

    if (at && (at == REUSE_GAPS || blocks <= out->gap[at - 1].blocks + 1)) {
        const double before = out->gap[--at].sectors;

        blocks = (before * out->gap[at].blocks + sectors * blocks) / (before + sectors);
        sectors += before;
    }
    out->gap[at].sectors = sectors;
    out->gap[at].blocks = blocks;
    out->gaps = at + 1;
}

/* From sorted places: of those that the same distances lead through, each but the first was touched as many blocks
 * before as lie between. gaps[] holds as many. */
static void add_places(struct reuse_shift *out, const struct place *places, size_t count, uint64_t *gaps)
{
    size_t n = 0;

    out->fresh = 1;
    for (size_t k = 1; k < count; k++)
        if (places[k].within != places[k - 1].within)
            out->fresh++;
        else
            gaps[n++] = places[k].blocks - places[k - 1].blocks;
    qsort(gaps, n, sizeof *gaps, by_blocks);
    for (size_t k = 0, end; k < n; k = end) {
        for (end = k; end < n && gaps[end] == gaps[k];)
            end++;
        add_gap(out, (double)gaps[k], (double)(end - k));
    }
}

/* How what blocks touch moves with their number, written in digits of mixed radix: digit d counts units of so many blocks, and
 * a step of it moves so many bytes. */
struct digits {
    unsigned count;
    struct {
        uint64_t unit, steps;
        int64_t move;
    } digit[EMULATE_DIGITS];
};

/* A row of blocks, and what of them is looked at. */
struct row {
    const struct emulate_result *result;
    const struct reuse_region *region;
    const struct emulate_block *own; /* by which the others are told */
    struct digits digits;
    const struct assumptions *assumed;
    unsigned blocks; /* of the row */
    bool written;
};

static uint64_t end_of(const struct reuse_region *region)
{
    return region->address + (region->bytes + SECTOR - 1) / SECTOR * SECTOR;
}

/* Whether a block touches what the other does but for so many bytes, up to a share `apart` of it, since blocks at the ends of
 * rows do not: what leads out of the region is left out. */
static int is_moved(bool *out, const struct footprint *own, const struct footprint *other, int64_t bytes,
                    const struct row *row, double apart, struct err *err)
{
    double share;
    const int rc = footprint_alike(&share, own, other, row->region->address, row->region->bytes, bytes, err);

    *out = share >= 1 - apart;
    return rc;
}

/* The distance in bytes from what a block touches to what the next does; 0 where they are not alike. */
static int find_distance(int64_t *distance, const struct footprint *own, const struct footprint *next,
                         const struct row *row, struct err *err)
{
    const struct reuse_region *region = row->region;
    uint64_t first, then;
    bool forth, back;
    int rc;

    *distance = 0;
    if (!footprint_first(&first, own, region->address, end_of(region)) ||
        !footprint_first(&then, next, region->address, end_of(region)))
        return 0;
    rc = is_moved(&forth, own, next, (int64_t)(then - first), row, row->assumed->lattice_apart, err);
    if (!rc)
        rc = is_moved(&back, next, own, (int64_t)(first - then), row, row->assumed->lattice_apart, err);
    if (!rc && forth && back)
        *distance = (int64_t)(then - first);
    return rc;
}

/* Whether the block is the first or the last: where a lattice is periodic these come round along all of its axes. */
static bool is_end(const struct row *row, const struct emulate_block *block)
{
    return block->position[0] == 0 || block->position[0] + 1 == row->blocks;
}

/* From where one block touches to where another does. */
static int64_t distance_to(const struct digits *digits, uint64_t from, uint64_t to)
{
    int64_t bytes = 0;

    for (unsigned d = 0; d < digits->count; d++) {
        const uint64_t unit = digits->digit[d].unit, steps = digits->digit[d].steps;

        bytes += ((int64_t)(to / unit % steps) - (int64_t)(from / unit % steps)) * digits->digit[d].move;
    }
    return bytes;
}

/* Whether it goes on like this: no block of the sample says otherwise, and one does that is at least `far` blocks away.
 * Where an index is taken apart into tiles it does not. */
static int goes_on(bool *out, double far, const struct row *row, struct err *err)
{
    const struct emulate_result *result = row->result;
    bool seen = false, moved = true;
    int rc = 0;

    for (size_t b = 0, looked_at = 0; b < result->block_count && looked_at < LOOKED_AT && moved && !rc; b++) {
        const struct emulate_block *other = &result->blocks[b];
        const double steps = fabs((double)other->position[0] - row->own->position[0]);
        const int64_t bytes = distance_to(&row->digits, row->own->position[0], other->position[0]);

        if (steps < 2 || !reuse_mean_print(other, row->written)->sectors)
            continue;
        moved = (uint64_t)llabs(bytes) <= row->region->bytes;
        if (!moved)
            break;
        rc = is_moved(&moved, reuse_mean_print(row->own, row->written), reuse_mean_print(other, row->written),
                      bytes, row, is_end(row, other) ? row->assumed->ends_apart : row->assumed->lattice_apart,
                      err);
        seen = seen || steps >= far;
        looked_at++;
    }
    *out = seen && moved;
    return rc;
}

/* Takes a sector of the region apart: what digits it lies at, the largest move first, and what is left. */
static struct place place_of(uint64_t sector, const struct digits *digits)
{
    struct place out = {.within = sector};

    for (uint64_t left = sector, d = digits->count; d-- > 0;) {
        const uint64_t move = (uint64_t)llabs(digits->digit[d].move) / SECTOR;
        const uint64_t steps = left / move % digits->digit[d].steps;

        out.blocks += steps * digits->digit[d].unit;
        out.within -= steps * move;
        left %= move;
    }
    return out;
}

static void find_places(struct reuse_shift *out, uint64_t *sectors, size_t count, const struct row *row,
                        struct place *places)
{
    for (size_t k = 0; k < count; k++)
        places[k] = place_of(sectors[k] - row->region->address / SECTOR, &row->digits);
    qsort(places, count, sizeof *places, by_place);
    add_places(out, places, count, sectors);
}

/* The least number of blocks, more than one, after which a block of a row comes back to something that is worth it; 0 where
 * none does. */
static double nearest(const struct reuse_shift *shift, double blocks, double apart)
{
    double all = shift->fresh;

    for (unsigned k = 0; k < shift->gaps; k++)
        all += shift->gap[k].sectors;
    for (unsigned k = 0; k < shift->gaps; k++)
        if (shift->gap[k].blocks > 1 && shift->gap[k].blocks < blocks && shift->gap[k].sectors > apart * all)
            return shift->gap[k].blocks;
    return 0;
}

/* So that all together are so many sectors. */
static void scale(struct reuse_shift *shift, double sectors)
{
    double all = shift->fresh;

    for (unsigned k = 0; k < shift->gaps; k++)
        all += shift->gap[k].sectors;
    shift->fresh *= sectors / all;
    for (unsigned k = 0; k < shift->gaps; k++)
        shift->gap[k].sectors *= sectors / all;
}

/* As reuse_shift_find(), of a row whose digits are known. */
static int find_gaps(struct reuse_shift *out, const struct row *row, struct err *err)
{
    const struct footprint *own = reuse_mean_print(row->own, row->written);
    uint64_t *sectors = malloc(MOST * sizeof *sectors), count;
    struct place *places = malloc(MOST * sizeof *places);

    if (sectors && places) {
        count = footprint_list(sectors, MOST, own, row->region->address, row->region->bytes);
        if (count <= MOST)
            find_places(out, sectors, count, row, places);
    }
    free(sectors);
    free(places);
    return sectors && places ? 0 : err_memory(err);
}

/* The digits that the order of the grid has in the region, by rising moves; none where blocks move back, or not at all. */
static struct digits digits_of_order(const struct row *row, size_t region)
{
    const struct emulate_order *order = &row->result->order;
    struct digits out = {0};
    unsigned digits = order->digits;

    if (digits > 1 && (double)order->unit[digits - 1] > NEARLY_ALL * row->blocks)
        digits--;
    for (unsigned d = 0; d < digits; d++) {
        const uint64_t end = d + 1 < digits ? order->unit[d + 1] : row->blocks;
        const int64_t move = order->moves[d * row->result->region_count + region];
        unsigned at = out.count;

        if (move < SECTOR || move % SECTOR)
            return (struct digits){0};
        for (; at && out.digit[at - 1].move > move; at--)
            out.digit[at] = out.digit[at - 1];
        out.digit[at].unit = order->unit[d];
        out.digit[at].steps = (end + order->unit[d] - 1) / order->unit[d];
        out.digit[at].move = move;
        out.count++;
    }
    return out;
}

/* One digit: by as much as what two neighbours touch is apart. */
static int digits_beside(struct digits *out, const struct row *row, const struct emulate_block *beside,
                         struct err *err)
{
    int64_t distance;
    const int rc = find_distance(&distance, reuse_mean_print(row->own, row->written),
                                 reuse_mean_print(beside, row->written), row, err);

    *out = (struct digits){.count = !rc && llabs(distance) >= SECTOR, .digit = {{1, row->blocks, distance}}};
    return rc;
}

/* What blocks share whose digits are known, where they go on so and come back to anything; else it stays as it is. */
static int find_shared(struct reuse_shift *out, const struct row *row, struct err *err)
{
    struct reuse_shift shift = {0};
    bool on = false;
    double far;
    int rc = row->digits.count ? find_gaps(&shift, row, err) : 0;

    far = nearest(&shift, row->blocks, row->assumed->apart_share);
    if (!rc && far > 0)
        rc = goes_on(&on, far, row, err);
    if (on)
        *out = shift;
    return rc;
}

int reuse_shift_find(struct reuse_shift *out, const struct sharing *sharing,
                     const struct emulate_result *result, const struct reuse_region *region, size_t number,
                     bool written, const unsigned grid[3], const struct assumptions *assumed, struct err *err)
{
    const int beside = emulate_sample_beside(result, sharing->anchor, EMULATE_X1);
    struct row row = {.result = result,
                      .region = region,
                      .own = &result->blocks[sharing->anchor],
                      .assumed = assumed,
                      .blocks = grid[0],
                      .written = written};
    int rc;

    if (beside < 0 || grid[1] > 1 || grid[2] > 1)
        return 0;
    rc = digits_beside(&row.digits, &row, &result->blocks[beside], err);
    if (!rc)
        rc = find_shared(out, &row, err);
    if (!rc && !out->gaps && !written) {
        row.digits = digits_of_order(&row, number);
        rc = find_shared(out, &row, err);
    }
    if (out->gaps)
        scale(out, sharing->own);
    return rc;
}

double reuse_shift_together(const struct reuse_shift *shift, double blocks)
{
    double sectors = shift->fresh * blocks;

    for (unsigned k = 0; k < shift->gaps; k++)
        sectors += shift->gap[k].sectors * fmin(shift->gap[k].blocks, blocks);
    return sectors;
}

double reuse_shift_kept(const struct reuse_shift *shift, double blocks, double wave, double holds)
{
    double again = 0, kept = 0;

    for (unsigned k = 0; k < shift->gaps; k++) {
        const double waves = shift->gap[k].blocks / blocks;
        const double sectors = shift->gap[k].sectors * fmin(waves, 1);

        again += sectors;
        kept += sectors * reuse_regions_kept(wave * fmax(waves, 1), holds);
    }
    return again > 0 ? kept / again : 1;
}
