#include "model/footprint.h"

#include <stdlib.h>
#include <string.h>

void footprint_release(struct footprint *footprint)
{
    free(footprint->chunks);
    *footprint = (struct footprint){0};
}

static size_t find_place(const struct footprint_chunk *chunks, size_t capacity, uint64_t number)
{
    size_t place = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (capacity - 1);

    while (chunks[place].number && chunks[place].number != number)
        place = (place + 1) & (capacity - 1);
    return place;
}

static const struct footprint_chunk *find_chunk(const struct footprint *footprint, uint64_t number)
{
    const struct footprint_chunk *chunk;

    if (!footprint->capacity)
        return NULL;
    chunk = &footprint->chunks[find_place(footprint->chunks, footprint->capacity, number)];
    return chunk->number ? chunk : NULL;
}

static int grow(struct footprint *footprint, struct err *err)
{
    const size_t capacity = footprint->capacity ? 2 * footprint->capacity : 16;
    struct footprint_chunk *chunks = calloc(capacity, sizeof *chunks);

    if (!chunks)
        return err_memory(err);
    for (size_t i = 0; i < footprint->capacity; i++)
        if (footprint->chunks[i].number)
            chunks[find_place(chunks, capacity, footprint->chunks[i].number)] = footprint->chunks[i];
    free(footprint->chunks);
    footprint->chunks = chunks;
    footprint->capacity = capacity;
    return 0;
}

/* The chunk of that number, made if need be. */
static int take_chunk(struct footprint_chunk **out, struct footprint *footprint, uint64_t number,
                      struct err *err)
{
    size_t place = footprint->last;

    if (!footprint->capacity || footprint->chunks[place].number != number) {
        if (4 * footprint->count >= 3 * footprint->capacity) {
            const int rc = grow(footprint, err);

            if (rc)
                return rc;
        }
        place = find_place(footprint->chunks, footprint->capacity, number);
        footprint->count += !footprint->chunks[place].number;
        footprint->chunks[place].number = number;
        footprint->last = place;
    }
    *out = &footprint->chunks[place];
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
        const int rc = take_chunk(&chunk, footprint, number + 1, err);

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
    const struct footprint_chunk *chunk = find_chunk(footprint, sector / FOOTPRINT_CHUNK_SECTORS + 1);
    const unsigned bit = (unsigned)(sector % FOOTPRINT_CHUNK_SECTORS);

    return chunk && chunk->bits[bit / 64] >> bit % 64 & 1;
}

int footprint_add(struct footprint *footprint, const struct footprint *other, struct err *err)
{
    for (size_t i = 0; i < other->capacity; i++) {
        struct footprint_chunk *chunk;
        int rc;

        if (!other->chunks[i].number)
            continue;
        rc = take_chunk(&chunk, footprint, other->chunks[i].number, err);
        if (rc)
            return rc;
        for (size_t k = 0; k < FOOTPRINT_CHUNK_WORDS; k++)
            chunk->bits[k] |= other->chunks[i].bits[k];
    }
    return 0;
}

uint64_t footprint_sectors(const struct footprint *footprint)
{
    return footprint_shared(footprint, footprint);
}

uint64_t footprint_shared(const struct footprint *a, const struct footprint *b)
{
    return footprint_shared3(a, b, b);
}

uint64_t footprint_shared3(const struct footprint *a, const struct footprint *b, const struct footprint *c)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < a->capacity; i++) {
        const struct footprint_chunk *x = &a->chunks[i], *y, *z;

        if (!x->number || !(y = find_chunk(b, x->number)) || !(z = find_chunk(c, x->number)))
            continue;
        for (size_t k = 0; k < FOOTPRINT_CHUNK_WORDS; k++)
            sum += (unsigned)__builtin_popcountll(x->bits[k] & y->bits[k] & z->bits[k]);
    }
    return sum;
}

uint64_t footprint_lines(const struct footprint *footprint, unsigned bytes)
{
    const unsigned sectors = bytes / FOOTPRINT_SECTOR;
    const uint64_t line = sectors == 64 ? ~UINT64_C(0) : (UINT64_C(1) << sectors) - 1;
    uint64_t sum = 0;

    for (size_t i = 0; i < footprint->capacity; i++) {
        if (!footprint->chunks[i].number)
            continue;
        for (size_t k = 0; k < FOOTPRINT_CHUNK_WORDS; k++)
            for (unsigned shift = 0; shift < 64; shift += sectors)
                sum += (footprint->chunks[i].bits[k] >> shift & line) != 0;
    }
    return sum;
}
