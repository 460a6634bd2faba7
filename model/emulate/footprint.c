#include "model/emulate/footprint.h"

#include "model/emulate/footprint_chunk.h"
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

const struct footprint_chunk *footprint_chunk_of(const struct footprint *footprint, uint64_t number)
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

/* Sets bits of a word, at least one; how many of them are new. */
static unsigned set_word(struct footprint_chunk *chunk, unsigned word, uint64_t bits)
{
    const uint64_t fresh = bits & ~chunk->bits[word];

    chunk->bits[word] |= bits;
    chunk->used |= UINT64_C(1) << word;
    return fresh ? count_bits(fresh) : 0;
}

/* Sectors first to last, which lie in one word. */
static uint64_t bits_between(uint64_t first, uint64_t last)
{
    return ~UINT64_C(0) << first % 64 & ~UINT64_C(0) >> (63 - last % 64);
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

static uint64_t hash_of(uint64_t first, int64_t step, uint64_t count)
{
    const uint64_t key = first * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)step + count;

    return key * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

/* Notes a run; whether it was there. */
static bool note_run(struct footprint *footprint, const struct footprint_run *run)
{
    struct footprint_run *at = &footprint->runs[hash_of(run->first, run->step, run->count) % FOOTPRINT_RUNS];
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

/* Notes that sectors of a column are in the footprint; those of `bits` that were not noted so far. */
static uint64_t note_column(struct footprint *footprint, const struct footprint_column *column)
{
    const uint64_t key = hash_of(column->word, column->step, column->count);
    struct footprint_column *at = &footprint->columns[key % FOOTPRINT_RUNS];
    const bool known = at->word == column->word && at->count == column->count && at->step == column->step;
    const uint64_t before = known ? at->bits : 0;

    *at = *column;
    at->bits |= before;
    return column->bits & ~before;
}

/* Adds a column. */
static int mark_column(struct footprint *footprint, struct footprint_column column, struct err *err)
{
    struct footprint_chunk *chunk = NULL;
    uint64_t sectors = 0;
    int rc = 0;

    column.bits = column.count >= RUN_LEAST ? note_column(footprint, &column) : column.bits;
    if (!column.bits)
        return 0;
    for (; column.count && !rc; column.count--, column.word += (uint64_t)column.step) {
        if (!chunk || chunk->number != column.word / FOOTPRINT_CHUNK_WORDS)
            rc = take_chunk(&chunk, footprint, column.word / FOOTPRINT_CHUNK_WORDS, err);
        if (!rc)
            sectors += set_word(chunk, (unsigned)(column.word % FOOTPRINT_CHUNK_WORDS), column.bits);
    }
    footprint->sectors += sectors;
    return rc;
}

int footprint_mark_moving(struct footprint *footprint, uint64_t address, uint64_t bytes, int64_t step,
                          uint64_t count, struct err *err)
{
    const uint64_t start = address / SECTOR, end = (address + bytes - 1) / SECTOR;
    uint64_t word = 0, pending = 0; /* sectors of a word, set when another word's turn comes */

    if (step % (64 * SECTOR) == 0 && start / 64 == end / 64)
        return mark_column(
            footprint,
            (struct footprint_column){start / 64, bits_between(start, end), count, step / (64 * SECTOR)},
            err);
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
        pending |= bits_between(first, last);
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
        const struct footprint_chunk *other = footprint_chunk_of(b, a->chunks[i].number);

        if (!other || memcmp(a->chunks[i].bits, other->bits, sizeof other->bits))
            return false;
    }
    return true;
}

bool footprint_meets(const struct footprint *footprint, uint64_t address, uint64_t bytes)
{
    const uint64_t first = address / SECTOR, end = (address + bytes - 1) / SECTOR + 1;

    for (uint64_t word = first / 64; word <= (end - 1) / 64; word++) {
        const struct footprint_chunk *chunk = footprint_chunk_of(footprint, word / FOOTPRINT_CHUNK_WORDS);

        if (chunk && chunk->bits[word % FOOTPRINT_CHUNK_WORDS] & word_within(64 * word, first, end))
            return true;
    }
    return false;
}
