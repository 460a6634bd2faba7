/* A background work queue: jobs run on threads of their lane, and any finished job can be waited for. Lanes
 * keep kinds of work apart that must not wait for each other: compiling on all cores, one lane position per
 * GPU worker. The threads come from OpenMP. One thread submits and waits (the controller). */
#ifndef BASE_QUEUE_H
#define BASE_QUEUE_H

#include "base/err.h"
#include "base/share.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct queue;

/* A job's function runs once on a thread of its lane; it reports through its argument. */
typedef void queue_job(void *argument);

/* Opens a queue with `threads[l]` threads, at least one, in each of `lanes` lanes. ERR_SYSTEM when the
 * threads are not to be had. */
int queue_open(struct queue **out, const unsigned *threads, size_t lanes, struct err *err);

/* Waits for running jobs, drops those not started, ends the threads. The arguments stay the caller's. Null is
 * fine. */
void queue_close(struct queue *queue);

/* A lane starts its jobs in the order in which they were submitted. */
int queue_submit(struct queue *queue, size_t lane, queue_job *job, void *argument, struct err *err);

/* Likewise; but of a lane's jobs with one `key` (0: none) the first that begins goes ahead: the others wait
 * for its end, without a thread, while jobs behind them pass. */
int queue_submit_keyed(struct queue *queue, size_t lane, uint64_t key, queue_job *job, void *argument,
                       struct err *err);

/* Jobs of a lane submitted and not yet returned by queue_wait or dropped. */
size_t queue_pending(struct queue *queue, size_t lane);

/* Waits until some job has finished and gives its argument, in the order of finishing. False, and a null
 * argument, when nothing is pending or `timeout_s` (negative: none; 0: only look) has passed. */
bool queue_wait(struct queue *queue, void **argument, double timeout_s);

/* From now on an event is added to `eventfd` (eventfd(2)) whenever a job has finished, for a thread that waits
 * for other things too. Set before the first job. */
void queue_notify(struct queue *queue, int eventfd);

/* From now on a thread of this lane runs a job only while it has a core of `share`, in which other queues have their part.
 * Set before the first job; the share lives as long as the queue. */
void queue_share(struct queue *queue, size_t lane, struct share *share);

/* Drops jobs of a lane that have not started; their arguments come back through `dropped(argument, context)`,
 * in order. */
void queue_cancel(struct queue *queue, size_t lane, void (*dropped)(void *argument, void *context),
                  void *context);

/* Seconds the threads of a lane have been busy since the queue was opened, summed over its threads, running
 * jobs included. */
double queue_busy_s(struct queue *queue, size_t lane);

#endif
