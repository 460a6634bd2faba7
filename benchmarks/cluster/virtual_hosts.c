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

struct virtual_cluster {
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
static struct virtual_idle idle; /* sums over all GPUs */

struct virtual_idle virtual_idle(void)
{
    const double gpus = configured.hosts;

    return (struct virtual_idle){idle.first_s / gpus, idle.between_s / gpus, idle.ended_s / gpus};
}

void virtual_configure(const struct virtual_options *options)
{
    configured = *options;
}

static void close_state(void *state)
{
    struct virtual_cluster *cluster = state;

    free(cluster->hosts);
    free(cluster->free_s);
    free(cluster->queue);
    free(cluster);
}

static int open_state(void **state, const struct evaluator_options *options, struct err *err)
{
    struct virtual_cluster *cluster = calloc(1, sizeof *cluster);

    *state = NULL;
    if (!cluster)
        return err_memory(err);
    cluster->options = configured;
    idle = (struct virtual_idle){0};
    cluster->core_s = clock_core_s();
    cluster->trials_ahead = options->trials_ahead;
    cluster->hosts = calloc(configured.hosts, sizeof *cluster->hosts);
    cluster->free_s = calloc((size_t)configured.hosts * configured.cores, sizeof *cluster->free_s);
    for (int k = 0; k < 2; k++)
        cluster->waiting[k].last = &cluster->waiting[k].first;
    if (!cluster->hosts || !cluster->free_s) {
        close_state(cluster);
        return err_memory(err);
    }
    for (unsigned h = 0; h < configured.hosts; h++)
        cluster->hosts[h].core_free_s = cluster->free_s + (size_t)h * configured.cores;
    *state = cluster;
    return 0;
}

/* The queue ---------------------------------------------------------------- */

static void swap(struct virtual_job **queue, size_t a, size_t b)
{
    struct virtual_job *job = queue[a];

    queue[a] = queue[b];
    queue[b] = job;
}

static void push(struct virtual_cluster *cluster, struct virtual_job *job)
{
    struct virtual_job **queue = cluster->queue;
    size_t at = cluster->queued++;

    queue[at] = job;
    for (; at && queue[(at - 1) / 2]->back_s > queue[at]->back_s; at = (at - 1) / 2)
        swap(queue, at, (at - 1) / 2);
}

static struct virtual_job *pop(struct virtual_cluster *cluster)
{
    struct virtual_job **queue = cluster->queue, *job = queue[0];
    size_t at = 0, least;

    queue[0] = queue[--cluster->queued];
    for (;; at = least) {
        least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < cluster->queued; child++)
            if (queue[child]->back_s < queue[least]->back_s)
                least = child;
        if (least == at)
            return job;
        swap(queue, at, least);
    }
}

/* Placing ------------------------------------------------------------------ */

/* A GPU that was free from `free_s` on begins a trial. */
static void count_idle(double free_s, double begins_s, double takes_s)
{
    *(free_s > 0 ? &idle.between_s : &idle.first_s) += begins_s - free_s;
    idle.ended_s += begins_s + takes_s - free_s;
}

static void begin(struct virtual_cluster *cluster, struct virtual_job *job, unsigned host, double *free_s)
{
    const double there_s = cluster->now_s + cluster->options.latency_s;

    if (job->job.kind == EVALUATOR_MEASURE)
        count_idle(*free_s, fmax(*free_s, there_s), job->takes_s);
    *free_s = fmax(*free_s, there_s) + job->takes_s;
    job->host = host;
    job->back_s = *free_s + cluster->options.latency_s;
    push(cluster, job);
}

static bool place_compile(struct virtual_cluster *cluster, struct virtual_job *job)
{
    struct host *best = cluster->hosts;
    double *free_s;

    for (unsigned h = 1; h < cluster->options.hosts; h++)
        if (cluster->hosts[h].compiles < best->compiles)
            best = &cluster->hosts[h];
    if (best->compiles >= AHEAD * cluster->options.cores)
        return false;
    best->compiles++;
    free_s = best->core_free_s;
    for (unsigned c = 1; c < cluster->options.cores; c++)
        if (best->core_free_s[c] < *free_s)
            free_s = &best->core_free_s[c];
    begin(cluster, job, (unsigned)(best - cluster->hosts), free_s);
    return true;
}

static bool place_trial(struct virtual_cluster *cluster, struct virtual_job *job)
{
    struct host *best = &cluster->hosts[job->host];

    for (unsigned h = 0; h < cluster->options.hosts; h++)
        if (cluster->hosts[h].trials < best->trials)
            best = &cluster->hosts[h];
    if (best->trials &&
        cluster->hosts[job->host].trials < cluster->trials_ahead) /* it need not be idle to be sent nothing */
        best = &cluster->hosts[job->host];
    if (best->trials >= cluster->trials_ahead)
        return false;
    best->trials++;
    begin(cluster, job, (unsigned)(best - cluster->hosts), &best->gpu_free_s);
    return true;
}

static void place(struct virtual_cluster *cluster, struct waiting *waiting,
                  bool (*one)(struct virtual_cluster *cluster, struct virtual_job *job))
{
    struct virtual_job *job;

    while ((job = waiting->first) != NULL) {
        struct virtual_job *next = job->next;

        if (!one(cluster, job))
            return;
        waiting->first = next;
        if (!next)
            waiting->last = &waiting->first;
    }
}

static void place_all(struct virtual_cluster *cluster)
{
    place(cluster, &cluster->waiting[EVALUATOR_COMPILE], place_compile);
    place(cluster, &cluster->waiting[EVALUATOR_MEASURE], place_trial);
}

/* The interface ------------------------------------------------------------ */

static int submit(void *state, struct evaluator_job *job, struct err *err)
{
    struct virtual_cluster *cluster = state;
    struct virtual_job *added = (struct virtual_job *)job;
    struct waiting *waiting = &cluster->waiting[job->kind];

    if (cluster->queued + 1 >=
        cluster->capacity) { /* those that wait included: one is placed at most for each submitted */
        const size_t capacity =
            2 * cluster->capacity + (size_t)AHEAD * cluster->options.hosts * cluster->options.cores + 64;
        struct virtual_job **larger = reallocarray(cluster->queue, capacity, sizeof *larger);

        if (!larger)
            return err_memory(err);
        cluster->queue = larger;
        cluster->capacity = capacity;
    }
    added->next = NULL;
    *waiting->last = added;
    waiting->last = &added->next;
    place_all(cluster);
    return 0;
}

/* Passes the time that the controller has taken since it was given the last result. */
static void think(struct virtual_cluster *cluster)
{
    const double core_s = clock_core_s();

    if (cluster->options.controller_s < 0)
        cluster->now_s += core_s - cluster->core_s;
    cluster->core_s = core_s;
}

static struct evaluator_job *next_done(void *state, double timeout_s)
{
    struct virtual_cluster *cluster = state;
    struct virtual_job *job;

    think(cluster);
    if (!cluster->queued)
        return NULL;
    if (timeout_s >= 0 && cluster->queue[0]->back_s > cluster->now_s + timeout_s) {
        cluster->now_s += timeout_s;
        return NULL;
    }
    job = pop(cluster);
    cluster->now_s = fmax(cluster->now_s, job->back_s) + fabs(cluster->options.controller_s);
    cluster->busy_s[job->job.kind] += job->takes_s;
    if (job->job.kind == EVALUATOR_COMPILE)
        cluster->hosts[job->host].compiles--;
    else
        cluster->hosts[job->host].trials--;
    place_all(cluster);
    job->job.finished_s = cluster->now_s;
    return &job->job;
}

static void drop_compiling(void *state)
{
    struct virtual_cluster *cluster = state;
    size_t kept = 0, count = cluster->queued;

    for (size_t i = 0; i < count; i++)
        if (cluster->queue[i]->job.kind == EVALUATOR_MEASURE)
            cluster->queue[kept++] = cluster->queue[i];
    cluster->queued = 0;
    for (size_t i = 0; i < kept; i++)
        push(cluster, cluster->queue[i]);
    for (unsigned h = 0; h < cluster->options.hosts; h++)
        cluster->hosts[h].compiles = 0;
    cluster->waiting[EVALUATOR_COMPILE].first = NULL;
    cluster->waiting[EVALUATOR_COMPILE].last = &cluster->waiting[EVALUATOR_COMPILE].first;
}

static size_t gpus(const void *state)
{
    return ((const struct virtual_cluster *)state)->options.hosts;
}

static unsigned cores(const void *state)
{
    const struct virtual_cluster *cluster = state;

    return cluster->options.hosts * cluster->options.cores;
}

static double now_s(const void *state)
{
    return ((const struct virtual_cluster *)state)->now_s;
}

static double busy_s(const void *state, enum evaluator_kind kind)
{
    return ((const struct virtual_cluster *)state)->busy_s[kind];
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
