#include "benchmarks/cluster/virtual_hosts.h"

#include "base/clock.h"

#include <math.h>
#include <stdlib.h>

enum { AHEAD = 2 }; /* compiles for each core that are with a host, as evaluator_remote has it */

struct host {
    double *core_free_s, gpu_free_s;
    unsigned compiles, trials; /* that are with it */
};

struct waiting {
    struct virtual_job *first, **last;
};

struct machine_room {
    struct virtual_options options;
    unsigned trials_ahead;
    struct host *hosts;
    double *free_s;             /* of all cores */
    struct waiting waiting[2];  /* of each kind */
    struct virtual_job **queue; /* a heap, the next result first */
    size_t queued, capacity;
    double now_s, busy_s[2];
    double core_s; /* of the controller, when it was last asked to wait */
};

static struct virtual_options configured;

void virtual_configure(const struct virtual_options *options)
{
    configured = *options;
}

static void close_state(void *state)
{
    struct machine_room *room = state;

    free(room->hosts);
    free(room->free_s);
    free(room->queue);
    free(room);
}

static int open_state(void **state, const struct evaluator_options *options, struct err *err)
{
    struct machine_room *room = calloc(1, sizeof *room);

    *state = NULL;
    if (!room)
        return err_memory(err);
    room->options = configured;
    room->core_s = clock_core_s();
    room->trials_ahead = options->trials_ahead;
    room->hosts = calloc(configured.hosts, sizeof *room->hosts);
    room->free_s = calloc((size_t)configured.hosts * configured.cores, sizeof *room->free_s);
    for (int k = 0; k < 2; k++)
        room->waiting[k].last = &room->waiting[k].first;
    if (!room->hosts || !room->free_s) {
        close_state(room);
        return err_memory(err);
    }
    for (unsigned h = 0; h < configured.hosts; h++)
        room->hosts[h].core_free_s = room->free_s + (size_t)h * configured.cores;
    *state = room;
    return 0;
}

/* The queue
 * -------------------------------------------------------------------------------------------------------- */

static void swap(struct virtual_job **queue, size_t a, size_t b)
{
    struct virtual_job *job = queue[a];

    queue[a] = queue[b];
    queue[b] = job;
}

static void push(struct machine_room *room, struct virtual_job *job)
{
    struct virtual_job **queue = room->queue;
    size_t at = room->queued++;

    queue[at] = job;
    for (; at && queue[(at - 1) / 2]->back_s > queue[at]->back_s; at = (at - 1) / 2)
        swap(queue, at, (at - 1) / 2);
}

static struct virtual_job *pop(struct machine_room *room)
{
    struct virtual_job **queue = room->queue, *job = queue[0];
    size_t at = 0, least;

    queue[0] = queue[--room->queued];
    for (;; at = least) {
        least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < room->queued; child++)
            if (queue[child]->back_s < queue[least]->back_s)
                least = child;
        if (least == at)
            return job;
        swap(queue, at, least);
    }
}

/* Placing
 * -------------------------------------------------------------------------------------------------------- */

static void begin(struct machine_room *room, struct virtual_job *job, unsigned host, double *free_s)
{
    const double there_s = room->now_s + room->options.latency_s;

    *free_s = fmax(*free_s, there_s) + job->takes_s;
    job->host = host;
    job->back_s = *free_s + room->options.latency_s;
    push(room, job);
}

static bool place_compile(struct machine_room *room, struct virtual_job *job)
{
    struct host *best = room->hosts;
    double *free_s;

    for (unsigned h = 1; h < room->options.hosts; h++)
        if (room->hosts[h].compiles < best->compiles)
            best = &room->hosts[h];
    if (best->compiles >= AHEAD * room->options.cores)
        return false;
    best->compiles++;
    free_s = best->core_free_s;
    for (unsigned c = 1; c < room->options.cores; c++)
        if (best->core_free_s[c] < *free_s)
            free_s = &best->core_free_s[c];
    begin(room, job, (unsigned)(best - room->hosts), free_s);
    return true;
}

static bool place_trial(struct machine_room *room, struct virtual_job *job)
{
    struct host *best = &room->hosts[job->host];

    for (unsigned h = 0; h < room->options.hosts; h++)
        if (room->hosts[h].trials < best->trials)
            best = &room->hosts[h];
    if (best->trials &&
        room->hosts[job->host].trials < room->trials_ahead) /* it need not be idle to be sent nothing */
        best = &room->hosts[job->host];
    if (best->trials >= room->trials_ahead)
        return false;
    best->trials++;
    begin(room, job, (unsigned)(best - room->hosts), &best->gpu_free_s);
    return true;
}

static void place(struct machine_room *room, struct waiting *waiting,
                  bool (*one)(struct machine_room *room, struct virtual_job *job))
{
    struct virtual_job *job;

    while ((job = waiting->first) != NULL) {
        struct virtual_job *next = job->next;

        if (!one(room, job))
            return;
        waiting->first = next;
        if (!next)
            waiting->last = &waiting->first;
    }
}

static void place_all(struct machine_room *room)
{
    place(room, &room->waiting[EVALUATOR_COMPILE], place_compile);
    place(room, &room->waiting[EVALUATOR_MEASURE], place_trial);
}

/* The interface
 * -------------------------------------------------------------------------------------------------------- */

static int submit(void *state, struct evaluator_job *job, struct err *err)
{
    struct machine_room *room = state;
    struct virtual_job *added = (struct virtual_job *)job;
    struct waiting *waiting = &room->waiting[job->kind];

    if (room->queued + 1 >=
        room->capacity) { /* those that wait included: one is placed at most for each submitted */
        const size_t capacity =
            2 * room->capacity + (size_t)AHEAD * room->options.hosts * room->options.cores + 64;
        struct virtual_job **larger = reallocarray(room->queue, capacity, sizeof *larger);

        if (!larger)
            return err_memory(err);
        room->queue = larger;
        room->capacity = capacity;
    }
    added->next = NULL;
    *waiting->last = added;
    waiting->last = &added->next;
    place_all(room);
    return 0;
}

/* Passes the time that the controller has taken since it was given the last result. */
static void think(struct machine_room *room)
{
    const double core_s = clock_core_s();

    if (room->options.controller_s < 0)
        room->now_s += core_s - room->core_s;
    room->core_s = core_s;
}

static struct evaluator_job *next_done(void *state, double timeout_s)
{
    struct machine_room *room = state;
    struct virtual_job *job;

    think(room);
    if (!room->queued)
        return NULL;
    if (timeout_s >= 0 && room->queue[0]->back_s > room->now_s + timeout_s) {
        room->now_s += timeout_s;
        return NULL;
    }
    job = pop(room);
    room->now_s = fmax(room->now_s, job->back_s) + fmax(room->options.controller_s, 0);
    room->busy_s[job->job.kind] += job->takes_s;
    if (job->job.kind == EVALUATOR_COMPILE)
        room->hosts[job->host].compiles--;
    else
        room->hosts[job->host].trials--;
    place_all(room);
    job->job.finished_s = room->now_s;
    return &job->job;
}

static void drop_compiling(void *state)
{
    struct machine_room *room = state;
    size_t kept = 0, count = room->queued;

    for (size_t i = 0; i < count; i++)
        if (room->queue[i]->job.kind == EVALUATOR_MEASURE)
            room->queue[kept++] = room->queue[i];
    room->queued = 0;
    for (size_t i = 0; i < kept; i++)
        push(room, room->queue[i]);
    for (unsigned h = 0; h < room->options.hosts; h++)
        room->hosts[h].compiles = 0;
    room->waiting[EVALUATOR_COMPILE].first = NULL;
    room->waiting[EVALUATOR_COMPILE].last = &room->waiting[EVALUATOR_COMPILE].first;
}

static size_t gpus(const void *state)
{
    return ((const struct machine_room *)state)->options.hosts;
}

static unsigned cores(const void *state)
{
    const struct machine_room *room = state;

    return room->options.hosts * room->options.cores;
}

static double now_s(const void *state)
{
    return ((const struct machine_room *)state)->now_s;
}

static double busy_s(const void *state, enum evaluator_kind kind)
{
    return ((const struct machine_room *)state)->busy_s[kind];
}

static double spent_s(const struct evaluator_job *job)
{
    return ((const struct virtual_job *)job)->takes_s;
}

const struct evaluator_type evaluator_virtual = {
    .name = "virtual",
    .choice = 2,
    .open = open_state,
    .submit = submit,
    .wait = next_done,
    .drop_compiling = drop_compiling,
    .gpus = gpus,
    .cores = cores,
    .now_s = now_s,
    .busy_s = busy_s,
    .spent_s = spent_s,
    .close = close_state,
};
