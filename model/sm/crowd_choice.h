/* Which warp of a sub-partition goes next. Nothing outside model/crowd*.c includes this. */
#ifndef MODEL_CROWD_CHOICE_H
#define MODEL_CROWD_CHOICE_H

#include "model/sm/crowd_state.h"

/* Bit k: times[k] is at most `time`; `count` is even. By twos and without branches, since none would be
 * foreseen. */
static inline uint64_t crowd_at_most(double time, const double *times, unsigned count)
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
static inline double crowd_opens(const struct crowd_sim *sim, const struct crowd_partition *at, unsigned door)
{
    return later(at->pipe[crowd_pipe(door)], sim->queue_free[crowd_queues(door)]);
}

/* The choice when the warp that went last does not go on. */
void crowd_choose_other(struct crowd_sim *sim, unsigned p);

/* Who goes next on a sub-partition: the earliest, among equals the first in turn. */
static inline void crowd_choose(struct crowd_sim *sim, unsigned p)
{
    struct crowd_partition *at = &sim->partitions[p];

    at->who = at->last;
    sim->next[p] = at->free;
    if (at->yields || later(at->ready[at->last], crowd_opens(sim, at, at->doors[at->last])) > at->free)
        crowd_choose_other(sim, p);
}

static inline void crowd_choose_all(struct crowd_sim *sim)
{
    unsigned p;

    for (p = 0; p < sim->in->partitions; p++)
        crowd_choose(sim, p);
}

#endif
