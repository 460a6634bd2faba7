#include "model/emulate/places.h"

#include "model/emulate/peek.h"

#include <stdlib.h>

enum {
    WINDOWS = 3,    /* of blocks in a row, spread over the grid: the lists that lead them are uneven */
    COST = 1 << 18, /* instructions for all looks of a window: less than a tenth of a second of a core */
    LEAST = 24,     /* blocks of a window that tell something; */
    MOST = 256,     /* that are looked at */
    SECTORS = 64,   /* that a block reads of a region, for that to matter */
    PAIRS = 6       /* of sampled blocks that are compared */
};

/* The share of what a block reads that is that of another, moved, where they read alike. */
#define ALIKE 0.9
/* How many times as much as the region has all blocks read of it at least. */
#define SHARED 1.5

struct search {
    struct emulation *emulation;
    struct emulate_result *result;
    struct err *err;
    size_t regions;
    unsigned blocks; /* of the grid */
    uint64_t *reads; /* of a window's blocks: their first reads of all regions */
    uint64_t *first; /* the same of one block */
    bool *wanted;    /* regions that all sampled blocks read alike but for a distance, and share */
    unsigned *reading,
        *anew; /* by region: blocks of all windows that read of it, and that begin where none before do */
};

struct window {
    unsigned first, count; /* blocks */
    uint64_t instructions; /* of each that are looked at */
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
    uint64_t from;                /* where it begins */
    unsigned pairs;
    bool differ, alike; /* they begin at different places; they read the same but for that */
};

static int see(struct seen *seen, const struct footprint *own, const struct emulate_region *region,
               struct err *err)
{
    const uint64_t end = region->address + (region->bytes + SECTOR - 1) / SECTOR * SECTOR;
    uint64_t from;
    double share = 1;
    int rc = 0;

    if (!footprint_first(&from, own, region->address, end))
        return 0;
    if (seen->last) {
        rc = footprint_alike(&share, seen->last, own, region->address, region->bytes,
                             (int64_t)(from - seen->from), err);
        seen->differ |= from != seen->from;
        seen->alike &= share >= ALIKE;
        seen->pairs++;
    }
    seen->last = own;
    seen->from = from;
    return rc;
}

/* Whether the blocks of a grid read more of the region than they can without sharing some. */
static bool is_shared(const struct footprint *own, const struct emulate_region *region, double blocks)
{
    const double sectors = (double)footprint_shared_in(own, own, own, region->address, region->bytes);

    return sectors >= SECTORS && blocks * sectors * SECTOR > SHARED * (double)region->bytes;
}

/* Whether sampled blocks begin to read the region at different places, and read the same from there on. */
static int find_wanted(bool *out, const struct search *search, const struct emulate_region *region)
{
    const struct emulate_result *result = search->result;
    struct seen seen = {.alike = true};
    int rc = 0;

    *out = false;
    if (!is_shared(&nearest(result, search->blocks / 2)->read, region, search->blocks))
        return 0;
    for (size_t b = 0; b < result->block_count && seen.alike && seen.pairs < PAIRS && !rc; b++)
        rc = see(&seen, &result->blocks[b].read, region, search->err);
    *out = seen.differ && seen.alike;
    return rc;
}

/* Blocks around a sampled one, each until it has read of all regions that matter; none where that takes long. */
static int find_window(struct window *window, struct search *search, const struct emulate_block *middle)
{
    int rc;

    *window = (struct window){0};
    rc = peek_reach(&window->instructions, search->first, search->emulation, middle->position, search->wanted,
                    search->err);
    if (rc || !window->instructions)
        return rc;
    window->count = (unsigned)(COST / window->instructions);
    window->count = window->count < MOST ? window->count : MOST;
    window->count = window->count < search->blocks ? window->count : search->blocks;
    window->first = middle->position[0] > window->count / 2 ? middle->position[0] - window->count / 2 : 0;
    if (window->first + window->count > search->blocks)
        window->first = search->blocks - window->count;
    return 0;
}

static void add_region(struct search *search, const struct window *window, size_t r)
{
    unsigned reading = 0, anew = 0;

    for (unsigned b = 0; b < window->count; b++) {
        const uint64_t own = search->reads[b * search->regions + r];
        bool seen = false;

        for (unsigned k = 0; k < b && !seen; k++)
            seen = search->reads[k * search->regions + r] == own;
        reading += own != 0;
        anew += own && !seen;
    }
    if (reading < LEAST)
        return;
    search->reading[r] += reading;
    search->anew[r] += anew;
}

static int look(struct search *search, const struct window *window)
{
    int rc = 0;

    for (unsigned b = 0; b < window->count && !rc; b++) {
        const unsigned position[3] = {window->first + b, 0, 0};

        rc = emulation_peek(search->reads + b * search->regions, search->emulation, position,
                            window->instructions, search->err);
    }
    for (size_t r = 0; r < search->regions && !rc; r++)
        add_region(search, window, r);
    return rc;
}

static int look_at_windows(struct search *search)
{
    struct window window;
    bool any = false;
    int rc = 0;

    for (size_t r = 0; r < search->regions && !rc; r++) {
        rc = find_wanted(&search->wanted[r], search, &search->result->regions[r]);
        any |= search->wanted[r];
    }
    for (unsigned w = 0; w < WINDOWS && any && !rc; w++) {
        rc = find_window(&window, search,
                         nearest(search->result, search->blocks / (2 * WINDOWS) * (2 * w + 1)));
        if (!rc && window.count >= LEAST)
            rc = look(search, &window);
    }
    for (size_t r = 0; r < search->regions && !rc; r++)
        search->result->anew[r] =
            search->wanted[r] && search->reading[r] ? (double)search->anew[r] / search->reading[r] : 0;
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
    search.reads = calloc(MOST * regions + 1, sizeof *search.reads);
    search.first = calloc(regions + 1, sizeof *search.first);
    search.wanted = calloc(regions + 1, sizeof *search.wanted);
    search.reading = calloc(regions + 1, sizeof *search.reading);
    search.anew = calloc(regions + 1, sizeof *search.anew);
    result->anew = calloc(regions + 1, sizeof *result->anew);
    if (!search.reads || !search.first || !search.wanted || !search.reading || !search.anew || !result->anew)
        rc = err_memory(err);
    else
        rc = look_at_windows(&search);
    free(search.reads);
    free(search.first);
    free(search.wanted);
    free(search.reading);
    free(search.anew);
    return rc;
}
