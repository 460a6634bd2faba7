#include "model/sm/crowd_choice.h"

#include <math.h>

/* Who goes of those whose bits are set, of which there is one. After an instruction that yields the others in
 * turn, the younger first. Else the warp that went last, or those of the block that began first, in turn. */
static unsigned first_in_turn(const struct crowd_sim *sim, const struct crowd_partition *at, uint64_t bits)
{
    const uint64_t last = UINT64_C(1) << at->last;
    const unsigned *place = sim->by_age;
    uint64_t older;

    if (!at->yields) {
        if (bits & last)
            return at->last;
        while (!(bits & at->of_place[*place]))
            place++;
        bits &= at->of_place[*place];
    }
    older = bits & (last - 1);
    return 63 - (unsigned)__builtin_clzll(older ? older : bits);
}

/* Who goes next when none can as soon as the scheduler is free. */
static void choose_later(struct crowd_sim *sim, unsigned p)
{
    struct crowd_partition *at = &sim->partitions[p];
    double times[CROWD_WARPS], first = INFINITY;
    unsigned k;

    for (k = 0; k < sim->per_partition; k++) {
        times[k] = later(at->ready[k], crowd_opens(sim, at, at->doors[k]));
        first = earlier(first, times[k]);
    }
    sim->next[p] = first;
    if (first < INFINITY)
        at->who = first_in_turn(sim, at, crowd_at_most(first, times, sim->per_partition));
}

void crowd_choose_other(struct crowd_sim *sim, unsigned p)
{
    struct crowd_partition *at = &sim->partitions[p];
    uint64_t ready;

    for (ready = crowd_at_most(at->free, at->ready, sim->per_partition); ready;
         ready &= ~at->of_door[at->doors[at->who]]) {
        at->who = first_in_turn(sim, at, ready);
        if (crowd_opens(sim, at, at->doors[at->who]) <= at->free)
            return;
    }
    choose_later(sim, p);
}
