#include "model/crowd_choice.h"

#include <math.h>

/* The first in turn of those whose bits are set, of which there is one: the warp that went last, unless it
 * yields; then the others, the younger first. */
static unsigned first_in_turn(const struct crowd_partition *at, uint64_t bits)
{
    const uint64_t older = bits & ((UINT64_C(1) << at->last << !at->yields) - 1);

    return 63 - (unsigned)__builtin_clzll(older ? older : bits);
}

/* Who goes next when none can as soon as the scheduler is free. */
static void choose_later(struct crowd_sim *sim, unsigned p)
{
    struct crowd_partition *at = &sim->partitions[p];
    double times[CROWD_WARPS], first = INFINITY;
    unsigned k;

    for (k = 0; k < sim->per_partition; k++) {
        times[k] = later(at->ready[k], crowd_gate(sim, at, at->ops[k]));
        first = earlier(first, times[k]);
    }
    sim->next[p] = first;
    if (first < INFINITY)
        at->who = first_in_turn(at, crowd_at_most(first, times, sim->per_partition));
}

void crowd_choose_other(struct crowd_sim *sim, unsigned p)
{
    struct crowd_partition *at = &sim->partitions[p];
    uint64_t ready;

    for (ready = crowd_at_most(at->free, at->ready, sim->per_partition); ready;
         ready &= ~(UINT64_C(1) << at->who)) {
        at->who = first_in_turn(at, ready);
        if (crowd_gate(sim, at, at->ops[at->who]) <= at->free)
            return;
    }
    choose_later(sim, p);
}
