#include "model/emulate/outlier.h"

#include "model/emulate/memory.h"
#include "model/emulate/sample.h"
#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOOKED_AT = 1 << 22, /* numbers of a buffer at most, ... */
    MADE = 1 << 19,      /* and where an expression makes them, which takes ten times as long as reading */
    STEPS = 64,          /* from the first to the last sampled block, so that pieces are told apart */
    CLEARLY = 2          /* as much as any sampled block has */
};

/* A buffer of which each block reads its own piece. */
struct pieces {
    struct emulation *emulation;
    struct region *region;
    uint64_t first; /* of block 0, an offset in the region */
    uint64_t bytes; /* of a block */
    unsigned width; /* of a number */
    bool differs;   /* two in a row are subtracted */
    uint64_t blocks;
    struct page *page; /* of the number read last, and which part of the region it lies in */
    uint64_t part;
};

/* Numbers are asked for one behind the other, so that the part of the page that was read last holds most. */
static int number_at(int64_t *out, struct pieces *pieces, uint64_t offset, struct err *err)
{
    const unsigned char *at;

    if (!pieces->page || offset / PART_BYTES != pieces->part) {
        const int rc = region_page(&pieces->page, pieces->region, offset, err);

        if (rc)
            return rc;
        pieces->part = offset / PART_BYTES;
    }
    at = pieces->page->bytes + offset % PAGE_BYTES;
    if (pieces->width == 8) {
        memcpy(out, at, 8);
    } else {
        int32_t number;

        memcpy(&number, at, 4);
        *out = number;
    }
    return 0;
}

/* The most that a number of the block's piece bounds. */
static int most_of(int64_t *most, struct pieces *pieces, uint64_t block, struct err *err)
{
    const uint64_t first = pieces->first + block * pieces->bytes, width = pieces->width;
    const uint64_t left = first < pieces->region->bytes ? (pieces->region->bytes - first) / width : 0;
    const uint64_t count = pieces->bytes / width + pieces->differs;
    int64_t before = 0, number;
    int rc = 0;

    *most = 0;
    for (uint64_t k = 0; k < count && k < left && !rc; k++) {
        rc = number_at(&number, pieces, first + k * width, err);
        if (!rc && (k || !pieces->differs) && number - before > *most)
            *most = number - before;
        before = pieces->differs ? number : 0;
    }
    return rc;
}

/* Loads of the region that decide the way; *width: of what they load, 0 where it is no number or not one width. */
static unsigned count_loads(unsigned *width, const struct emulate_result *result, const struct signer *signer,
                            uint32_t region)
{
    const struct emulation *emulation = signer->emulation;
    unsigned loads = 0;

    *width = 0;
    for (size_t i = 0; i < emulation->count; i++) {
        const struct sass *load = &emulation->instructions[i];

        if (result->blocks[0].touches[i].region != region || !signer->slice.wanted[i] ||
            load->accesses[0].access != SASS_READS)
            continue;
        *width = !loads || *width == load->accesses[0].bytes ? load->accesses[0].bytes : 0;
        loads++;
    }
    if (*width != 4 && *width != 8)
        *width = 0;
    return loads;
}

static bool begins_at(uint64_t *out, const struct emulate_block *block, const struct region *region)
{
    const bool begins = footprint_first(out, &block->read, region->address, region->address + region->bytes);

    *out -= begins ? region->address : 0;
    return begins;
}

static bool is_made(const struct region *region)
{
    return region->fill && region->fill->kind == FILL_EXPRESSION;
}

/* The sampled blocks with the lowest and the highest number. */
static void find_ends(const struct emulate_block **first, const struct emulate_block **last,
                      const struct emulate_result *result)
{
    *first = *last = &result->blocks[0];
    for (size_t b = 1; b < result->block_count; b++) {
        const struct emulate_block *block = &result->blocks[b];

        *first = block->position[0] < (*first)->position[0] ? block : *first;
        *last = block->position[0] > (*last)->position[0] ? block : *last;
    }
}

/* How the blocks' pieces lie: one behind the other, as what the first, the last and the middle one read says, which is known to
 * a sector. False where they do not. */
static bool find_pieces(struct pieces *out, const struct emulate_result *result)
{
    const struct emulate_block *first, *last;
    uint64_t from, to, here, steps;
    double each;

    find_ends(&first, &last, result);
    steps = last->position[0] - first->position[0];
    if (!begins_at(&from, first, out->region) || !begins_at(&to, last, out->region) ||
        !begins_at(&here, &result->blocks[0], out->region) || to <= from || steps < STEPS)
        return false;
    each = (double)(to - from) / (double)steps;
    out->bytes = (uint64_t)(each / out->width + 0.5) * out->width;
    out->first = from - first->position[0] * out->bytes;
    return out->bytes && fabs(each - (double)out->bytes) * (double)steps < 2 * SECTOR &&
           first->position[0] * out->bytes <= from &&
           llabs((int64_t)(out->first + result->blocks[0].position[0] * out->bytes - here)) <= SECTOR &&
           out->blocks * (out->bytes / out->width) <= (is_made(out->region) ? MADE : LOOKED_AT);
}

/* Takes the block with the most of all where it clearly has more than those of the result. */
static int look_at_all(unsigned *at, bool *found, struct pieces *pieces, const struct emulate_result *result,
                       struct err *err)
{
    int64_t most = 0, known = 0, own;
    int rc = 0;

    for (size_t b = 0; b < result->block_count && !rc; b++) {
        rc = most_of(&own, pieces, result->blocks[b].position[0], err);
        known = own > known ? own : known;
    }
    for (uint64_t block = 0; block < pieces->blocks && !rc; block++) {
        rc = most_of(&own, pieces, block, err);
        if (own > most && own >= CLEARLY * known) {
            most = own;
            *at = (unsigned)block;
            *found = true;
        }
    }
    return rc;
}

static int find_outlier(unsigned *at, bool *found, const struct emulate_result *result,
                        const struct signer *signer, struct err *err)
{
    struct emulation *emulation = signer->emulation;
    const unsigned *grid = emulation->launch->grid;
    int rc = 0;

    *found = false;
    if (grid[1] > 1 || grid[2] > 1)
        return 0;
    for (uint32_t r = 1; r <= result->region_count && !rc && !*found; r++) {
        const struct emulate_region *region = &result->regions[r - 1];
        struct pieces pieces = {.emulation = emulation, .blocks = grid[0]};
        const unsigned loads = count_loads(&pieces.width, result, signer, r);

        pieces.region = loads ? memory_region(&emulation->memory, region->address, 1) : NULL;
        pieces.differs = loads > 1;
        if (pieces.region && pieces.width && find_pieces(&pieces, result))
            rc = look_at_all(at, found, &pieces, result, err);
    }
    return rc;
}

int outlier_add(struct emulate_result *result, struct signer *signer, struct err *err)
{
    struct emulation *emulation = signer->emulation;
    const double blocks = (double)launch_blocks(emulation->launch);
    const size_t count = result->block_count;
    unsigned at[3] = {0};
    bool found;
    int rc = find_outlier(&at[0], &found, result, signer, err);

    if (rc || !found)
        return rc;
    emulation->budget *= EMULATE_FIRST_TIMES;
    rc = sample_add(result, emulation, at, 1, err);
    emulation->budget /= EMULATE_FIRST_TIMES;
    if (!rc && result->end == EMULATE_BUDGET)
        result->end = EMULATE_DONE;
    if (rc || result->block_count == count)
        return rc;
    for (size_t b = 0; b < count; b++)
        result->blocks[b].weight *= (blocks - 1) / blocks;
    result->blocks[count].weight = 1;
    return 0;
}
