/* Which warp of a sub-partition goes next. Nothing outside model/sm includes this. */
#ifndef MODEL_SM_SCHEDULER_H
#define MODEL_SM_SCHEDULER_H

#include "model/sm/state.h"

/* When an issue port can be passed. */
static inline double sm_opens(const struct sm_state *sm, const struct sm_partition *at, unsigned port)
{
    return later(at->pipe[sm_pipe(port)], sm->queue_free[sm_queues(port)]);
}

/* Who goes next where the warp that went last does not. */
void sm_choose_other(struct sm_state *sm, unsigned p);

/* Who goes next on a sub-partition: the earliest, among equals the first in turn. */
static inline void sm_choose(struct sm_state *sm, unsigned p)
{
    struct sm_partition *at = &sm->partitions[p];
    const unsigned last = at->last;

    at->who = last;
    at->moved = false;
    at->others_go = SM_UNKNOWN;
    sm->next[p] = at->free;
    if (at->yields || !(at->able >> last & 1) || sm_opens(sm, at, at->ports[last]) > at->free)
        sm_choose_other(sm, p);
}

static inline void sm_choose_all(struct sm_state *sm)
{
    for (unsigned p = 0; p < sm->code->subset.count; p++)
        sm_choose(sm, p);
}

/* What sm_choose() would say of a sub-partition now that the load/store units are busy for longer than its next
 * instruction was to wait for them: later, as long as none of its warps can go that asks for something else. Which warp
 * goes is left for sm_choose_moved() to say when its turn comes. */
void sm_move(struct sm_state *sm, unsigned p);
void sm_choose_moved(struct sm_state *sm, unsigned p);

static inline void sm_move_all(struct sm_state *sm)
{
    for (unsigned p = 0; p < sm->code->subset.count; p++)
        if (sm->next[p] < sm->queue_free[true])
            sm_move(sm, p);
}

#endif
