#include "model/sm/storing.h"

/* What is stored behind the last products. Where an SM holds several blocks, others begin then. */
static double stored_last(const struct sm_state *sm, const struct sm_partition *at)
{
    double last = 0;

    for (unsigned g = 0; g < SM_WARP_GROUPS && sm->block_slot_count == 1; g++)
        last = later(last, sm_stored_for(at, &sm->block_slots[0], g));
    return last;
}

double sm_storing_share(const struct sm_state *sm)
{
    double storing = sm->storing;

    for (unsigned p = 0; p < sm->code->subset.count; p++)
        storing += stored_last(sm, &sm->partitions[p]);
    return sm->end > 0 ? storing / sm->end / sm->code->subset.count : 0;
}
