/* Which warp of a sub-partition goes next. Nothing outside model/sm includes this. */
#ifndef MODEL_SM_SCHEDULER_H
#define MODEL_SM_SCHEDULER_H

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

/* `times` where they are after `limits`; elsewhere no number, which sm_earlier_pair() passes over as its first. */
static inline sm_pair sm_pair_after(sm_pair times, sm_pair limits)
{
    typedef long long bits __attribute__((vector_size(16)));

    return (sm_pair)((bits)times | (times <= limits));
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

/* Who goes next on a sub-partition: the earliest, among equals the first in turn. */
void sm_choose(struct sm_state *sm, unsigned p);

/* What sm_choose() would say of a sub-partition now that the load/store units are busy for longer than its next
 * instruction was to wait for them: later, as long as none of its warps can go that asks for something else. Which warp
 * goes is left for sm_choose_moved() to say when its turn comes. */
void sm_move(struct sm_state *sm, unsigned p);
void sm_choose_moved(struct sm_state *sm, unsigned p);

static inline void sm_move_all(struct sm_state *sm)
{
    for (unsigned p = 0; p < sm->in->partitions; p++)
        if (sm->next[p] < sm->queue_free[true])
            sm_move(sm, p);
}

static inline void sm_choose_all(struct sm_state *sm)
{
    unsigned p;

    for (p = 0; p < sm->in->partitions; p++)
        sm_choose(sm, p);
}

#endif
