#include "model/footprint.h"

#include <stdlib.h>
#include <string.h>

void footprint_release(struct footprint *footprint)
{
    free(footprint->chunks);
    free(footprint->places);
    *footprint = (struct footprint){0};
}

/* The place of a chunk, or the free one where it would be. */
static size_t find_place(const struct footprint *footprint, uint64_t number)
{
    const size_t mask = footprint->place_count - 1;
    size_t place = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;

    while (footprint->places[place] && footprint->chunks[footprint->places[place] - 1].number != number)
        place = (place + 1) & mask;
    return place;
}

static const struct footprint_chunk *find_chunk(const struct footprint *footprint, uint64_t number)
{
    uint32_t index;

    if (!footprint->place_count)
        return NULL;
    index = footprint->places[find_place(footprint, number)];
    return index ? &footprint->chunks[index - 1] : NULL;
}

/* Room for one more chunk: places are kept at most half full. */
static int grow(struct footprint *footprint, struct err *err)
{
    if (footprint->count == footprint->capacity) {
        const size_t capacity = footprint->capacity ? 2 * footprint->capacity : 8;
        struct footprint_chunk *chunks = realloc(footprint->chunks, capacity * sizeof *chunks);

        if (!chunks)
            return err_memory(err);
        footprint->chunks = chunks;
        footprint->capacity = capacity;
    }
    if (2 * footprint->count >= footprint->place_count) {
        const size_t count = footprint->place_count ? 2 * footprint->place_count : 32;
        uint32_t *places = calloc(count, sizeof *places);

        if (!places)
            return err_memory(err);
        free(footprint->places);
        footprint->places = places;
        footprint->place_count = count;
        for (size_t k = 0; k < footprint->count; k++)
            places[find_place(footprint, footprint->chunks[k].number)] = (uint32_t)(k + 1);
    }
    return 0;
}

static int add_chunk(struct footprint *footprint, uint64_t number, struct err *err)
{
    const int rc = grow(footprint, err);

    if (rc)
        return rc;
    footprint->chunks[footprint->count] = (struct footprint_chunk){.number = number};
    footprint->places[find_place(footprint, number)] = (uint32_t)++footprint->count;
    footprint->last = footprint->count - 1;
    return 0;
}

/* The chunk of that number, made if need be. */
static int take_chunk(struct footprint_chunk **out, struct footprint *footprint, uint64_t number,
                      struct err *err)
{
    if (!footprint->count || footprint->chunks[footprint->last].number != number) {
        const struct footprint_chunk *chunk = find_chunk(footprint, number);

        if (chunk)
            footprint->last = (size_t)(chunk - footprint->chunks);
        else if (add_chunk(footprint, number, err))
            return ERR_MEMORY;
    }
    *out = &footprint->chunks[footprint->last];
    return 0;
}

/* Sectors first to last of a chunk. */
static void set_bits(struct footprint_chunk *chunk, unsigned first, unsigned last)
{
    const uint64_t from = ~UINT64_C(0) << first % 64, to = ~UINT64_C(0) >> (63 - last % 64);

    if (first / 64 == last / 64) {
        chunk->bits[first / 64] |= from & to;
        return;
    }
    chunk->bits[first / 64] |= from;
    for (unsigned word = first / 64 + 1; word < last / 64; word++)
        chunk->bits[word] = ~UINT64_C(0);
    chunk->bits[last / 64] |= to;
}

int footprint_mark(struct footprint *footprint, uint64_t address, uint64_t bytes, struct err *err)
{
    const uint64_t last = (address + bytes - 1) / FOOTPRINT_SECTOR;

    for (uint64_t sector = address / FOOTPRINT_SECTOR; sector <= last;) {
        const uint64_t number = sector / FOOTPRINT_CHUNK_SECTORS;
        const uint64_t chunk_last = (number + 1) * FOOTPRINT_CHUNK_SECTORS - 1;
        const uint64_t end = last < chunk_last ? last : chunk_last;
        struct footprint_chunk *chunk;
        const int rc = take_chunk(&chunk, footprint, number, err);

        if (rc)
            return rc;
        set_bits(chunk, (unsigned)(sector % FOOTPRINT_CHUNK_SECTORS),
                 (unsigned)(end % FOOTPRINT_CHUNK_SECTORS));
        sector = end + 1;
    }
    return 0;
}

bool footprint_has(const struct footprint *footprint, uint64_t address)
{
    const uint64_t sector = address / FOOTPRINT_SECTOR;
    const struct footprint_chunk *chunk = find_chunk(footprint, sector / FOOTPRINT_CHUNK_SECTORS);
    const unsigned bit = (unsigned)(sector % FOOTPRINT_CHUNK_SECTORS);

    return chunk && chunk->bits[bit / 64] >> bit % 64 & 1;
}

uint64_t footprint_sectors(const struct footprint *footprint)
{
    return footprint_shared(footprint, footprint);
}

uint64_t footprint_pairs(const struct footprint *footprint)
{
    const uint64_t lower = UINT64_C(0x5555555555555555);
    uint64_t sum = 0;

    for (size_t i = 0; i < footprint->count; i++)
        for (size_t k = 0; k < FOOTPRINT_CHUNK_WORDS; k++) {
            const uint64_t bits = footprint->chunks[i].bits[k];

            sum += (unsigned)__builtin_popcountll((bits | bits >> 1) & lower);
        }
    return sum;
}

uint64_t footprint_shared(const struct footprint *a, const struct footprint *b)
{
    return footprint_shared3(a, b, b);
}

uint64_t footprint_shared3(const struct footprint *a, const struct footprint *b, const struct footprint *c)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < a->count; i++) {
        const struct footprint_chunk *x = &a->chunks[i], *y, *z;

        if (!(y = find_chunk(b, x->number)) || !(z = find_chunk(c, x->number)))
            continue;
        for (size_t k = 0; k < FOOTPRINT_CHUNK_WORDS; k++)
            sum += (unsigned)__builtin_popcountll(x->bits[k] & y->bits[k] & z->bits[k]);
    }
    return sum;
}
