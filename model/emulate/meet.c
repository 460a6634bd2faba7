#include "model/emulate/meet.h"

#include <stdlib.h>

enum { PLACES = 4096, PLACE_SHIFT = 9, SECTOR_SHIFT = 5 };

void meet_release(struct meet *meet)
{
    free(meet->places);
    *meet = (struct meet){0};
}

/* Most lanes of `mask` that share an address. */
static unsigned most_at_once(const uint64_t address[32], uint32_t mask)
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
static void add_passes(struct meet *meet, uint64_t number, unsigned passes)
{
    size_t at = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 52);
    struct meet_place *place;

    while (meet->places[at].number && meet->places[at].number != number)
        at = (at + 1) % PLACES;
    place = &meet->places[at];
    if (!place->number) {
        if (meet->blocks > 1 || meet->count == PLACES / 2)
            return;
        place->number = number;
        meet->count++;
    }
    place->blocks += place->last != meet->last;
    place->last = meet->last;
    place->passes += passes;
}

int meet_note(struct meet *meet, size_t block, const uint64_t address[32], uint32_t mask, struct err *err)
{
    if (!meet->places && !(meet->places = calloc(PLACES, sizeof *meet->places)))
        return err_memory(err);
    meet->blocks += meet->last != block;
    meet->last = block;
    meet->lanes += __builtin_popcount(mask);
    while (mask) {
        const uint64_t sector = address[__builtin_ctz(mask)] >> SECTOR_SHIFT;
        uint32_t here = 0;

        for (uint32_t left = mask; left; left &= left - 1)
            here |= address[__builtin_ctz(left)] >> SECTOR_SHIFT == sector
                        ? UINT32_C(1) << __builtin_ctz(left)
                        : 0;
        add_passes(meet, (sector >> (PLACE_SHIFT - SECTOR_SHIFT)) + 1, most_at_once(address, here));
        mask &= ~here;
    }
    return 0;
}

double meet_share(const struct meet *meet)
{
    double most = 0;

    for (size_t k = 0; meet->blocks > 1 && k < PLACES; k++)
        if (meet->places[k].blocks == meet->blocks && meet->places[k].passes > most)
            most = meet->places[k].passes;
    return meet->lanes > 0 ? most / meet->lanes : 0;
}
