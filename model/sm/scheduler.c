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
    const sm_pair queue_free = {sm->queue_free[false], sm->queue_free[true]};
    double first;
    sm_pair opens[SASS_PIPE_COUNT], times[SM_WARPS / 2], earliest = {INFINITY, INFINITY};
    const double *by_port = (const double *)opens; /* see sm_port() */
    uint64_t bits = 0;
    unsigned k;

    for (k = 0; k < SASS_PIPE_COUNT; k++)
        opens[k] = sm_later_pair((sm_pair){at->pipe[k], at->pipe[k]}, queue_free);
    for (k = 0; k < sm->per_partition; k += 2) {
        const sm_pair ready = {at->ready[k], at->ready[k + 1]};

        times[k / 2] = sm_later_pair(ready, (sm_pair){by_port[at->ports[k]], by_port[at->ports[k + 1]]});
        earliest = sm_earlier_pair(earliest, times[k / 2]);
    }
    first = earlier(earliest[0], earliest[1]);
    sm->next[p] = first;
    if (!(first < INFINITY))
        return;
    for (k = 0; k < sm->per_partition; k += 2)
        bits |= (uint64_t)sm_pair_at_most(times[k / 2], (sm_pair){first, first}) << k;
    at->who = first_in_turn(sm, at, bits);
}

bool sm_choose_queued(struct sm_state *sm, unsigned p)
{
    struct sm_partition *at = &sm->partitions[p];
    const unsigned port = at->ports[at->who];
    const double time = sm->queue_free[true];
    const uint64_t ready = sm_at_most(time, at->ready, sm->per_partition);

    if (ready & ~at->of_port[port] || at->pipe[sm_pipe(port)] > time)
        return false;
    sm->next[p] = time;
    at->who = first_in_turn(sm, at, ready);
    return true;
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
