#include "model/sm/scheduler.h"

#include <math.h>

/* Who goes of those whose bits are set, of which there is one. After an instruction that yields the others in
 * turn, the younger first. Else the warp that went last, or those of the block that began first, in turn. */
static unsigned first_in_turn(const struct sm_state *sm, const struct sm_partition *at, uint64_t bits)
{
    const uint64_t last = UINT64_C(1) << at->last;
    const unsigned *block_slot = sm->by_age;
    uint64_t older;

    if (!(bits & (bits - 1)))
        return (unsigned)__builtin_ctzll(bits);
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

/* When the first of some warps can go, and who they are. */
struct first {
    double time;
    uint64_t who;
};

static inline void first_add(struct first *first, double time, uint64_t who)
{
    if (time > first->time)
        return;
    first->who = time < first->time ? who : first->who | who;
    first->time = time;
}

/* Those among some warps; earlier than they can go if that is before the scheduler is free. */
static struct first first_among(const struct sm_state *sm, const struct sm_partition *at, uint64_t among)
{
    struct first first = {INFINITY, 0};

    for (uint64_t able = at->able & among; able;) {
        const unsigned port = at->ports[__builtin_ctzll(able)];

        first_add(&first, sm_opens(sm, at, port), able & at->of_port[port]);
        able &= ~at->of_port[port];
    }
    for (const struct sm_waiting *warp = &at->waiting[at->waiting_count]; warp->ready <= first.time; warp--) {
        const unsigned port = at->ports[__builtin_ctzll(warp->bit)];

        if (among & warp->bit)
            first_add(&first, later(warp->ready, sm_opens(sm, at, port)), warp->bit);
    }
    return first;
}

/* Who goes next when none can as soon as the scheduler is free. */
static void choose_later(struct sm_state *sm, unsigned p)
{
    struct sm_partition *at = &sm->partitions[p];
    const struct first first = first_among(sm, at, UINT64_MAX);

    sm->next[p] = first.time;
    if (first.who)
        at->who = first_in_turn(sm, at, first.who);
}

void sm_choose_other(struct sm_state *sm, unsigned p)
{
    struct sm_partition *at = &sm->partitions[p];

    for (uint64_t able = at->able; able; able &= ~at->of_port[at->ports[at->who]]) {
        at->who = first_in_turn(sm, at, able);
        if (sm_opens(sm, at, at->ports[at->who]) <= at->free)
            return;
    }
    choose_later(sm, p);
}

void sm_move(struct sm_state *sm, unsigned p)
{
    struct sm_partition *at = &sm->partitions[p];
    const double time = sm->queue_free[true];

    if (!sm_queues(at->ports[at->who]))
        return;
    if (at->others_go == SM_UNKNOWN)
        at->others_go = first_among(sm, at, ~at->queuing).time;
    if (time >= at->others_go)
        return;
    sm->next[p] = time;
    at->moved = true;
}

void sm_choose_moved(struct sm_state *sm, unsigned p)
{
    struct sm_partition *at = &sm->partitions[p];

    at->who = first_in_turn(sm, at, first_among(sm, at, at->queuing).who);
    at->moved = false;
}
