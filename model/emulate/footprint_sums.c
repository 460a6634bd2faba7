/* What footprints have in common, added up over the words of their chunks. */
#include "model/emulate/footprint.h"
#include "model/emulate/footprint_chunk.h"
#include "model/sass/arch/geometry.h"

#include <string.h>

/* Whether the chunk lies in [address, address + bytes), which begins with a chunk. */
static bool lies_in(const struct footprint_chunk *chunk, uint64_t address, uint64_t bytes)
{
    const uint64_t first = chunk->number * FOOTPRINT_CHUNK_SECTORS * SECTOR;

    return first >= address && first - address < bytes;
}

uint64_t footprint_shared_in(const struct footprint *a, const struct footprint *b, const struct footprint *c,
                             uint64_t address, uint64_t bytes)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < a->count; i++) {
        const struct footprint_chunk *x = &a->chunks[i], *y, *z;

        if (!lies_in(x, address, bytes))
            continue;
        y = a == b ? x : footprint_chunk_of(b, x->number);
        z = b == c ? y : footprint_chunk_of(c, x->number);
        if (!y || !z)
            continue;
        for (uint64_t words = x->used & y->used & z->used; words; words &= words - 1) {
            const unsigned k = (unsigned)__builtin_ctzll(words);

            sum += count_bits(x->bits[k] & y->bits[k] & z->bits[k]);
        }
    }
    return sum;
}

/* Adds up one chunk, of whose number no footprint before `first` has one. */
static void add_met(struct footprint_met *out, const struct footprint *const *prints, size_t first,
                    size_t count, uint64_t number)
{
    uint64_t some[FOOTPRINT_CHUNK_WORDS] = {0}, twice[FOOTPRINT_CHUNK_WORDS] = {0},
             more[FOOTPRINT_CHUNK_WORDS] = {0}, all[FOOTPRINT_CHUNK_WORDS];

    memset(all, first ? 0 : 0xff, sizeof all);
    for (size_t p = first; p < count; p++) {
        const struct footprint_chunk *chunk = footprint_chunk_of(prints[p], number);

        if (!chunk)
            memset(all, 0, sizeof all);
        for (unsigned k = 0; k < FOOTPRINT_CHUNK_WORDS && chunk; k++) {
            const uint64_t own = chunk->bits[k];

            more[k] |= twice[k] & own;
            twice[k] |= some[k] & own;
            some[k] |= own;
            all[k] &= own;
        }
    }
    for (unsigned k = 0; k < FOOTPRINT_CHUNK_WORDS; k++) {
        if (!some[k])
            continue;
        out->any += count_bits(some[k]);
        out->one += count_bits(some[k] & ~twice[k]);
        out->two += count_bits(twice[k] & ~more[k]);
        out->all += count_bits(all[k]);
    }
}

void footprint_met_in(struct footprint_met *out, const struct footprint *const *prints, size_t count,
                      uint64_t address, uint64_t bytes)
{
    *out = (struct footprint_met){0};
    for (size_t p = 0; p < count; p++)
        for (size_t i = 0; i < prints[p]->count; i++) {
            const struct footprint_chunk *chunk = &prints[p]->chunks[i];
            size_t first = 0;

            if (!lies_in(chunk, address, bytes))
                continue;
            while (first < p && !footprint_chunk_of(prints[first], chunk->number))
                first++;
            if (first == p)
                add_met(out, prints, p, count, chunk->number);
        }
}

bool footprint_ends_in(struct footprint_ends *out, const struct footprint *footprint, uint64_t address,
                       uint64_t bytes)
{
    *out = (struct footprint_ends){.first = UINT64_MAX};
    for (size_t i = 0; i < footprint->count; i++) {
        const struct footprint_chunk *chunk = &footprint->chunks[i];
        const uint64_t start = chunk->number * FOOTPRINT_CHUNK_SECTORS;
        unsigned low, high;

        if (!chunk->used || !lies_in(chunk, address, bytes))
            continue;
        low = (unsigned)__builtin_ctzll(chunk->used);
        high = 63 - (unsigned)__builtin_clzll(chunk->used);
        if (start < out->first)
            out->first = start + 64 * low + (unsigned)__builtin_ctzll(chunk->bits[low]);
        if (start + 64 * high + 63 > out->last)
            out->last = start + 64 * high + 63 - (unsigned)__builtin_clzll(chunk->bits[high]);
    }
    return out->first != UINT64_MAX;
}

uint64_t footprint_list(uint64_t *out, uint64_t most, const struct footprint *footprint, uint64_t address,
                        uint64_t bytes)
{
    uint64_t count = 0;

    for (size_t i = 0; i < footprint->count; i++) {
        const struct footprint_chunk *chunk = &footprint->chunks[i];

        if (!lies_in(chunk, address, bytes))
            continue;
        for (uint64_t words = chunk->used; words; words &= words - 1) {
            const unsigned k = (unsigned)__builtin_ctzll(words);

            for (uint64_t bits = chunk->bits[k]; bits; bits &= bits - 1, count++)
                if (count < most)
                    out[count] =
                        chunk->number * FOOTPRINT_CHUNK_SECTORS + 64 * k + (unsigned)__builtin_ctzll(bits);
        }
    }
    return count;
}

/* Adds up a word of sectors, and those that others have there. */
static void add_pairs(void *sums, uint64_t own, uint64_t all)
{
    struct footprint_pairs *out = sums;
    const uint64_t first = UINT64_C(0x5555555555555555), line = UINT64_C(0x1111111111111111);
    const uint64_t pairs = (own | own >> 1) & first, fetched = (all | all >> 1) & first;
    const uint64_t both = fetched & fetched >> 2 & line;

    out->pairs += count_bits(pairs);
    out->sectors += count_bits(all & (pairs | pairs << 1));
    out->lone += count_bits(pairs & ~(both | both << 2));
}

/* Of the words that a chunk uses, what it or one of the others has there. */
static void unite(uint64_t all[FOOTPRINT_CHUNK_WORDS], const struct footprint_chunk *chunk,
                  const struct footprint *const *others, size_t count)
{
    const struct footprint_chunk *other;

    for (uint64_t words = chunk->used; words; words &= words - 1)
        all[__builtin_ctzll(words)] = chunk->bits[__builtin_ctzll(words)];
    for (size_t o = 0; o < count; o++)
        if (others[o] && (other = footprint_chunk_of(others[o], chunk->number)))
            for (uint64_t words = chunk->used & other->used; words; words &= words - 1)
                all[__builtin_ctzll(words)] |= other->bits[__builtin_ctzll(words)];
}

typedef void add_word(void *sums, uint64_t own, uint64_t all);

/* Words within [address, address + bytes): the footprint's own, and what it and the others have there. */
static void add_words_in(void *sums, add_word *add, const struct footprint *footprint,
                         const struct footprint *const *others, size_t count, uint64_t address,
                         uint64_t bytes)
{
    uint64_t all[FOOTPRINT_CHUNK_WORDS];

    for (size_t i = 0; i < footprint->count; i++) {
        const struct footprint_chunk *chunk = &footprint->chunks[i];

        if (!lies_in(chunk, address, bytes))
            continue;
        unite(all, chunk, others, count);
        for (uint64_t words = chunk->used; words; words &= words - 1)
            add(sums, chunk->bits[__builtin_ctzll(words)], all[__builtin_ctzll(words)]);
    }
}

void footprint_pairs_in(struct footprint_pairs *out, const struct footprint *footprint,
                        const struct footprint *const *others, size_t count, uint64_t address, uint64_t bytes)
{
    *out = (struct footprint_pairs){0};
    add_words_in(out, add_pairs, footprint, others, count, address, bytes);
}

/* One bit for each line of a word that has a sector. */
static uint64_t lines_of(uint64_t sectors)
{
    const uint64_t pairs = sectors | sectors >> 1;

    return (pairs | pairs >> 2) & UINT64_C(0x1111111111111111);
}

/* Adds up the lines of a word, and those beside which nobody has a sector. */
static void add_lines(void *sums, uint64_t own, uint64_t all)
{
    struct footprint_lines *out = sums;
    const uint64_t lines = lines_of(own), any = lines_of(all);
    const uint64_t both = any & any >> 4 & UINT64_C(0x0101010101010101);

    out->lines += count_bits(lines);
    out->lone += count_bits(lines & ~(both | both << 4));
}

void footprint_lines_in(struct footprint_lines *out, const struct footprint *footprint,
                        const struct footprint *const *others, size_t count, uint64_t address, uint64_t bytes)
{
    *out = (struct footprint_lines){0};
    add_words_in(out, add_lines, footprint, others, count, address, bytes);
}

int footprint_alike(double *share, const struct footprint *own, const struct footprint *other,
                    uint64_t address, uint64_t bytes, int64_t distance, struct err *err)
{
    const uint64_t end = address + (bytes + SECTOR - 1) / SECTOR * SECTOR;
    const uint64_t sectors = footprint_shared_in(other, other, other, address, bytes);
    struct footprint moved = {0};
    const int rc = footprint_move(&moved, own, address, end, distance, err);

    *share =
        sectors ? (double)footprint_shared_in(&moved, other, other, address, bytes) / (double)sectors : 1;
    footprint_release(&moved);
    return rc;
}
