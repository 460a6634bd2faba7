/* Which warp of a sub-partition goes next. Nothing outside model/sm includes this. */
#ifndef MODEL_CROWD_CHOICE_H
#define MODEL_CROWD_CHOICE_H

#include "model/sm/state.h"

/* Two times at once, and without branches, since none would be predicted. */
typedef double sm_pair __attribute__((vector_size(16)));

static inline sm_pair sm_later_pair(sm_pair a, sm_pair b)
{
#ifdef __SSE2__
    return __builtin_ia32_maxpd(a, b);
#else
    return (sm_pair){later(a[0], b[0]), later(a[1], b[1])};
#endif
}

static inline sm_pair sm_earlier_pair(sm_pair a, sm_pair b)
{
#ifdef __SSE2__
    return __builtin_ia32_minpd(a, b);
#else
    return (sm_pair){earlier(a[0], b[0]), earlier(a[1], b[1])};
#endif
}

static inline unsigned sm_pair_at_most(sm_pair times, sm_pair limits)
{
#ifdef __SSE2__
    return (unsigned)__builtin_ia32_movmskpd((sm_pair)(times <= limits));
#else
    return (unsigned)(times[0] <= limits[0]) | (unsigned)(times[1] <= limits[1]) << 1;
#endif
}

/* Bit k: times[k] is at most `time`; `count` is even. */
static inline uint64_t sm_at_most(double time, const double *times, unsigned count)
{
    const sm_pair limits = {time, time};
    uint64_t bits = 0;

    for (unsigned k = 0; k < count; k += 2)
        bits |= (uint64_t)sm_pair_at_most((sm_pair){times[k], times[k + 1]}, limits) << k;
    return bits;
}

/* When an issue port can be passed. */
static inline double sm_opens(const struct sm_state *sm, const struct sm_partition *at, unsigned port)
{
    return later(at->pipe[sm_pipe(port)], sm->queue_free[sm_queues(port)]);
}

/* The choice when the warp chosen before must queue for longer than was thought then, where none could go
 * meanwhile: false, and nothing is done, where one could. */
bool sm_choose_queued(struct sm_state *sm, unsigned p);

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
