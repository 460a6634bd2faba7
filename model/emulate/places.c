#include "model/emulate/places.h"

#include "model/emulate/peek.h"

#include <math.h>
#include <stdlib.h>

enum {
    WINDOWS = 3,    /* of blocks in a row, spread over the grid: the lists that lead them are uneven */
    COST = 1 << 17, /* instructions for all looks of a window: less than a hundredth of a second of a core */
    LEAST = 16,     /* blocks of a window that tell something; */
    MOST = 128,     /* that are looked at */
    LATER = 2,      /* times as many instructions as in the middle of a window, for those that read later */
    SECTORS = 64,   /* that a block reads of a region, for that to matter */
    PAIRS = 6,      /* of sampled blocks that are compared */
    SIMILAR = 2     /* of them that begin at one place and say of how much each reads a part */
};

/* The share of what a block reads that is that of a longer one, moved, where they read alike. */
#define ALIKE 0.9
/* How many times as much as the region has all blocks read of it at least. */
#define SHARED 1.5
/* Of what a block reaches over, how far apart two begin at most that begin at one place ... */
#define NEAR 0.05
/* ... and how much less than one the other reaches over, by its last reads being others. */
#define REACH 0.75

/* How sampled blocks read a region. */
struct way {
    bool wanted; /* they begin at different places, and read alike from there on, or share what a place has */
    uint64_t near; /* bytes: what begins no farther apart begins at one place */
    double pool;   /* see struct emulate_places */
};

struct search {
    struct emulation *emulation;
    struct emulate_result *result;
    struct err *err;
    size_t regions;
    unsigned blocks; /* of the grid */
    uint64_t *reads; /* of all windows' blocks: their first reads of all regions */
    unsigned looks;  /* blocks of earlier windows */
    uint64_t *first; /* the same of one block */
    struct way *ways;
    bool *wanted;        /* what they say, by region */
    struct found *found; /* by region */
};

struct window {
    unsigned first, count; /* blocks */
};

/* What windows told of a region. */
struct found {
    unsigned windows;
    double later, fresh; /* places of all windows but the first, and those of them that none before had */
};

/* The sampled block nearest to `at` that reads at least half as much as any. */
static const struct emulate_block *nearest(const struct emulate_result *result, unsigned at)
{
    const struct emulate_block *chosen = NULL;
    uint64_t most = 0, apart = UINT64_MAX;

    for (size_t b = 0; b < result->block_count; b++)
        most = result->blocks[b].read.sectors > most ? result->blocks[b].read.sectors : most;
    for (size_t b = 0; b < result->block_count; b++) {
        const struct emulate_block *own = &result->blocks[b];
        const unsigned x = own->position[0];
        const uint64_t distance = x > at ? x - at : at - x;

        if (2 * own->read.sectors < most || distance >= apart)
            continue;
        chosen = own;
        apart = distance;
    }
    return chosen;
}

/* Where sampled blocks read of a region. */
struct seen {
    const struct footprint *last; /* of those so far */
    struct footprint_ends ends;   /* of that, in sectors */
    unsigned pairs, similar;      /* ... of them that begin at one place */
    bool differ, alike;           /* they begin at different places; they read the same but for that */
    double parts, shared;         /* sums over the similar ones: products of what both read; what both have */
    double reach;                 /* sectors: the least that a block reaches over */
};

static double shared_of(const struct footprint *a, const struct footprint *b,
                        const struct emulate_region *region)
{
    return (double)footprint_shared_in(a, b, b, region->address, region->bytes);
}

static bool begin_together(const struct footprint_ends *a, const struct footprint_ends *b)
{
    const double reach_a = (double)(a->last - a->first + 1), reach_b = (double)(b->last - b->first + 1);

    return fabs((double)a->first - (double)b->first) <= NEAR * fmin(reach_a, reach_b) &&
           fmin(reach_a, reach_b) >= REACH * fmax(reach_a, reach_b);
}

/* Of two blocks one after another. */
static int compare(struct seen *seen, const struct footprint *own, const struct footprint_ends *ends,
                   const struct emulate_region *region, struct err *err)
{
    const int64_t apart = ((int64_t)ends->first - (int64_t)seen->ends.first) * SECTOR;
    const double mine = shared_of(own, own, region), other = shared_of(seen->last, seen->last, region);
    double share = 1;
    const int rc = mine > other
                       ? footprint_alike(&share, own, seen->last, region->address, region->bytes, -apart, err)
                       : footprint_alike(&share, seen->last, own, region->address, region->bytes, apart, err);

    seen->differ |= apart != 0;
    seen->alike &= share >= ALIKE;
    seen->pairs++;
    if (begin_together(&seen->ends, ends)) {
        seen->similar++;
        seen->parts += mine * other;
        seen->shared += shared_of(own, seen->last, region);
    }
    return rc;
}

static int see(struct seen *seen, const struct footprint *own, const struct emulate_region *region,
               struct err *err)
{
    struct footprint_ends ends;
    int rc = 0;

    if (!footprint_ends_in(&ends, own, region->address, region->bytes))
        return 0;
    if (seen->last)
        rc = compare(seen, own, &ends, region, err);
    seen->last = own;
    seen->ends = ends;
    seen->reach = fmin(seen->reach, (double)(ends.last - ends.first + 1));
    return rc;
}

/* Whether the blocks of a grid read more of the region than they can without sharing some. */
static bool is_shared(const struct footprint *own, const struct emulate_region *region, double blocks)
{
    const double sectors = (double)footprint_shared_in(own, own, own, region->address, region->bytes);

    return sectors >= SECTORS && blocks * sectors * SECTOR > SHARED * (double)region->bytes;
}

/* Whether sampled blocks begin to read the region at different places, and what they read from there on: all the same, or any
 * part of what there is. */
static int find_way(struct way *out, const struct search *search, const struct emulate_region *region)
{
    const struct emulate_result *result = search->result;
    struct seen seen = {.alike = true, .reach = INFINITY};
    int rc = 0;

    *out = (struct way){0};
    if (!is_shared(&nearest(result, search->blocks / 2)->read, region, search->blocks))
        return 0;
    for (size_t b = 0; b < result->block_count && (seen.pairs < PAIRS || !seen.alike) && !rc; b++)
        rc = see(&seen, &result->blocks[b].read, region, search->err);
    out->wanted = seen.differ && seen.alike && seen.pairs > 0;
    if (out->wanted || rc || seen.similar < SIMILAR || seen.similar == seen.pairs || !(seen.shared > 0))
        return rc;
    out->wanted = true;
    out->near = (uint64_t)(NEAR * seen.reach * SECTOR);
    out->pool = seen.parts / seen.shared;
    return 0;
}

/* Whether one of some blocks, `from` to `to` of all that were looked at, begins where this one does. */
static bool is_begun(const struct search *search, size_t r, unsigned from, unsigned to, uint64_t own)
{
    const uint64_t near = search->ways[r].near;
    bool found = false;

    for (unsigned k = from; k < to && !found; k++) {
        const uint64_t other = search->reads[k * search->regions + r];

        found = other && (own > other ? own - other : other - own) <= near;
    }
    return found;
}

static void add_region(struct search *search, const struct window *window, size_t r)
{
    struct emulate_places *places = &search->result->places[r];
    struct found *found = &search->found[r];
    const unsigned from = search->looks, to = from + window->count;
    unsigned reading = 0, half = 0, all = 0, fresh = 0;

    for (unsigned b = from; b < to; b++) {
        const uint64_t own = search->reads[b * search->regions + r];
        const bool anew = own && !is_begun(search, r, from, b, own);

        reading += own != 0;
        all += anew;
        half += anew && 2 * (b - from) < window->count;
        fresh += anew && !is_begun(search, r, 0, from, own);
    }
    if (reading < LEAST)
        return;
    places->blocks += reading;
    places->half += half;
    places->all += all;
    found->later += found->windows ? all : 0;
    found->fresh += found->windows ? fresh : 0;
    found->windows++;
}

/* Blocks around a sampled one, each until it has read of all regions that matter; none where that takes long. */
static int look(struct window *window, struct search *search, const struct emulate_block *middle)
{
    const unsigned at = middle->position[0], most = search->blocks < MOST ? search->blocks : MOST;
    uint64_t instructions, spent = 0;
    int rc = peek_reach(&instructions, search->first, search->emulation, middle->position, search->wanted,
                        search->err);

    *window = (struct window){.first = at > most / 2 ? at - most / 2 : 0};
    if (window->first + most > search->blocks)
        window->first = search->blocks - most;
    while (!rc && instructions && window->count < most && spent < COST) {
        const unsigned position[3] = {window->first + window->count, 0, 0};

        rc = emulation_peek(search->reads + (search->looks + window->count++) * search->regions,
                            search->emulation, position, LATER * instructions, search->wanted, search->err);
        spent += search->emulation->peeked;
    }
    return rc;
}

/* From sums over all windows. Beyond them it goes on as in the latter half of each or, where a window begins at other places than
 * those before it, as in all of it: a run of blocks at one place may be longer than what was looked at. */
static void mean_window(struct emulate_places *places, const struct found *found, double pool)
{
    const double windows = found->windows;
    double other;

    if (!found->windows) {
        *places = (struct emulate_places){0};
        return;
    }
    places->blocks /= windows;
    places->half /= windows;
    places->all /= windows;
    other = found->later > 0 ? found->fresh / found->later : 1;
    places->further = fmax(places->all - places->half, other * places->all / 2) / (places->blocks / 2);
    places->pool = pool;
}

static int look_at_windows(struct search *search)
{
    struct window window;
    bool any = false;
    int rc = 0;

    for (size_t r = 0; r < search->regions && !rc; r++) {
        rc = find_way(&search->ways[r], search, &search->result->regions[r]);
        search->wanted[r] = search->ways[r].wanted;
        any |= search->wanted[r];
    }
    for (unsigned w = 0; w < WINDOWS && any && !rc; w++) {
        rc = look(&window, search, nearest(search->result, search->blocks / (2 * WINDOWS) * (2 * w + 1)));
        for (size_t r = 0; r < search->regions && window.count >= LEAST && !rc; r++)
            if (search->wanted[r])
                add_region(search, &window, r);
        search->looks += window.count;
    }
    for (size_t r = 0; r < search->regions && !rc; r++)
        mean_window(&search->result->places[r], &search->found[r], search->ways[r].pool);
    return rc;
}

int places_find(struct emulate_result *result, struct emulation *emulation, struct err *err)
{
    const unsigned *grid = emulation->launch->grid;
    const size_t regions = result->region_count;
    struct search search = {
        .emulation = emulation, .result = result, .err = err, .regions = regions, .blocks = grid[0]};
    int rc = 0;

    if (grid[0] < LEAST || grid[1] > 1 || grid[2] > 1 || !emulation->slice.reads_global ||
        result->end != EMULATE_DONE || !result->block_count)
        return 0;
    search.reads = calloc(WINDOWS * MOST * regions + 1, sizeof *search.reads);
    search.first = calloc(regions + 1, sizeof *search.first);
    search.wanted = calloc(regions + 1, sizeof *search.wanted);
    search.found = calloc(regions + 1, sizeof *search.found);
    search.ways = calloc(regions + 1, sizeof *search.ways);
    result->places = calloc(regions + 1, sizeof *result->places);
    if (!search.reads || !search.first || !search.wanted || !search.found || !search.ways || !result->places)
        rc = err_memory(err);
    else
        rc = look_at_windows(&search);
    free(search.reads);
    free(search.first);
    free(search.wanted);
    free(search.found);
    free(search.ways);
    return rc;
}
