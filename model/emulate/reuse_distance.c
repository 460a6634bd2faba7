#include "model/emulate/reuse_distance.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES = 8192, PLACE_BITS = 13 };

void reuse_distance_release(struct reuse_distance *distance)
{
    free(distance->places);
    *distance = (struct reuse_distance){0};
}

void reuse_distance_begin(struct reuse_distance *distance)
{
    if (distance->count)
        memset(distance->places, 0, PLACES * sizeof *distance->places);
    distance->count = 0;
    memset(distance->loads, 0, sizeof distance->loads);
}

/* The sector's place, or the free one where it would be: the table is at most half full. */
static struct reuse_distance_entry *find_place(const struct reuse_distance *distance, uint64_t number)
{
    size_t at = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> (64 - PLACE_BITS));

    while (distance->places[at].number && distance->places[at].number != number)
        at = (at + 1) % PLACES;
    return &distance->places[at];
}

int reuse_distance_note(bool *known, uint64_t *apart, struct reuse_distance *distance, unsigned warp,
                        uint64_t sector, struct err *err)
{
    struct reuse_distance_entry *place;

    *known = false;
    if (!distance->places && !(distance->places = calloc(PLACES, sizeof *distance->places)))
        return err_memory(err);
    place = find_place(distance, sector + 1);
    *known = place->number;
    if (place->number) {
        const uint64_t before = warp ? place->loads : place->last, now = distance->loads[warp];

        *apart = now > before ? now - before : before - now;
        if (!warp)
            place->last = now;
    }
    if (warp || place->number || distance->count == PLACES / 2)
        return 0;
    *place = (struct reuse_distance_entry){sector + 1, distance->loads[0], distance->loads[0]};
    distance->count++;
    return 0;
}
