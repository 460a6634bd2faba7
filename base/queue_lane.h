/* The lanes of a queue and the jobs in them. Part of base/queue: all of it is called with the queue's mutex, but on lists that
 * one thread has for itself. */
#ifndef BASE_QUEUE_LANE_H
#define BASE_QUEUE_LANE_H

#include "base/map.h"
#include "base/queue.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct job {
    queue_job *run;
    void *argument;
    size_t lane;
    struct first *first; /* of its key; null: it has none */
    struct job *next;
};

/* The first job of a key. */
struct first {
    const struct job *job; /* once one has begun, until it ends */
    bool ended;
};

struct job_list {
    struct job *first, **end; /* `end` points to where the next one goes */
};

struct lane {
    struct job_list waiting;
    struct map firsts;   /* key -> struct first */
    pthread_cond_t work; /* something is waiting, or the queue closes */
    size_t pending, running;
    struct share *share; /* of cores; null: the lane has its own */
    struct sharer sharer;
    double busy_s, started_s; /* of finished jobs; sum of the starting times of running ones */
};

/* An empty list; its end points into it, so it stays where it is. */
void job_list_init(struct job_list *list);
/* Adds a job at the end, which belongs to the list from now on. */
void job_list_add(struct job_list *list, struct job *job);
/* The first job, which is the caller's from now on; null: there is none. */
struct job *job_list_take(struct job_list *list);
/* Frees the jobs, not their arguments: the list is empty. */
void job_list_free(struct job_list *list);

/* Where the next job stands that need not wait for the first of its key; null there: there is none. */
struct job **lane_find_ready(struct lane *lane);
/* Takes that job, which is now the first of its key where none has begun; null: there is none. */
struct job *lane_take_ready(struct lane *lane);
/* Where a job that has ended was the first of its key, lets the others go. */
void lane_end_first(struct lane *lane, const struct job *job);
/* The first job of a key, new where no job had this key. Null when memory ends. */
struct first *lane_find_first(struct lane *lane, uint64_t key);

#endif
