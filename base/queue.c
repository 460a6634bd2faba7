#include "base/queue.h"

#include "base/clock.h"
#include "base/locale.h"
#include "base/queue_lane.h"

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>

/* Everything but the threads' own jobs is guarded by `mutex`. A parallel region blocks the thread that enters
 * it, so a thread of its own does that and becomes the first of the team. */
struct queue {
    pthread_mutex_t mutex;
    pthread_cond_t done; /* a job has finished, or the team has started */
    pthread_t host;
    struct lane *lanes;
    size_t lane_count;
    unsigned *lane_of;           /* thread of the team -> lane */
    unsigned thread_count, team; /* wanted; what OpenMP gave, 0 before */
    struct job_list finished;
    size_t pending;
    bool closing;
    int notified; /* event descriptor; -1: none */
};

/* Threads ------------------------------------------------------------------ */

/* Runs a job without holding the mutex, which is held before and after. */
static void run_job(struct queue *queue, struct lane *lane, struct job *job)
{
    const double start_s = clock_wall_s();

    lane->running++;
    lane->started_s += start_s;
    pthread_mutex_unlock(&queue->mutex);
    job->run(job->argument);
    pthread_mutex_lock(&queue->mutex);
    lane->running--;
    lane->started_s -= start_s;
    lane->busy_s += clock_wall_s() - start_s;
    lane_end_first(lane, job);
    job_list_add(&queue->finished, job);
    if (queue->notified >= 0)
        eventfd_write(queue->notified, 1); /* its counter is never full */
    pthread_cond_signal(&queue->done);
}

/* Runs what is ready, if it still is once there is a core for it. Called with the mutex. */
static void run_ready(struct queue *queue, struct lane *lane)
{
    struct job *job;

    if (lane->share) {
        pthread_mutex_unlock(&queue->mutex);
        share_take(lane->share, &lane->sharer);
        pthread_mutex_lock(&queue->mutex);
    }
    job = queue->closing ? NULL : lane_take_ready(lane);
    if (job)
        run_job(queue, lane, job);
    if (lane->share)
        share_give(lane->share, &lane->sharer);
}

static void work(struct queue *queue, unsigned thread)
{
    const struct locale_kept kept = locale_to_c();
    struct lane *lane;

    pthread_mutex_lock(&queue->mutex);
    lane = &queue->lanes[queue->lane_of[thread]];
    while (!queue->closing) {
        if (*lane_find_ready(lane))
            run_ready(queue, lane);
        else
            pthread_cond_wait(&lane->work, &queue->mutex);
    }
    pthread_mutex_unlock(&queue->mutex);
    locale_back(kept);
}

static void start_team(struct queue *queue, unsigned team)
{
    pthread_mutex_lock(&queue->mutex);
    queue->team = team;
    queue->closing = team < queue->thread_count;
    pthread_cond_signal(&queue->done);
    pthread_mutex_unlock(&queue->mutex);
}

static void *host(void *argument)
{
    struct queue *queue = argument;

    omp_set_dynamic(0);
#pragma omp parallel num_threads(queue->thread_count) default(none) shared(queue)
    {
#pragma omp master
        start_team(queue, (unsigned)omp_get_num_threads());
        work(queue, (unsigned)omp_get_thread_num());
    }
    return NULL;
}

/* Opening and closing ------------------------------------------------------ */

static int make_lanes(struct queue *queue, const unsigned *threads, size_t lanes)
{
    unsigned thread = 0, k;

    for (size_t l = 0; l < lanes; l++)
        queue->thread_count += threads[l];
    queue->lanes = calloc(lanes, sizeof *queue->lanes);
    queue->lane_of = calloc(queue->thread_count, sizeof *queue->lane_of);
    if (!queue->lanes || !queue->lane_of)
        return ERR_MEMORY;
    for (size_t l = 0; l < lanes; l++) {
        job_list_init(&queue->lanes[l].waiting);
        pthread_cond_init(&queue->lanes[l].work, NULL);
        queue->lane_count++;
        for (k = 0; k < threads[l]; k++)
            queue->lane_of[thread++] = (unsigned)l;
    }
    return 0;
}

static void release(struct queue *queue)
{
    for (size_t l = 0; l < queue->lane_count; l++) {
        struct lane *lane = &queue->lanes[l];

        if (lane->share)
            share_leave(lane->share, &lane->sharer);
        job_list_free(&lane->waiting);
        for (size_t k = 0; k < lane->firsts.capacity; k++)
            free(lane->firsts.entries[k].value);
        map_release(&lane->firsts);
        pthread_cond_destroy(&lane->work);
    }
    job_list_free(&queue->finished);
    pthread_cond_destroy(&queue->done);
    pthread_mutex_destroy(&queue->mutex);
    free(queue->lanes);
    free(queue->lane_of);
    free(queue);
}

static struct queue *make_queue(const unsigned *threads, size_t lanes)
{
    struct queue *queue = calloc(1, sizeof *queue);
    pthread_condattr_t clock;

    if (!queue)
        return NULL;
    job_list_init(&queue->finished);
    queue->notified = -1;
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&queue->done, &clock);
    pthread_condattr_destroy(&clock);
    if (!make_lanes(queue, threads, lanes))
        return queue;
    release(queue);
    return NULL;
}

int queue_open(struct queue **out, const unsigned *threads, size_t lanes, struct err *err)
{
    struct queue *queue = make_queue(threads, lanes);
    unsigned team, wanted;

    *out = NULL;
    if (!queue)
        return err_memory(err);
    wanted = queue->thread_count;
    if (pthread_create(&queue->host, NULL, host, queue)) {
        release(queue);
        return err_set(err, ERR_SYSTEM, "no thread can be started");
    }
    pthread_mutex_lock(&queue->mutex);
    while (queue->team == 0)
        pthread_cond_wait(&queue->done, &queue->mutex);
    team = queue->team;
    pthread_mutex_unlock(&queue->mutex);
    if (team < wanted) {
        queue_close(queue);
        return err_set(err, ERR_SYSTEM,
                       "%u threads wanted, %u given; use fewer jobs (-j) or raise OMP_THREAD_LIMIT", wanted,
                       team);
    }
    *out = queue;
    return 0;
}

void queue_close(struct queue *queue)
{
    if (!queue)
        return;
    pthread_mutex_lock(&queue->mutex);
    queue->closing = true;
    for (size_t l = 0; l < queue->lane_count; l++)
        pthread_cond_broadcast(&queue->lanes[l].work);
    pthread_mutex_unlock(&queue->mutex);
    pthread_join(queue->host, NULL);
    release(queue);
}

/* The controller's side ---------------------------------------------------- */

int queue_submit(struct queue *queue, size_t lane, queue_job *job, void *argument, struct err *err)
{
    return queue_submit_keyed(queue, lane, 0, job, argument, err);
}

int queue_submit_keyed(struct queue *queue, size_t lane, uint64_t key, queue_job *job, void *argument,
                       struct err *err)
{
    struct job *new = malloc(sizeof *new);

    if (!new)
        return err_memory(err);
    *new = (struct job){.run = job, .argument = argument, .lane = lane};
    pthread_mutex_lock(&queue->mutex);
    new->first = key ? lane_find_first(&queue->lanes[lane], key) : NULL;
    if (key && !new->first) {
        pthread_mutex_unlock(&queue->mutex);
        free(new);
        return err_memory(err);
    }
    job_list_add(&queue->lanes[lane].waiting, new);
    queue->lanes[lane].pending++;
    queue->pending++;
    pthread_cond_signal(&queue->lanes[lane].work);
    pthread_mutex_unlock(&queue->mutex);
    return 0;
}

size_t queue_pending(struct queue *queue, size_t lane)
{
    size_t pending;

    pthread_mutex_lock(&queue->mutex);
    pending = queue->lanes[lane].pending;
    pthread_mutex_unlock(&queue->mutex);
    return pending;
}

/* Waits for `done`; false once the deadline has passed. */
static bool wait_done(struct queue *queue, double deadline_s)
{
    struct timespec until;

    if (deadline_s < 0)
        return pthread_cond_wait(&queue->done, &queue->mutex) == 0;
    until.tv_sec = (time_t)deadline_s;
    until.tv_nsec = (long)((deadline_s - (double)until.tv_sec) * 1e9);
    return pthread_cond_timedwait(&queue->done, &queue->mutex, &until) == 0;
}

bool queue_wait(struct queue *queue, void **argument, double timeout_s)
{
    const double deadline_s = timeout_s < 0 ? -1 : clock_wall_s() + timeout_s;
    struct job *job;

    pthread_mutex_lock(&queue->mutex);
    while (!(job = job_list_take(&queue->finished)))
        if (queue->pending == 0 || timeout_s == 0 || !wait_done(queue, deadline_s))
            break;
    if (job) {
        queue->pending--;
        queue->lanes[job->lane].pending--;
    }
    pthread_mutex_unlock(&queue->mutex);
    *argument = job ? job->argument : NULL;
    free(job);
    return job != NULL;
}

void queue_cancel(struct queue *queue, size_t lane, void (*dropped)(void *argument, void *context),
                  void *context)
{
    struct job_list list;
    struct job *job;
    size_t count = 0;

    job_list_init(&list);
    pthread_mutex_lock(&queue->mutex);
    while ((job = job_list_take(&queue->lanes[lane].waiting))) {
        job_list_add(&list, job);
        count++;
    }
    queue->lanes[lane].pending -= count;
    queue->pending -= count;
    pthread_mutex_unlock(&queue->mutex);
    while ((job = job_list_take(&list))) {
        if (dropped)
            dropped(job->argument, context);
        free(job);
    }
}

double queue_busy_s(struct queue *queue, size_t lane)
{
    const struct lane *l = &queue->lanes[lane];
    double busy_s;

    pthread_mutex_lock(&queue->mutex);
    busy_s = l->busy_s + (double)l->running * clock_wall_s() - l->started_s;
    pthread_mutex_unlock(&queue->mutex);
    return busy_s;
}

void queue_share(struct queue *queue, size_t lane, struct share *share)
{
    pthread_mutex_lock(&queue->mutex);
    share_join(share, &queue->lanes[lane].sharer);
    queue->lanes[lane].share = share;
    pthread_mutex_unlock(&queue->mutex);
}

void queue_notify(struct queue *queue, int eventfd)
{
    pthread_mutex_lock(&queue->mutex);
    queue->notified = eventfd;
    pthread_mutex_unlock(&queue->mutex);
}
