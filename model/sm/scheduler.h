/* Which warp of a sub-partition goes next. Nothing outside model/sm includes this. */
#ifndef MODEL_CROWD_CHOICE_H
#define MODEL_CROWD_CHOICE_H

#include "model/sm/state.h"

/* Bit k: times[k] is at most `time`; `count` is even. By twos and without branches, since none would be
 * foreseen. */
static inline uint64_t sm_at_most(double time, const double *times, unsigned count)
{
    typedef double two_times __attribute__((vector_size(16)));
    typedef int64_t two_bits __attribute__((vector_size(16)));
    const two_times limit = {time, time};
    two_bits bits = {0, 0}, bit = {1, 2};
    unsigned k;

    for (k = 0; k < count; k += 2, bit <<= 2) {
        const two_times some = {times[k], times[k + 1]};

        bits |= (some <= limit) & bit;
    }
    return (uint64_t)(bits[0] | bits[1]);
}

/* When a door can be passed. */
static inline double sm_opens(const struct sm_state *sm, const struct sm_partition *at, unsigned port)
{
    return later(at->pipe[sm_pipe(port)], sm->queue_free[sm_queues(port)]);
}

/* The choice when the warp that went last does not go on. */
void sm_choose_other(struct sm_state *sm, unsigned p);

/* Who goes next on a sub-partition: the earliest, among equals the first in turn. */
static inline void sm_choose(struct sm_state *sm, unsigned p)
{
    struct sm_partition *at = &sm->partitions[p];

    at->who = at->last;
    sm->next[p] = at->free;
    if (at->yields || later(at->ready[at->last], sm_opens(sm, at, at->ports[at->last])) > at->free)
        sm_choose_other(sm, p);
}

static inline void sm_choose_all(struct sm_state *sm)
{
    unsigned p;

    for (p = 0; p < sm->in->partitions; p++)
        sm_choose(sm, p);
}

#endif
