#include "tuner/source/source.h"

#include "base/clock.h"
#include "base/map.h"
#include "base/queue.h"
#include "tuner/predict/request.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

struct source {
    struct source_options options;
    struct queue *queue; /* lane 0 compiles, lane 1 + g is GPU g */
    atomic_bool stopped; /* nothing is predicted any more */
    unsigned round;      /* of compiling */
    double opened_s;     /* live: wall clock */
    size_t pending[2];
    struct source_job *
        *done; /* live: answered by a record; recorded: on the simulated machine, in no order */
    size_t done_count, done_capacity;
    size_t compiling;  /* real jobs in the queue */
    size_t sharing;    /* pending jobs that share their code */
    struct map codes;  /* of the jobs so far -> struct known_code */
    double now_s;      /* recorded */
    double *free_s[2]; /* recorded: when each core, each GPU is free again */
    double busy_s[2];
};

struct known_code {
    double ready_s; /* recorded: when the first was compiled */
};

static size_t machines(const struct source *source, enum source_kind kind)
{
    return kind == SOURCE_COMPILE ? source_cores(source) : source_gpus(source);
}

static int open_queue(struct source *source, struct err *err)
{
    const size_t lanes = 1 + source->options.worker_count;
    unsigned *threads = malloc(lanes * sizeof *threads);
    size_t lane;
    int code;

    if (!threads)
        return err_memory(err);
    for (lane = 0; lane < lanes; lane++)
        threads[lane] = lane ? 1 : source->options.cores;
    code = queue_open(&source->queue, threads, lanes, err);
    free(threads);
    return code;
}

int source_open(struct source **out, const struct source_options *options, struct err *err)
{
    struct source *source = calloc(1, sizeof *source);
    int code = source ? 0 : err_memory(err);

    *out = NULL;
    if (code)
        return code;
    source->options = *options;
    atomic_init(&source->stopped, false);
    source->opened_s = clock_wall_s();
    source->free_s[SOURCE_COMPILE] = calloc(source_cores(source), sizeof(double));
    source->free_s[SOURCE_MEASURE] = calloc(source_gpus(source), sizeof(double));
    if (!source->free_s[SOURCE_COMPILE] || !source->free_s[SOURCE_MEASURE])
        code = err_memory(err);
    if (!code)
        code = open_queue(source, err);
    if (code)
        source_close(source);
    else
        *out = source;
    return code;
}

void source_close(struct source *source)
{
    size_t i;

    if (!source)
        return;
    atomic_store(&source->stopped, true);
    if (source->queue)
        queue_close(source->queue);
    free(source->free_s[SOURCE_COMPILE]);
    free(source->free_s[SOURCE_MEASURE]);
    free(source->done);
    for (i = 0; i < source->codes.capacity; i++)
        free(source->codes.entries[i].value);
    map_release(&source->codes);
    free(source);
}

/* Compile jobs of an earlier round were given up. */
static bool is_given_up(const struct source_job *job)
{
    return job->kind == SOURCE_COMPILE && job->round != job->source->round;
}

/* Jobs, on the queue's threads
 * --------------------------------------------------------------------------------------- */

static void run_compile(void *argument)
{
    struct source_job *job = argument;
    const struct source_options *options = &job->source->options;
    const struct compile_request request =
        request_of(job->variant, options->arch, options->compile_deadline_s);

    if (!compile_cubin(&job->compiled, options->compiler, &request, &job->err) && job->read &&
        job->compiled.outcome == OUTCOME_OK && !atomic_load(&job->source->stopped))
        forecast_code(&job->forecast, options->machine, &job->compiled, job->read, options->warm,
                      &job->source->stopped, &job->err);
}

static void run_measure(void *argument)
{
    struct source_job *job = argument;
    const struct source_options *options = &job->source->options;
    const struct code code = {job->compiled.cubin, job->compiled.cubin_bytes, job->compiled.entry};
    struct protocol protocol = *options->protocol;

    protocol.give_up_s = job->give_up_s;
    worker_trial(&job->trial, options->workers[job->lane - 1], &code, &job->variant->launch, job->reference,
                 &protocol, &job->err);
}

static size_t least_busy_gpu(const struct source *source)
{
    size_t lane, best = 1;

    for (lane = 2; lane <= source->options.worker_count; lane++)
        if (queue_pending(source->queue, lane) < queue_pending(source->queue, best))
            best = lane;
    return best;
}

/* The simulated machine
 * ---------------------------------------------------------------------------------------------------- */

/* What the record says. What had to be compiled after all, and predicted, takes the time it took here. */
static double taken_s(const struct source_job *job)
{
    const struct record *known = job->known;
    double taken;

    if (job->kind == SOURCE_MEASURE)
        taken = isnan(known->trial_s) ? known->verify_s + known->benchmark_s : known->trial_s;
    else
        taken = (job->shared ? 0 : fmax(known ? known->compile_s : job->compiled.compile_s, 0)) +
                job->forecast.predict_s;
    return taken > 0 ? taken : 0;
}

/* Gives the job to the core or GPU that is free first. One that shares its code waits for it beside that. */
static void simulate(struct source *source, struct source_job *job)
{
    struct known_code *code = job->kind == SOURCE_COMPILE ? map_find(&source->codes, job->code) : NULL;
    const double taken = taken_s(job);
    double *free_s = source->free_s[job->kind];
    size_t m, first = 0;

    for (m = 1; m < machines(source, job->kind); m++)
        if (free_s[m] < free_s[first])
            first = m;
    job->finished_s = fmax(job->submitted_s, free_s[first]) + taken;
    free_s[first] = job->finished_s;
    source->busy_s[job->kind] += taken;
    if (job->shared)
        job->finished_s = fmax(job->finished_s, code->ready_s + taken);
    else if (code)
        code->ready_s = job->finished_s;
}

/* Room for every job that is on its way, so that finishing cannot fail. */
static int make_room(struct source *source, struct err *err)
{
    const size_t wanted = source->done_count + source->compiling + 1;
    struct source_job **larger;

    if (wanted <= source->done_capacity)
        return 0;
    larger = realloc(source->done, 2 * wanted * sizeof(struct source_job *));
    if (!larger)
        return err_memory(err);
    source->done = larger;
    source->done_capacity = 2 * wanted;
    return 0;
}

static struct source_job *pop_done(struct source *source)
{
    struct source_job *job;
    size_t i, first = 0;

    for (i = 1; i < source->done_count; i++)
        if (source->done[i]->finished_s < source->done[first]->finished_s)
            first = i;
    job = source->done[first];
    source->done[first] = source->done[--source->done_count];
    return job;
}

/* The next job of the queue that was not given up. */
static struct source_job *wait_real(struct source *source, double timeout_s)
{
    struct source_job *job;
    void *argument;

    while (queue_wait(source->queue, &argument, timeout_s)) {
        job = argument;
        if (!is_given_up(job))
            return job;
    }
    return NULL;
}

static struct source_job *wait_simulated(struct source *source)
{
    struct source_job *job;

    while (source->compiling && (job = wait_real(source, -1)) != NULL) {
        source->compiling--;
        simulate(source, job);
        source->done[source->done_count++] = job;
    }
    if (!source->done_count)
        return NULL;
    job = pop_done(source);
    source->now_s = fmax(source->now_s, job->finished_s);
    return job;
}

/* The interface
 * ------------------------------------------------------------------------------------------------------------
 */

static int submit_real(struct source *source, struct source_job *job, struct err *err)
{
    job->lane = job->kind == SOURCE_COMPILE ? 0 : least_busy_gpu(source);
    if (job->kind == SOURCE_MEASURE)
        return queue_submit(source->queue, job->lane, run_measure, job, err);
    source->compiling += source->options.level == SOURCE_RECORDED;
    return queue_submit_keyed(source->queue, job->lane, job->code, run_compile, job, err);
}

/* Whether a job before this one compiles to the same. */
static int find_code(struct source *source, struct source_job *job, struct err *err)
{
    struct known_code *code;

    job->shared = false;
    if (job->kind != SOURCE_COMPILE || !job->code)
        return 0;
    job->shared = map_find(&source->codes, job->code) != NULL;
    if (job->shared)
        return 0;
    code = calloc(1, sizeof *code);
    if (!code)
        return err_memory(err);
    if (map_put(&source->codes, job->code, code, err)) {
        free(code);
        return ERR_MEMORY;
    }
    return 0;
}

int source_submit(struct source *source, struct source_job *job, struct err *err)
{
    int code = make_room(source, err);

    if (!code)
        code = find_code(source, job, err);
    if (code)
        return code;
    job->source = source;
    job->round = source->round;
    job->submitted_s = job->finished_s = source_now_s(source);
    if (job->known && !job->read) {
        if (source->options.level == SOURCE_RECORDED)
            simulate(source, job);
        source->done[source->done_count++] = job;
    } else {
        code = submit_real(source, job, err);
    }
    if (!code) {
        source->pending[job->kind]++;
        source->sharing += job->shared;
    }
    return code;
}

static void forget(void *argument, void *context)
{
    (void)argument, (void)context;
}

void source_give_up_compiling(struct source *source)
{
    size_t i, kept = 0;

    atomic_store(&source->stopped, true);
    source->round++;
    queue_cancel(source->queue, 0, forget, NULL);
    if (source->options.compiler)
        compiler_interrupt(source->options.compiler);
    for (i = 0; i < source->done_count; i++)
        if (!is_given_up(source->done[i]))
            source->done[kept++] = source->done[i];
    source->done_count = kept;
    source->compiling = 0;
    source->pending[SOURCE_COMPILE] = 0;
    source->sharing = 0;
}

struct source_job *source_wait(struct source *source, double timeout_s)
{
    struct source_job *job = NULL;

    if (source->options.level == SOURCE_RECORDED) {
        job = wait_simulated(source);
    } else if (source->done_count) {
        job = pop_done(source);
    } else {
        job = wait_real(source, timeout_s);
        if (job)
            job->finished_s = source_now_s(source);
    }
    if (job) {
        source->pending[job->kind]--;
        source->sharing -= job->shared;
    }
    return job;
}

double source_spent_s(const struct source_job *job)
{
    if (job->source->options.level == SOURCE_RECORDED)
        return taken_s(job);
    if (job->kind == SOURCE_MEASURE)
        return job->known ? 0 : job->trial.total_s;
    return (job->compiled.cached ? 0 : job->compiled.compile_s) + job->forecast.predict_s;
}

size_t source_pending(const struct source *source, enum source_kind kind)
{
    return source->pending[kind];
}

size_t source_compiling(const struct source *source)
{
    return source->pending[SOURCE_COMPILE] - source->sharing;
}

size_t source_gpus(const struct source *source)
{
    return source->options.level == SOURCE_LIVE ? source->options.worker_count : 1;
}

unsigned source_cores(const struct source *source)
{
    return source->options.level == SOURCE_LIVE ? source->options.cores : source->options.simulated_cores;
}

double source_now_s(const struct source *source)
{
    return source->options.level == SOURCE_LIVE ? clock_wall_s() - source->opened_s : source->now_s;
}

double source_busy_s(const struct source *source, enum source_kind kind)
{
    double busy = 0;
    size_t lane;

    if (source->options.level == SOURCE_RECORDED)
        return source->busy_s[kind];
    if (kind == SOURCE_COMPILE)
        return queue_busy_s(source->queue, 0);
    for (lane = 1; lane <= source->options.worker_count; lane++)
        busy += queue_busy_s(source->queue, lane);
    return busy;
}
