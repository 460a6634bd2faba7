#include "model/emulate/footprint.h"

#include "model/sass/arch/geometry.h"

#include <stdlib.h>
#include <string.h>

enum { RUN_LEAST = 8 }; /* periods of a run that is worth remembering */

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

    while (footprint->places[place].chunk && footprint->places[place].number != number)
        place = (place + 1) & mask;
    return place;
}

static const struct footprint_chunk *find_chunk(const struct footprint *footprint, uint64_t number)
{
    size_t index;

    if (!footprint->place_count)
        return NULL;
    index = footprint->places[find_place(footprint, number)].chunk;
    return index ? &footprint->chunks[index - 1] : NULL;
}

/* Allocates one more chunk: places are kept at most half full. */
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
        struct footprint_place *places = calloc(count, sizeof *places);

        if (!places)
            return err_memory(err);
        free(footprint->places);
        footprint->places = places;
        footprint->place_count = count;
        for (size_t k = 0; k < footprint->count; k++) {
            const uint64_t number = footprint->chunks[k].number;

            places[find_place(footprint, number)] = (struct footprint_place){number, k + 1};
        }
    }
    return 0;
}

/* Makes the chunk of that number, which is not there: it becomes the last. */
static int add_last(struct footprint *footprint, uint64_t number, struct err *err)
{
    if (grow(footprint, err))
        return ERR_MEMORY;
    footprint->last = footprint->count;
    footprint->chunks[footprint->count] = (struct footprint_chunk){.number = number};
    footprint->places[find_place(footprint, number)] = (struct footprint_place){number, ++footprint->count};
    return 0;
}

/* Finds the chunk of that number, made if need be: it becomes the last. */
static inline int take_chunk(struct footprint_chunk **out, struct footprint *footprint, uint64_t number,
                             struct err *err)
{
    if (!footprint->count || footprint->chunks[footprint->last].number != number) {
        const size_t index = footprint->count ? footprint->places[find_place(footprint, number)].chunk : 0;

        if (index)
            footprint->last = index - 1;
        else if (add_last(footprint, number, err))
            return ERR_MEMORY;
    }
    *out = &footprint->chunks[footprint->last];
    return 0;
}

/* Bits set in a word: what __builtin_popcountll is a call for on processors of 2003. */
static inline unsigned count_bits(uint64_t word)
{
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(word * UINT64_C(0x0101010101010101) >> 56);
}

/* Sets bits of a word, at least one; how many of them are new. */
static unsigned set_word(struct footprint_chunk *chunk, unsigned word, uint64_t bits)
{
    const uint64_t fresh = bits & ~chunk->bits[word];

    chunk->bits[word] |= bits;
    chunk->used |= UINT64_C(1) << word;
    return fresh ? count_bits(fresh) : 0;
}

/* Sectors first to last of a chunk; how many of them are new. */
static unsigned set_bits(struct footprint_chunk *chunk, unsigned first, unsigned last)
{
    const uint64_t from = ~UINT64_C(0) << first % 64, to = ~UINT64_C(0) >> (63 - last % 64);
    unsigned fresh;

    if (first / 64 == last / 64)
        return set_word(chunk, first / 64, from & to);
    fresh = set_word(chunk, first / 64, from);
    for (unsigned word = first / 64 + 1; word < last / 64; word++)
        fresh += set_word(chunk, word, ~UINT64_C(0));
    return fresh + set_word(chunk, last / 64, to);
}

int footprint_mark(struct footprint *footprint, uint64_t address, uint64_t bytes, struct err *err)
{
    const uint64_t last = (address + bytes - 1) / SECTOR;

    for (uint64_t sector = address / SECTOR; sector <= last;) {
        const uint64_t number = sector / FOOTPRINT_CHUNK_SECTORS;
        const uint64_t chunk_last = (number + 1) * FOOTPRINT_CHUNK_SECTORS - 1;
        const uint64_t end = last < chunk_last ? last : chunk_last;
        struct footprint_chunk *chunk;
        const int rc = take_chunk(&chunk, footprint, number, err);

        if (rc)
            return rc;
        footprint->sectors += set_bits(chunk, (unsigned)(sector % FOOTPRINT_CHUNK_SECTORS),
                                       (unsigned)(end % FOOTPRINT_CHUNK_SECTORS));
        sector = end + 1;
    }
    return 0;
}

/* Sets sectors of an aligned word of 64, at least one: sector / 64 is its number. */
static inline int mark_word(struct footprint *footprint, uint64_t word, uint64_t bits, struct err *err)
{
    struct footprint_chunk *chunk;

    if (take_chunk(&chunk, footprint, word / FOOTPRINT_CHUNK_WORDS, err))
        return ERR_MEMORY;
    footprint->sectors += set_word(chunk, (unsigned)(word % FOOTPRINT_CHUNK_WORDS), bits);
    return 0;
}

/* Sets those of 64 sectors, the first of them `sector`, which need not begin a word. */
static int mark_sectors(struct footprint *footprint, uint64_t sector, uint64_t bits, struct err *err)
{
    const unsigned shift = (unsigned)(sector % 64);
    const uint64_t low = bits << shift, high = shift ? bits >> (64 - shift) : 0;

    if (low && mark_word(footprint, sector / 64, low, err))
        return ERR_MEMORY;
    return high ? mark_word(footprint, sector / 64 + 1, high, err) : 0;
}

/* Notes a run; whether it was there. */
static bool note_run(struct footprint *footprint, const struct footprint_run *run)
{
    const uint64_t key = run->first * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)run->step + run->count;
    struct footprint_run *at = &footprint->runs[(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) % FOOTPRINT_RUNS];
    const bool known = at->first == run->first && at->sectors == run->sectors && at->count == run->count &&
                       at->step == run->step;

    *at = *run;
    return known;
}

/* Whether the same sectors were added as such a run before; of steps that keep the place within a sector. */
static bool is_repeated(struct footprint *footprint, uint64_t address, uint64_t bytes, int64_t step,
                        uint64_t count)
{
    const uint64_t first = address / SECTOR, last = (address + bytes - 1) / SECTOR;
    const struct footprint_run run = {first, last - first + 1, count, step / SECTOR};

    return count >= RUN_LEAST && step % SECTOR == 0 && note_run(footprint, &run);
}

int footprint_mark_moving(struct footprint *footprint, uint64_t address, uint64_t bytes, int64_t step,
                          uint64_t count, struct err *err)
{
    uint64_t word = 0, pending = 0; /* sectors of a word, set when another word's turn comes */

    if (is_repeated(footprint, address, bytes, step, count))
        return 0;
    for (; count; count--, address += (uint64_t)step) {
        const uint64_t first = address / SECTOR, last = (address + bytes - 1) / SECTOR;

        if (first / 64 != last / 64) {
            if (footprint_mark(footprint, address, bytes, err))
                return ERR_MEMORY;
            continue;
        }
        if (first / 64 != word && pending && mark_word(footprint, word, pending, err))
            return ERR_MEMORY;
        pending = first / 64 == word ? pending : 0;
        pending |= ~UINT64_C(0) << first % 64 & ~UINT64_C(0) >> (63 - last % 64);
        word = first / 64;
    }
    return pending ? mark_word(footprint, word, pending, err) : 0;
}

/* Those of the 64 sectors from `sector` on that are in [first, end). */
static uint64_t word_within(uint64_t sector, uint64_t first, uint64_t end)
{
    uint64_t bits = ~UINT64_C(0);

    if (sector + 64 <= first || sector >= end)
        return 0;
    if (sector < first)
        bits &= ~UINT64_C(0) << (first - sector);
    if (sector + 64 > end)
        bits &= ~UINT64_C(0) >> (sector + 64 - end);
    return bits;
}

/* The words of a chunk that are used and may hold sectors of [low, high): a bit for each. */
static uint64_t words_within(const struct footprint_chunk *chunk, uint64_t low, uint64_t high)
{
    const uint64_t first = chunk->number * FOOTPRINT_CHUNK_SECTORS, last = first + FOOTPRINT_CHUNK_SECTORS;
    uint64_t words = chunk->used;

    if (low >= last || high <= first)
        return 0;
    if (low > first)
        words &= ~UINT64_C(0) << (low - first) / 64;
    if (high < last)
        words &= ~UINT64_C(0) >> (63 - (high - first - 1) / 64);
    return words;
}

int footprint_copy(struct footprint *out, const struct footprint *footprint, struct err *err)
{
    const size_t chunks = footprint->count * sizeof *out->chunks;
    const size_t places = footprint->place_count * sizeof *out->places;

    if (!footprint->count)
        return 0;
    out->chunks = malloc(chunks);
    out->places = malloc(places);
    if (!out->chunks || !out->places)
        return err_memory(err);
    memcpy(out->chunks, footprint->chunks, chunks);
    memcpy(out->places, footprint->places, places);
    out->count = out->capacity = footprint->count;
    out->place_count = footprint->place_count;
    out->last = footprint->last;
    out->sectors = footprint->sectors;
    return 0;
}

int footprint_move(struct footprint *footprint, const struct footprint *from, uint64_t first, uint64_t end,
                   int64_t bytes, struct err *err)
{
    const uint64_t low = first / SECTOR, high = end / SECTOR;
    const uint64_t moved = (uint64_t)(bytes / SECTOR);

    for (size_t i = 0; i < from->count; i++) {
        const struct footprint_chunk *chunk = &from->chunks[i];

        for (uint64_t words = words_within(chunk, low, high); words; words &= words - 1) {
            const unsigned k = (unsigned)__builtin_ctzll(words);
            const uint64_t sector = chunk->number * FOOTPRINT_CHUNK_SECTORS + 64 * k;
            const uint64_t set = chunk->bits[k] & word_within(sector, low, high);

            if (set && mark_sectors(footprint, sector + moved, set, err))
                return ERR_MEMORY;
        }
    }
    return 0;
}

bool footprint_first(uint64_t *address, const struct footprint *footprint, uint64_t first, uint64_t end)
{
    const uint64_t low = first / SECTOR, high = end / SECTOR;
    uint64_t least = UINT64_MAX;

    for (size_t i = 0; i < footprint->count; i++) {
        const struct footprint_chunk *chunk = &footprint->chunks[i];
        const uint64_t start = chunk->number * FOOTPRINT_CHUNK_SECTORS;
        uint64_t words = start < least ? words_within(chunk, low, high) : 0, set = 0;

        for (; words && !set; words &= words - 1) {
            const unsigned k = (unsigned)__builtin_ctzll(words);

            set = chunk->bits[k] & word_within(start + 64 * k, low, high);
            if (set && start + 64 * k < least)
                least = start + 64 * k + (unsigned)__builtin_ctzll(set);
        }
    }
    *address = least * SECTOR;
    return least != UINT64_MAX;
}

bool footprint_equal(const struct footprint *a, const struct footprint *b)
{
    if (a->count != b->count) /* no chunk is empty */
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct footprint_chunk *other = find_chunk(b, a->chunks[i].number);

        if (!other || memcmp(a->chunks[i].bits, other->bits, sizeof other->bits))
            return false;
    }
    return true;
}

bool footprint_meets(const struct footprint *footprint, uint64_t address, uint64_t bytes)
{
    const uint64_t first = address / SECTOR, end = (address + bytes - 1) / SECTOR + 1;

    for (uint64_t word = first / 64; word <= (end - 1) / 64; word++) {
        const struct footprint_chunk *chunk = find_chunk(footprint, word / FOOTPRINT_CHUNK_WORDS);

        if (chunk && chunk->bits[word % FOOTPRINT_CHUNK_WORDS] & word_within(64 * word, first, end))
            return true;
    }
    return false;
}

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
        y = a == b ? x : find_chunk(b, x->number);
        z = b == c ? y : find_chunk(c, x->number);
        if (!y || !z)
            continue;
        for (uint64_t words = x->used & y->used & z->used; words; words &= words - 1) {
            const unsigned k = (unsigned)__builtin_ctzll(words);

            sum += count_bits(x->bits[k] & y->bits[k] & z->bits[k]);
        }
    }
    return sum;
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
        if (others[o] && (other = find_chunk(others[o], chunk->number)))
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
