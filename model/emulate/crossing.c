#include "model/emulate/crossing.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES = 8192, PLACE_BITS = 13 };

void crossing_release(struct crossing *crossing)
{
    free(crossing->places);
    *crossing = (struct crossing){0};
}

void crossing_begin(struct crossing *crossing)
{
    if (crossing->count)
        memset(crossing->places, 0, PLACES * sizeof *crossing->places);
    crossing->count = 0;
    memset(crossing->loads, 0, sizeof crossing->loads);
}

/* The sector's place, or the free one where it would be: the table is at most half full. */
static struct crossing_place *find_place(const struct crossing *crossing, uint64_t number)
{
    size_t at = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> (64 - PLACE_BITS));

    while (crossing->places[at].number && crossing->places[at].number != number)
        at = (at + 1) % PLACES;
    return &crossing->places[at];
}

int crossing_note(bool *shared, uint64_t *apart, struct crossing *crossing, unsigned warp, uint64_t sector,
                  struct err *err)
{
    struct crossing_place *place;

    *shared = false;
    if (!crossing->places && !(crossing->places = calloc(PLACES, sizeof *crossing->places)))
        return err_memory(err);
    place = find_place(crossing, sector + 1);
    if (warp && place->number) {
        const uint64_t first = place->loads, own = crossing->loads[1];

        *shared = true;
        *apart = own > first ? own - first : first - own;
    }
    if (warp || place->number || crossing->count == PLACES / 2)
        return 0;
    *place = (struct crossing_place){sector + 1, crossing->loads[0]};
    crossing->count++;
    return 0;
}
