#include "model/sm/scheduler.h"

#include <math.h>

#define UNKNOWN (-1.0)

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

/* The warps that are ready when the scheduler is free. That time never goes back, so that who was ready is
 * still, and the others need no look before the first of them is. */
static uint64_t able(const struct sm_state *sm, struct sm_partition *at)
{
    sm_pair first = {INFINITY, INFINITY};
    const sm_pair free = {at->free, at->free};
    uint64_t bits = 0;

    if (at->wakes > at->free)
        return at->able;
    for (unsigned k = 0; k < sm->per_partition; k += 2) {
        const sm_pair ready = {at->ready[k], at->ready[k + 1]};

        bits |= (uint64_t)sm_pair_at_most(ready, free) << k;
        first = sm_earlier_pair(sm_pair_after(ready, free), first);
    }
    at->wakes = earlier(first[0], first[1]);
    return at->able = bits;
}

/* The warps that are ready at a time not before the scheduler is free. */
static uint64_t able_at(const struct sm_state *sm, const struct sm_partition *at, double time)
{
    return at->wakes > time ? at->able : sm_at_most(time, at->ready, sm->per_partition);
}

/* Of some warps those whose ports are open at `time`; when the first other port opens. */
static uint64_t pass(const struct sm_state *sm, const struct sm_partition *at, uint64_t warps, double time,
                     double *opens)
{
    uint64_t out = 0;

    *opens = INFINITY;
    while (warps) {
        const unsigned port = at->ports[__builtin_ctzll(warps)];
        const double open = sm_opens(sm, at, port);

        if (open <= time)
            out |= warps & at->of_port[port];
        else
            *opens = earlier(*opens, open);
        warps &= ~at->of_port[port];
    }
    return out;
}

/* Who goes next when none can as soon as the scheduler is free, whoever that is. */
static void choose_latest(struct sm_state *sm, unsigned p)
{
    struct sm_partition *at = &sm->partitions[p];
    const sm_pair queue_free = {sm->queue_free[false], sm->queue_free[true]};
    double first;
    sm_pair opens[SASS_PIPE_COUNT], times[SM_WARPS / 2], earliest = {INFINITY, INFINITY};
    const double *by_port = (const double *)opens; /* see sm_port() */
    uint64_t bits = 0;

    for (unsigned k = 0; k < SASS_PIPE_COUNT; k++)
        opens[k] = sm_later_pair((sm_pair){at->pipe[k], at->pipe[k]}, queue_free);
    for (unsigned k = 0; k < sm->per_partition; k += 2) {
        const sm_pair ready = {at->ready[k], at->ready[k + 1]};

        times[k / 2] = sm_later_pair(ready, (sm_pair){by_port[at->ports[k]], by_port[at->ports[k + 1]]});
        earliest = sm_earlier_pair(earliest, times[k / 2]);
    }
    first = earlier(earliest[0], earliest[1]);
    sm->next[p] = first;
    if (!(first < INFINITY))
        return;
    for (unsigned k = 0; k < sm->per_partition; k += 2)
        bits |= (uint64_t)sm_pair_at_most(times[k / 2], (sm_pair){first, first}) << k;
    at->who = first_in_turn(sm, at, bits);
}

/* The same, where it can mostly be told without a look at all warps: the next is one that is ready, but for
 * its port, or one that will be ready first. */
static void choose_later(struct sm_state *sm, unsigned p)
{
    struct sm_partition *at = &sm->partitions[p];
    double time, other;
    uint64_t bits;

    pass(sm, at, at->able, at->free, &time);
    time = earlier(time, at->wakes);
    bits = time < INFINITY ? pass(sm, at, able_at(sm, at, time), time, &other) : 0;
    if (!bits) {
        choose_latest(sm, p);
        return;
    }
    sm->next[p] = time;
    at->who = first_in_turn(sm, at, bits);
}

static void choose_other(struct sm_state *sm, unsigned p)
{
    struct sm_partition *at = &sm->partitions[p];

    for (uint64_t ready = able(sm, at); ready; ready &= ~at->of_port[at->ports[at->who]]) {
        at->who = first_in_turn(sm, at, ready);
        if (sm_opens(sm, at, at->ports[at->who]) <= at->free)
            return;
    }
    choose_later(sm, p);
}

void sm_choose(struct sm_state *sm, unsigned p)
{
    struct sm_partition *at = &sm->partitions[p];

    at->who = at->last;
    at->moved = false;
    at->alone_until = UNKNOWN;
    sm->next[p] = at->free;
    if (at->yields || later(at->ready[at->last], sm_opens(sm, at, at->ports[at->last])) > at->free)
        choose_other(sm, p);
}

/* When the first warp can go that does not queue for the load/store units. */
static double others_go(const struct sm_state *sm, const struct sm_partition *at)
{
    uint64_t others = ~(at->idle | at->queuing) & ~UINT64_C(0) >> (SM_WARPS - sm->per_partition);
    double first = INFINITY;

    for (; others; others &= others - 1) {
        const unsigned k = (unsigned)__builtin_ctzll(others);

        first = earlier(first, later(at->ready[k], sm_opens(sm, at, at->ports[k])));
    }
    return first;
}

void sm_move(struct sm_state *sm, unsigned p)
{
    struct sm_partition *at = &sm->partitions[p];
    const double time = sm->queue_free[true];

    if (!sm_queues(at->ports[at->who]))
        return;
    if (at->alone_until == UNKNOWN)
        at->alone_until = others_go(sm, at);
    if (time >= at->alone_until)
        return;
    sm->next[p] = time;
    at->moved = true;
}

void sm_choose_moved(struct sm_state *sm, unsigned p)
{
    struct sm_partition *at = &sm->partitions[p];
    const double time = sm->next[p];
    double other;

    at->who = first_in_turn(sm, at, pass(sm, at, able_at(sm, at, time) & at->queuing, time, &other));
    at->moved = false;
}
