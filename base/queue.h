/* A background work queue: jobs run on threads of their lane, and any finished job can be waited for. Lanes
 * keep kinds of work apart that must not wait for each other: compiling on all cores, one lane position per
 * GPU worker. The threads come from OpenMP. One thread submits and waits (the controller). */
#ifndef BASE_QUEUE_H
#define BASE_QUEUE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct queue;

/* A job's function runs once on a thread of its lane; it reports through its argument. */
typedef void queue_job(void *argument);

/* Opens a queue with `threads[l]` threads in lane l. */
int queue_open(struct queue **out, const unsigned *threads, size_t lanes, struct err *err);

/* Waits for running jobs, drops those not started, ends the threads. */
void queue_close(struct queue *queue);

int queue_submit(struct queue *queue, size_t lane, queue_job *job, void *argument, struct err *err);

/* Jobs of a lane submitted and not yet returned by queue_wait. */
size_t queue_pending(const struct queue *queue, size_t lane);

/* Waits until some job has finished and gives its argument, in the order of finishing. False when nothing is
 * pending or `timeout_s` (negative: none) has passed. */
bool queue_wait(struct queue *queue, void **argument, double timeout_s);

/* Drops jobs of a lane that have not started; their arguments come back through `dropped(argument, context)`.
 */
void queue_cancel(struct queue *queue, size_t lane, void (*dropped)(void *argument, void *context),
                  void *context);

/* Seconds the threads of a lane were busy since the queue was opened, summed over its threads. */
double queue_busy_s(const struct queue *queue, size_t lane);

#endif
