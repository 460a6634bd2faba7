/* The processes that compile, shared by the threads that hand them work: kept for reuse, started ahead, and
 * ended in the middle of their work when nobody waits for it any more. Part of gpu/compile, which is how
 * others see it. */
#ifndef GPU_COMPILE_POOL_H
#define GPU_COMPILE_POOL_H

#include "base/err.h"
#include "gpu/message.h"
#include "gpu/process.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct pool {
    const char *worker, *library; /* what process_start() is told; borrowed */
    pthread_mutex_t lock;
    struct idle *idle; /* processes that wait for work */
    size_t idle_count;
    struct work *at_work; /* what has begun */
};

void pool_init(struct pool *out, const char *worker, const char *library);
void pool_release(struct pool *pool); /* ends them; none is at work any more */

/* Starts processes until `count` are idle, without waiting for them to load NVRTC. */
int pool_prepare(struct pool *pool, size_t count, struct err *err);

/* Starts a process and waits for its greeting, which the caller releases. One that dies or is stopped before
 * is replaced, more than once. ERR_MISSING when it finds no NVRTC. */
int pool_start(struct process *out, struct message *greeting, const struct pool *pool, struct err *err);

/* An idle process, else (or where `fresh`) a new one. True in *reused: it may have died while it was idle. */
int pool_take(struct process *out, bool *reused, struct pool *pool, bool fresh, struct err *err);

/* It waits for work again. Where memory ends it is ended instead. */
void pool_give(struct pool *pool, struct process *process);

/* Work that can be interrupted, from before it has a process: one may have to be started for it. In the
 * caller's hands. The end comes before the process is reaped: its number may be another's afterwards. */
struct work {
    pid_t pid; /* 0: none yet */
    bool interrupted;
    const atomic_bool *given_up; /* false: an interrupt is not meant for it; null: it is */
    struct work *next;
};
void pool_begin_work(struct pool *pool, struct work *work, const atomic_bool *given_up);
/* From here on an interrupt kills the process. False when there was one before. */
bool pool_hand_work(struct pool *pool, struct work *work, const struct process *process);
void pool_end_work(struct pool *pool, const struct work *work);

/* Ends what has begun: kills the processes at work, and keeps those from it that are still started. */
void pool_interrupt(struct pool *pool);

#endif
