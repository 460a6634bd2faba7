#include "model/memory/lattice.h"

#include <stdlib.h>
#include <string.h>

enum { AXES_MOST = 3, WORD = 64 };

void stretches_release(struct stretches *stretches)
{
    free(stretches->list);
    *stretches = (struct stretches){0};
}

/* Adds a stretch that begins no earlier than the last one; there must be memory for it. */
static void put(struct stretches *out, uint64_t first, uint64_t count)
{
    struct stretch *last = out->count ? &out->list[out->count - 1] : NULL;

    if (!last || first > last->first + last->count)
        out->list[out->count++] = (struct stretch){first, count};
    else if (first + count > last->first + last->count)
        last->count = first + count - last->first;
}

/* Of a footprint ----------------------------------------------------------- */

static int by_number(const void *left, const void *right)
{
    const struct footprint_chunk *a = *(const struct footprint_chunk *const *)left,
                                 *b = *(const struct footprint_chunk *const *)right;

    return (a->number > b->number) - (a->number < b->number);
}

/* Adds those of a word; false where there are too many. */
static bool put_word(struct stretches *out, uint64_t sector, uint64_t bits)
{
    while (bits && out->count < STRETCHES_MOST) {
        const unsigned from = (unsigned)__builtin_ctzll(bits);
        const uint64_t above = ~(bits >> from);
        const unsigned count = above ? (unsigned)__builtin_ctzll(above) : WORD;

        put(out, sector + from, count);
        bits = from + count < WORD ? bits >> (from + count) << (from + count) : 0;
    }
    return !bits;
}

static bool put_chunk(struct stretches *out, const struct footprint_chunk *chunk)
{
    bool all = true;

    for (uint64_t words = chunk->used; words && all; words &= words - 1) {
        const unsigned k = (unsigned)__builtin_ctzll(words);

        all = put_word(out, chunk->number * FOOTPRINT_CHUNK_SECTORS + WORD * k, chunk->bits[k]);
    }
    return all;
}

int stretches_find(struct stretches *out, const struct footprint *footprint, uint64_t address, uint64_t bytes,
                   struct err *err)
{
    const uint64_t low = address / SECTOR, high = (address + bytes + SECTOR - 1) / SECTOR;
    const size_t most = footprint->sectors < STRETCHES_MOST ? footprint->sectors : STRETCHES_MOST;
    const struct footprint_chunk **chunks = malloc((footprint->count + 1) * sizeof *chunks);
    bool all = true;
    size_t count = 0;

    *out = (struct stretches){.list = malloc((most + 1) * sizeof *out->list)};
    if (!chunks || !out->list) {
        free(chunks);
        return err_memory(err);
    }
    for (size_t k = 0; k < footprint->count; k++) {
        const uint64_t first = footprint->chunks[k].number * FOOTPRINT_CHUNK_SECTORS;

        if (first >= low && first < high)
            chunks[count++] = &footprint->chunks[k];
    }
    qsort(chunks, count, sizeof *chunks, by_number);
    for (size_t k = 0; k < count && all; k++)
        all = put_chunk(out, chunks[k]);
    out->count = all ? out->count : 0;
    free(chunks);
    return 0;
}

bool stretches_moved(const struct stretches *a, const struct stretches *b, int64_t sectors)
{
    bool same = a->count == b->count;

    for (size_t k = 0; k < a->count && same; k++)
        same =
            a->list[k].count == b->list[k].count && a->list[k].first + (uint64_t)sectors == b->list[k].first;
    return same;
}

/* Copies ------------------------------------------------------------------- */

/* The set so far: its copies beyond the first are not in the list, and apart from each other. */
struct lattice {
    struct stretches *list;
    double copies;
    uint64_t span; /* sectors from the first one to the end of the last one */
    bool all;      /* copies were left out: false */
};

/* Adds what the list holds once more, moved. */
static int add_moved(struct stretches *list, uint64_t sectors, struct err *err)
{
    struct stretches out = {.list = malloc((2 * list->count + 1) * sizeof *out.list)};
    size_t a = 0, b = 0;

    if (!out.list)
        return err_memory(err);
    while (a < list->count || b < list->count) {
        const bool own =
            a < list->count && (b == list->count || list->list[a].first <= list->list[b].first + sectors);
        const struct stretch *next = &list->list[own ? a++ : b++];

        put(&out, next->first + (own ? 0 : sectors), next->count);
    }
    free(list->list);
    *list = out;
    return 0;
}

static uint64_t span_of(const struct stretches *list)
{
    const struct stretch *last = &list->list[list->count - 1];

    return last->first + last->count - list->list[0].first;
}

/* So many copies that lie apart. */
static void add_apart(struct lattice *lattice, uint64_t step, uint64_t count)
{
    lattice->copies *= (double)count;
    lattice->span += step * (count - 1);
}

/* What cannot be told apart is left out. */
static int add_axis(struct lattice *lattice, uint64_t step, uint64_t count, struct err *err)
{
    uint64_t done = 1;

    if (!step || count == 1)
        return 0;
    if (lattice->copies > 1) {
        lattice->all &= lattice->span <= step;
        if (lattice->span <= step)
            add_apart(lattice, step, count);
        return 0;
    }
    while (done < count && lattice->list->count < STRETCHES_MOST / 2) {
        const uint64_t more = done < count - done ? done : count - done;

        if (add_moved(lattice->list, more * step, err))
            return ERR_MEMORY;
        done += more;
    }
    lattice->span = span_of(lattice->list);
    lattice->all &= done == count || (lattice->span <= done * step && count % done == 0);
    if (done < count && lattice->span <= done * step)
        add_apart(lattice, done * step, count / done);
    return 0;
}

static uint64_t size_of(int64_t step)
{
    return step < 0 ? -(uint64_t)step : (uint64_t)step;
}

static int by_step(const void *left, const void *right)
{
    const uint64_t a = size_of(((const struct lattice_axis *)left)->step),
                   b = size_of(((const struct lattice_axis *)right)->step);

    return (a > b) - (a < b);
}

int lattice_sectors(double *out, bool *all, struct stretches *stretches, const struct lattice_axis *axes,
                    size_t count, struct err *err)
{
    struct lattice lattice = {.list = stretches, .copies = 1, .all = true};
    struct lattice_axis sorted[AXES_MOST];
    int rc = 0;

    *out = 0;
    *all = true;
    if (!stretches->count)
        return 0;
    memcpy(sorted, axes, count * sizeof *axes);
    qsort(sorted, count, sizeof *sorted, by_step);
    lattice.span = span_of(stretches);
    for (size_t k = 0; k < count && !rc; k++)
        rc = add_axis(&lattice, size_of(sorted[k].step), sorted[k].count, err);
    for (size_t k = 0; k < stretches->count; k++)
        *out += (double)stretches->list[k].count;
    *out *= lattice.copies;
    *all = lattice.all;
    return rc;
}
