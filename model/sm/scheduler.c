#include "model/sm/scheduler.h"

#include <math.h>

/* Who goes of those whose bits are set, of which there is one. After an instruction that yields the others in
 * turn, the younger first. Else the warp that went last, or those of the block that began first, in turn. */
static unsigned first_in_turn(const struct sm_state *sm, const struct sm_partition *at, uint64_t bits)
{
    const uint64_t last = UINT64_C(1) << at->last;
    const unsigned *block_slot = sm->by_age;
    uint64_t older;

    if (!at->yields) {
        if (bits & last)
            return at->last;
        while (!(bits & at->of_block_slot[*block_slot]))
            block_slot++;
        bits &= at->of_block_slot[*block_slot];
    }
    older = bits & (last - 1);
    return 63 - (unsigned)__builtin_clzll(older ? older : bits);
}

/* Who goes next when none can as soon as the scheduler is free. */
static void choose_later(struct sm_state *sm, unsigned p)
{
    struct sm_partition *at = &sm->partitions[p];
    double times[SM_WARPS], first = INFINITY;
    unsigned k;

    for (k = 0; k < sm->per_partition; k++) {
        times[k] = later(at->ready[k], sm_opens(sm, at, at->ports[k]));
        first = earlier(first, times[k]);
    }
    sm->next[p] = first;
    if (first < INFINITY)
        at->who = first_in_turn(sm, at, sm_at_most(first, times, sm->per_partition));
}

void sm_choose_other(struct sm_state *sm, unsigned p)
{
    struct sm_partition *at = &sm->partitions[p];
    uint64_t ready;

    for (ready = sm_at_most(at->free, at->ready, sm->per_partition); ready;
         ready &= ~at->of_port[at->ports[at->who]]) {
        at->who = first_in_turn(sm, at, ready);
        if (sm_opens(sm, at, at->ports[at->who]) <= at->free)
            return;
    }
    choose_later(sm, p);
}
