#include "model/emulate/contention.h"

#include "model/sass/arch/geometry.h"

#include <math.h>
#include <stdlib.h>

enum { PLACES = 4096, SECTOR_SHIFT = 5, KB_SECTORS = 1024 / SECTOR, PIECE_SECTORS = KB_SECTORS / 4 };

/* From so many blocks on, a part of them, that come to a place so often, others do as well; neighbours are fewer. */
enum { SOME_BLOCKS = 6, SOME_PART = 4, SOME_PASSES = 16 };

void contention_release(struct contention *contention)
{
    free(contention->places);
    *contention = (struct contention){0};
}

/* Most lanes of `mask` that share an address. */
static unsigned most_at_once(const uint64_t address[LANES], uint32_t mask)
{
    unsigned most = 0;

    while (mask) {
        const uint64_t word = address[__builtin_ctz(mask)];
        unsigned lanes = 0;

        for (uint32_t left = mask; left; left &= left - 1)
            if (address[__builtin_ctz(left)] == word) {
                mask &= ~(UINT32_C(1) << __builtin_ctz(left));
                lanes++;
            }
        most = lanes > most ? lanes : most;
    }
    return most;
}

/* The table is never more than half full, so that a search ends. */
static void add_passes(struct contention *contention, uint64_t sector, unsigned passes, bool floats)
{
    const uint64_t number = sector / KB_SECTORS * 2 + sector / PIECE_SECTORS % 2 + 1;
    const unsigned here =
        (unsigned)(sector / (2 * PIECE_SECTORS) % 2 * PIECE_SECTORS + sector % PIECE_SECTORS);
    size_t at = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 52);
    struct contention_address *place;
    struct contention_line *line;

    contention->passes += passes;
    contention->sectors++;
    while (contention->places[at].number && contention->places[at].number != number)
        at = (at + 1) % PLACES;
    place = &contention->places[at];
    if (!place->number) {
        if (contention->count == PLACES / 2)
            return;
        place->number = number;
        contention->count++;
    }
    line = &place->lines[here * SECTOR / LINE];
    place->blocks += place->last != contention->last;
    place->last = contention->last;
    place->passes += passes;
    place->floats[here] += floats ? passes : 0;
    line->seen |= contention->last <= CONTENTION_BLOCKS ? UINT64_C(1) << (contention->last - 1) : 0;
    line->passes += passes;
}

int contention_note(struct contention *contention, size_t block, const uint64_t address[LANES], uint32_t mask,
                    bool floats, struct err *err)
{
    if (!contention->places && !(contention->places = calloc(PLACES, sizeof *contention->places)))
        return err_memory(err);
    contention->blocks += contention->last != block;
    contention->last = block;
    contention->lanes += __builtin_popcount(mask);
    while (mask) {
        const uint64_t sector = address[__builtin_ctz(mask)] >> SECTOR_SHIFT;
        uint32_t here = 0;

        for (uint32_t left = mask; left; left &= left - 1)
            here |= address[__builtin_ctz(left)] >> SECTOR_SHIFT == sector
                        ? UINT32_C(1) << __builtin_ctz(left)
                        : 0;
        add_passes(contention, sector, most_at_once(address, here), floats);
        mask &= ~here;
    }
    return 0;
}

/* Whether blocks from all over the grid meet there: all that were looked at, or many of them where each goes anywhere. */
static bool meet(const struct contention *contention, const struct contention_address *place)
{
    const bool many = place->blocks >= SOME_BLOCKS && place->blocks * SOME_PART >= contention->blocks &&
                      place->passes >= SOME_PASSES;

    return contention->blocks > 1 && (many || place->blocks == contention->blocks);
}

static struct contention_busiest busy_place(const struct contention_address *place)
{
    struct contention_busiest out = {.passes = place->passes};

    for (unsigned s = 0; s < CONTENTION_SECTORS; s++)
        out.behind += place->floats[s] * place->floats[s] / place->passes;
    return out;
}

struct contention_busiest contention_busiest(const struct contention *contention)
{
    struct contention_busiest most = {0};

    for (size_t k = 0; contention->places && k < PLACES; k++)
        if (meet(contention, &contention->places[k])) {
            const struct contention_busiest place = busy_place(&contention->places[k]);

            if (place.passes + place.behind > most.passes + most.behind)
                most = place;
        }
    if (contention->lanes > 0) {
        most.passes /= contention->lanes;
        most.behind /= contention->lanes;
    }
    return most;
}

double contention_passes(const struct contention *contention)
{
    return contention->lanes > 0 ? contention->passes / contention->lanes : 0;
}

double contention_repeats(const struct contention *contention)
{
    return contention->lanes > 0 ? (contention->passes - contention->sectors) / contention->lanes : 0;
}

double contention_unevenness(const struct contention *contention)
{
    const double all = contention->passes,
                 even = contention->count < PLACES / 2 ? 1 / (double)contention->count : 0;
    double squares = 0;

    if (!(all > 1))
        return 0;
    for (size_t k = 0; k < PLACES; k++)
        if (meet(contention,
                 &contention
                      ->places[k])) /* pairs of passes: what a small sample has by chance counts nothing */
            squares += contention->places[k].passes * (contention->places[k].passes - 1);
    return fmax(squares / (all * (all - 1)) - even, 0);
}

struct contention_common contention_common(const struct contention *contention, size_t a, size_t b)
{
    const uint64_t either = UINT64_C(1) << (a - 1) | UINT64_C(1) << (b - 1);
    const size_t places = contention->places && contention->count < PLACES / 2 ? PLACES : 0;
    double all = 0, both = 0, squares = 0, count = 0;

    for (size_t k = 0; k < places * CONTENTION_LINES; k++) {
        const struct contention_line *line =
            &contention->places[k / CONTENTION_LINES].lines[k % CONTENTION_LINES];

        all += line->seen & either ? line->passes : 0;
        if ((line->seen & either) != either)
            continue;
        count++;
        both += line->passes;
        squares += line->passes * (line->passes - 1); /* pairs of passes, as in contention_unevenness() */
    }
    return (struct contention_common){.lines = squares > 0 ? fmin(both * (both - 1) / squares, count) : count,
                                      .share = all > 0 ? both / all : 0};
}
