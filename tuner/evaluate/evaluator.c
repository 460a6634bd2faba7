#include "tuner/evaluate/evaluator.h"

#include "base/clock.h"
#include "base/map.h"
#include "base/queue.h"
#include "tuner/predict/request.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

struct evaluator {
    struct evaluator_options options;
    struct queue *queue; /* lane 0 compiles, lane 1 + g is GPU g */
    atomic_bool stopped; /* nothing is predicted any more */
    unsigned round;      /* of compiling */
    double opened_s;     /* live: wall clock */
    size_t pending[2];
    struct evaluator_job *
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

static size_t machines(const struct evaluator *evaluator, enum evaluator_kind kind)
{
    return kind == EVALUATOR_COMPILE ? evaluator_cores(evaluator) : evaluator_gpus(evaluator);
}

static int open_queue(struct evaluator *evaluator, struct err *err)
{
    const size_t lanes = 1 + evaluator->options.worker_count;
    unsigned *threads = malloc(lanes * sizeof *threads);
    size_t lane;
    int code;

    if (!threads)
        return err_memory(err);
    for (lane = 0; lane < lanes; lane++)
        threads[lane] = lane ? 1 : evaluator->options.cores;
    code = queue_open(&evaluator->queue, threads, lanes, err);
    free(threads);
    return code;
}

int evaluator_open(struct evaluator **out, const struct evaluator_options *options, struct err *err)
{
    struct evaluator *evaluator = calloc(1, sizeof *evaluator);
    int code = evaluator ? 0 : err_memory(err);

    *out = NULL;
    if (code)
        return code;
    evaluator->options = *options;
    atomic_init(&evaluator->stopped, false);
    evaluator->opened_s = clock_wall_s();
    evaluator->free_s[EVALUATOR_COMPILE] = calloc(evaluator_cores(evaluator), sizeof(double));
    evaluator->free_s[EVALUATOR_MEASURE] = calloc(evaluator_gpus(evaluator), sizeof(double));
    if (!evaluator->free_s[EVALUATOR_COMPILE] || !evaluator->free_s[EVALUATOR_MEASURE])
        code = err_memory(err);
    if (!code)
        code = open_queue(evaluator, err);
    if (code)
        evaluator_close(evaluator);
    else
        *out = evaluator;
    return code;
}

void evaluator_close(struct evaluator *evaluator)
{
    size_t i;

    if (!evaluator)
        return;
    atomic_store(&evaluator->stopped, true);
    if (evaluator->queue)
        queue_close(evaluator->queue);
    free(evaluator->free_s[EVALUATOR_COMPILE]);
    free(evaluator->free_s[EVALUATOR_MEASURE]);
    free(evaluator->done);
    for (i = 0; i < evaluator->codes.capacity; i++)
        free(evaluator->codes.entries[i].value);
    map_release(&evaluator->codes);
    free(evaluator);
}

/* Compile jobs of an earlier round were given up. */
static bool is_given_up(const struct evaluator_job *job)
{
    return job->kind == EVALUATOR_COMPILE && job->round != job->evaluator->round;
}

/* Jobs, on the queue's threads
 * --------------------------------------------------------------------------------------- */

static void run_compile(void *argument)
{
    struct evaluator_job *job = argument;
    const struct evaluator_options *options = &job->evaluator->options;
    const struct compile_request request =
        request_of(job->variant, options->arch, options->compile_deadline_s);

    if (!compile_cubin(&job->compiled, options->compiler, &request, &job->err) && job->read &&
        job->compiled.outcome == OUTCOME_OK && !atomic_load(&job->evaluator->stopped))
        predict_compiled(&job->prediction, options->machine, &job->compiled, job->read, options->warm,
                         &job->evaluator->stopped, &job->err);
}

static void run_measure(void *argument)
{
    struct evaluator_job *job = argument;
    const struct evaluator_options *options = &job->evaluator->options;
    const struct code code = {job->compiled.cubin, job->compiled.cubin_bytes, job->compiled.entry};
    struct protocol protocol = *options->protocol;

    protocol.give_up_s = job->give_up_s;
    worker_trial(&job->trial, options->workers[job->lane - 1], &code, &job->variant->launch, job->reference,
                 &protocol, &job->err);
}

static size_t least_busy_gpu(const struct evaluator *evaluator)
{
    size_t lane, best = 1;

    for (lane = 2; lane <= evaluator->options.worker_count; lane++)
        if (queue_pending(evaluator->queue, lane) < queue_pending(evaluator->queue, best))
            best = lane;
    return best;
}

/* The simulated machine
 * ---------------------------------------------------------------------------------------------------- */

/* What the record says. What had to be compiled after all, and predicted, takes the time it took here. */
static double taken_s(const struct evaluator_job *job)
{
    const struct record *known = job->known;
    double taken;

    if (job->kind == EVALUATOR_MEASURE)
        taken = isnan(known->trial_s) ? known->verify_s + known->benchmark_s : known->trial_s;
    else
        taken = (job->shared ? 0 : fmax(known ? known->compile_s : job->compiled.compile_s, 0)) +
                job->prediction.predict_s;
    return taken > 0 ? taken : 0;
}

/* Gives the job to the core or GPU that is free first. One that shares its code waits for it beside that. */
static void simulate(struct evaluator *evaluator, struct evaluator_job *job)
{
    struct known_code *code = job->kind == EVALUATOR_COMPILE ? map_find(&evaluator->codes, job->code) : NULL;
    const double taken = taken_s(job);
    double *free_s = evaluator->free_s[job->kind];
    size_t m, first = 0;

    for (m = 1; m < machines(evaluator, job->kind); m++)
        if (free_s[m] < free_s[first])
            first = m;
    job->finished_s = fmax(job->submitted_s, free_s[first]) + taken;
    free_s[first] = job->finished_s;
    evaluator->busy_s[job->kind] += taken;
    if (job->shared)
        job->finished_s = fmax(job->finished_s, code->ready_s + taken);
    else if (code)
        code->ready_s = job->finished_s;
}

/* Room for every job that is on its way, so that finishing cannot fail. */
static int make_room(struct evaluator *evaluator, struct err *err)
{
    const size_t wanted = evaluator->done_count + evaluator->compiling + 1;
    struct evaluator_job **larger;

    if (wanted <= evaluator->done_capacity)
        return 0;
    larger = realloc(evaluator->done, 2 * wanted * sizeof(struct evaluator_job *));
    if (!larger)
        return err_memory(err);
    evaluator->done = larger;
    evaluator->done_capacity = 2 * wanted;
    return 0;
}

static struct evaluator_job *pop_done(struct evaluator *evaluator)
{
    struct evaluator_job *job;
    size_t i, first = 0;

    for (i = 1; i < evaluator->done_count; i++)
        if (evaluator->done[i]->finished_s < evaluator->done[first]->finished_s)
            first = i;
    job = evaluator->done[first];
    evaluator->done[first] = evaluator->done[--evaluator->done_count];
    return job;
}

/* The next job of the queue that was not given up. */
static struct evaluator_job *wait_real(struct evaluator *evaluator, double timeout_s)
{
    struct evaluator_job *job;
    void *argument;

    while (queue_wait(evaluator->queue, &argument, timeout_s)) {
        job = argument;
        if (!is_given_up(job))
            return job;
    }
    return NULL;
}

static struct evaluator_job *wait_simulated(struct evaluator *evaluator)
{
    struct evaluator_job *job;

    while (evaluator->compiling && (job = wait_real(evaluator, -1)) != NULL) {
        evaluator->compiling--;
        simulate(evaluator, job);
        evaluator->done[evaluator->done_count++] = job;
    }
    if (!evaluator->done_count)
        return NULL;
    job = pop_done(evaluator);
    evaluator->now_s = fmax(evaluator->now_s, job->finished_s);
    return job;
}

/* The interface
 * ------------------------------------------------------------------------------------------------------------
 */

static int submit_real(struct evaluator *evaluator, struct evaluator_job *job, struct err *err)
{
    job->lane = job->kind == EVALUATOR_COMPILE ? 0 : least_busy_gpu(evaluator);
    if (job->kind == EVALUATOR_MEASURE)
        return queue_submit(evaluator->queue, job->lane, run_measure, job, err);
    evaluator->compiling += evaluator->options.level == EVALUATOR_RECORDED;
    return queue_submit_keyed(evaluator->queue, job->lane, job->code, run_compile, job, err);
}

/* Whether a job before this one compiles to the same. */
static int find_code(struct evaluator *evaluator, struct evaluator_job *job, struct err *err)
{
    struct known_code *code;

    job->shared = false;
    if (job->kind != EVALUATOR_COMPILE || !job->code)
        return 0;
    job->shared = map_find(&evaluator->codes, job->code) != NULL;
    if (job->shared)
        return 0;
    code = calloc(1, sizeof *code);
    if (!code)
        return err_memory(err);
    if (map_put(&evaluator->codes, job->code, code, err)) {
        free(code);
        return ERR_MEMORY;
    }
    return 0;
}

int evaluator_submit(struct evaluator *evaluator, struct evaluator_job *job, struct err *err)
{
    int code = make_room(evaluator, err);

    if (!code)
        code = find_code(evaluator, job, err);
    if (code)
        return code;
    job->evaluator = evaluator;
    job->round = evaluator->round;
    job->submitted_s = job->finished_s = evaluator_now_s(evaluator);
    if (job->known && !job->read) {
        if (evaluator->options.level == EVALUATOR_RECORDED)
            simulate(evaluator, job);
        evaluator->done[evaluator->done_count++] = job;
    } else {
        code = submit_real(evaluator, job, err);
    }
    if (!code) {
        evaluator->pending[job->kind]++;
        evaluator->sharing += job->shared;
    }
    return code;
}

static void forget(void *argument, void *context)
{
    (void)argument, (void)context;
}

void evaluator_give_up_compiling(struct evaluator *evaluator)
{
    size_t i, kept = 0;

    atomic_store(&evaluator->stopped, true);
    evaluator->round++;
    queue_cancel(evaluator->queue, 0, forget, NULL);
    if (evaluator->options.compiler)
        compiler_interrupt(evaluator->options.compiler);
    for (i = 0; i < evaluator->done_count; i++)
        if (!is_given_up(evaluator->done[i]))
            evaluator->done[kept++] = evaluator->done[i];
    evaluator->done_count = kept;
    evaluator->compiling = 0;
    evaluator->pending[EVALUATOR_COMPILE] = 0;
    evaluator->sharing = 0;
}

struct evaluator_job *evaluator_wait(struct evaluator *evaluator, double timeout_s)
{
    struct evaluator_job *job = NULL;

    if (evaluator->options.level == EVALUATOR_RECORDED) {
        job = wait_simulated(evaluator);
    } else if (evaluator->done_count) {
        job = pop_done(evaluator);
    } else {
        job = wait_real(evaluator, timeout_s);
        if (job)
            job->finished_s = evaluator_now_s(evaluator);
    }
    if (job) {
        evaluator->pending[job->kind]--;
        evaluator->sharing -= job->shared;
    }
    return job;
}

double source_spent_s(const struct evaluator_job *job)
{
    if (job->evaluator->options.level == EVALUATOR_RECORDED)
        return taken_s(job);
    if (job->kind == EVALUATOR_MEASURE)
        return job->known ? 0 : job->trial.total_s;
    return (job->compiled.cached ? 0 : job->compiled.compile_s) + job->prediction.predict_s;
}

size_t evaluator_pending(const struct evaluator *evaluator, enum evaluator_kind kind)
{
    return evaluator->pending[kind];
}

size_t evaluator_compiling(const struct evaluator *evaluator)
{
    return evaluator->pending[EVALUATOR_COMPILE] - evaluator->sharing;
}

size_t evaluator_gpus(const struct evaluator *evaluator)
{
    return evaluator->options.level == EVALUATOR_LIVE ? evaluator->options.worker_count : 1;
}

unsigned evaluator_cores(const struct evaluator *evaluator)
{
    return evaluator->options.level == EVALUATOR_LIVE ? evaluator->options.cores
                                                      : evaluator->options.simulated_cores;
}

double evaluator_now_s(const struct evaluator *evaluator)
{
    return evaluator->options.level == EVALUATOR_LIVE ? clock_wall_s() - evaluator->opened_s
                                                      : evaluator->now_s;
}

double evaluator_busy_s(const struct evaluator *evaluator, enum evaluator_kind kind)
{
    double busy = 0;
    size_t lane;

    if (evaluator->options.level == EVALUATOR_RECORDED)
        return evaluator->busy_s[kind];
    if (kind == EVALUATOR_COMPILE)
        return queue_busy_s(evaluator->queue, 0);
    for (lane = 1; lane <= evaluator->options.worker_count; lane++)
        busy += queue_busy_s(evaluator->queue, lane);
    return busy;
}
