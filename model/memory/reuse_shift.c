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

/* A row of blocks, and what of them is looked at. */
struct row {
    const struct emulate_result *result;
    const struct reuse_region *region;
    const struct emulate_block *own; /* by which the others are told */
    double apart;                    /* share of what blocks touch by which they may differ */
    bool written;
};

static uint64_t end_of(const struct reuse_region *region)
{
    return region->address + (region->bytes + SECTOR - 1) / SECTOR * SECTOR;
}

/* Whether a block touches what the other does but for so many bytes; about so, since blocks at the ends of rows and of the
 * grid do not: what leads out of the region is left out. */
static int is_moved(bool *out, const struct footprint *own, const struct footprint *other, int64_t bytes,
                    const struct row *row, struct err *err)
{
    const struct reuse_region *region = row->region;
    const uint64_t sectors = footprint_shared_in(other, other, other, region->address, region->bytes);
    struct footprint moved = {0};
    const int rc = footprint_move(&moved, own, region->address, end_of(region), bytes, err);
    const uint64_t same = footprint_shared_in(&moved, other, other, region->address, region->bytes);

    *out = (double)same >= (1 - row->apart) * (double)sectors;
    footprint_release(&moved);
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
    rc = is_moved(&forth, own, next, (int64_t)(then - first), row, err);
    if (!rc)
        rc = is_moved(&back, next, own, (int64_t)(first - then), row, err);
    if (!rc && forth && back)
        *distance = (int64_t)(then - first);
    return rc;
}

/* Whether it goes on like this: no block of the sample says otherwise, and one does that is at least `far` blocks away.
 * Where an index is taken apart into tiles it does not. */
static int goes_on(bool *out, int64_t distance, double far, const struct row *row, struct err *err)
{
    const struct emulate_result *result = row->result;
    bool seen = false, moved = true;
    int rc = 0;

    for (size_t b = 0, looked_at = 0; b < result->block_count && looked_at < LOOKED_AT && moved && !rc; b++) {
        const struct emulate_block *other = &result->blocks[b];
        const int64_t steps = (int64_t)other->position[0] - row->own->position[0];

        if (llabs(steps) < 2 || !reuse_mean_print(other, row->written)->sectors)
            continue;
        moved = (uint64_t)llabs(distance) <= row->region->bytes / (uint64_t)llabs(steps);
        if (!moved) /* the region does not reach so far, nor need the product fit */
            break;
        rc = is_moved(&moved, reuse_mean_print(row->own, row->written), reuse_mean_print(other, row->written),
                      steps * distance, row, err);
        seen = seen || fabs((double)steps) >= far;
        looked_at++;
    }
    *out = seen && moved;
    return rc;
}

static void find_places(struct reuse_shift *out, uint64_t *sectors, size_t count, uint64_t distance,
                        struct place *places)
{
    for (size_t k = 0; k < count; k++)
        places[k] = (struct place){sectors[k] % distance, sectors[k] / distance};
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

/* As reuse_shift_find(), of blocks that lie so far apart. */
static int find_gaps(struct reuse_shift *out, const struct footprint *own, int64_t distance,
                     const struct reuse_region *region, struct err *err)
{
    uint64_t *sectors = malloc(MOST * sizeof *sectors), count;
    struct place *places = malloc(MOST * sizeof *places);

    if (sectors && places) {
        count = footprint_list(sectors, MOST, own, region->address, region->bytes);
        if (count <= MOST)
            find_places(out, sectors, count, (uint64_t)llabs(distance) / SECTOR, places);
    }
    free(sectors);
    free(places);
    return sectors && places ? 0 : err_memory(err);
}

int reuse_shift_find(struct reuse_shift *out, const struct sharing *sharing,
                     const struct emulate_result *result, const struct reuse_region *region, bool written,
                     const unsigned grid[3], const struct assumptions *assumed, struct err *err)
{
    const int beside = emulate_sample_beside(result, sharing->anchor, EMULATE_X1);
    const struct row row = {.result = result,
                            .region = region,
                            .own = &result->blocks[sharing->anchor],
                            .apart = assumed->apart_share,
                            .written = written};
    const struct footprint *own = reuse_mean_print(row.own, written);
    struct reuse_shift shift = {0};
    int64_t distance;
    double far = 0;
    bool on;
    int rc;

    if (beside < 0 || grid[1] > 1 || grid[2] > 1)
        return 0;
    rc = find_distance(&distance, own, reuse_mean_print(&result->blocks[beside], written), &row, err);
    if (!rc && distance) {
        rc = find_gaps(&shift, own, distance, region, err);
        far = nearest(&shift, grid[0], row.apart);
    }
    if (rc || !(far > 0))
        return rc;
    rc = goes_on(&on, distance, far, &row, err);
    if (!rc && on) {
        *out = shift;
        scale(out, sharing->own);
    }
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
