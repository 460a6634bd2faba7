#include "model/sm/blocks.h"

#include <math.h>

/* All warps of the block have come: they go on together. */
static void pass_barrier(struct sm_state *sm, struct sm_block_slot *at)
{
    const unsigned first = (unsigned)(at - sm->block_slots) * sm->per_block;

    for (unsigned w = first; w < first + sm->per_block; w++) {
        struct sm_warp *warp;

        if (!sm_is_simulated(sm, w))
            continue;
        warp = sm_warp_at(sm, w);
        if (sm_has_ended(warp) || warp->earliest != INFINITY)
            continue;
        warp->earliest = at->latest + sm->in->code->barrier_alone - sm->arrival_cycles;
        sm_go(sm, w);
    }
    at->arrived = 0;
    at->latest = 0;
}

static void end_block(struct sm_state *sm, struct sm_block_slot *at)
{
    sm->ended++;
    sm->ended_at = at->latest;
    if (sm->replaces)
        sm_begin_block(sm, at, at->latest + sm->in->replace_cycles);
}

bool sm_end_warp(struct sm_state *sm, struct sm_partition *partition, double time)
{
    struct sm_block_slot *at = sm_stay(partition);

    at->latest = later(at->latest, time);
    at->left--;
    if (!at->left)
        end_block(sm, at);
    else if (at->arrived == at->left)
        pass_barrier(sm, at);
    else
        return false;
    return true;
}

bool sm_arrive(struct sm_state *sm, struct sm_partition *partition, double time)
{
    struct sm_block_slot *at = sm_stay(partition);

    at->latest = sm->barrier_free = later(sm->barrier_free, time) + sm->arrival_cycles;
    partition->warps[partition->last].earliest = INFINITY;
    if (++at->arrived < at->left)
        return false;
    pass_barrier(sm, at);
    return true;
}
