/* Jobs on this machine: threads that compile and predict, and one worker per GPU. */
#include "tuner/evaluate/evaluating.h"

#include "base/clock.h"
#include "base/queue.h"
#include "tuner/predict/request.h"

#include <stdatomic.h>
#include <stdlib.h>

/* The first launch's buffers are made beside the first compiles: each GPU's worker is asked for them once. */
struct filling {
    struct worker *worker;
    const struct json *launch;
};

struct local {
    struct evaluator_options options;
    struct queue *queue;      /* lane 0 compiles, lane 1 + g is GPU g */
    atomic_bool stopped;      /* nothing is predicted any more */
    double opened_s;          /* on the wall's clock */
    struct jobs answered;     /* by records */
    struct filling *fillings; /* one a GPU; null until something is compiled */
    struct json *launch;      /* whose buffers they make */
};

static int open_queue(struct local *local, struct err *err)
{
    const size_t lanes = 1 + local->options.worker_count;
    unsigned *threads = malloc(lanes * sizeof *threads);
    int rc;

    if (!threads)
        return err_memory(err);
    for (size_t lane = 0; lane < lanes; lane++)
        threads[lane] = lane ? 1 : local->options.cores;
    rc = queue_open(&local->queue, threads, lanes, err);
    free(threads);
    return rc;
}

static void local_close(void *state)
{
    struct local *local = state;

    atomic_store(&local->stopped, true);
    turns_leave(local->options.turns);
    queue_close(local->queue);
    turns_enter(local->options.turns);
    jobs_release(&local->answered);
    free(local->fillings);
    js_free(local->launch);
    free(local);
}

static int local_open(void **state, const struct evaluator_options *options, struct err *err)
{
    struct local *local = calloc(1, sizeof *local);
    int rc;

    *state = NULL;
    if (!local)
        return err_memory(err);
    local->options = *options;
    atomic_init(&local->stopped, false);
    local->opened_s = clock_wall_s();
    rc = open_queue(local, err);
    if (!rc && options->share)
        queue_share(local->queue, 0, options->share);
    if (!rc && options->finished)
        queue_notify(local->queue, options->finished);
    if (rc)
        local_close(local);
    else
        *state = local;
    return rc;
}

/* Jobs, on the queue's threads --------------------------------------------- */

static void run_compile(void *argument)
{
    struct evaluator_job *job = argument;
    struct local *local = job->state;
    const struct evaluator_options *options = &local->options;
    struct compile_request request = request_of(job->variant, options->arch, options->compile_deadline_s);

    request.given_up = &local->stopped; /* what others compile beside this is not to end with it */
    if (!compile_cubin(&job->compiled, options->compiler, &request, &job->err) && job->read &&
        job->compiled.outcome == OUTCOME_OK && !atomic_load(&local->stopped))
        predict_compiled(&job->prediction, options->machine, &job->compiled, job->read, options->warm,
                         &local->stopped, &job->err);
}

static void run_measure(void *argument)
{
    struct evaluator_job *job = argument;
    const struct evaluator_options *options = &((struct local *)job->state)->options;
    const struct code code = {job->compiled.cubin, job->compiled.cubin_bytes, job->compiled.entry};
    struct protocol protocol = *options->protocol;

    protocol.give_up_s = job->give_up_s;
    protocol.rival_s = job->rival_s;
    if (job->sustained)
        protocol_sustain(&protocol);
    worker_trial(&job->trial, options->workers[job->lane - 1], &code, &job->variant->launch, job->reference,
                 &protocol, &job->err);
}

static void run_filling(void *argument)
{
    const struct filling *filling = argument;

    worker_fill(filling->worker, filling->launch);
}

static bool is_filling(const struct local *local, const void *argument)
{
    const struct filling *filling = argument;

    return local->fillings && filling >= local->fillings &&
           filling < local->fillings + local->options.worker_count;
}

/* Where that fails trials make the buffers. */
static void fill_ahead(struct local *local, const struct launch *launch)
{
    const size_t count = local->options.worker_count;

    if (local->fillings || !count)
        return;
    local->fillings = calloc(count, sizeof *local->fillings);
    local->launch = launch_to_json(launch);
    for (size_t g = 0; local->fillings && local->launch && g < count; g++) {
        local->fillings[g] = (struct filling){local->options.workers[g], local->launch};
        queue_submit(local->queue, 1 + g, run_filling, &local->fillings[g], NULL);
    }
}

static size_t least_busy_gpu(const struct local *local)
{
    size_t lane, best = 1;

    for (lane = 2; lane <= local->options.worker_count; lane++)
        if (queue_pending(local->queue, lane) < queue_pending(local->queue, best))
            best = lane;
    return best;
}

/* The interface ------------------------------------------------------------ */

static double local_now_s(const void *state)
{
    return clock_wall_s() - ((const struct local *)state)->opened_s;
}

static int local_submit(void *state, struct evaluator_job *job, struct err *err)
{
    struct local *local = state;
    int rc;

    job->state = local;
    if (job->known && !job->read) {
        rc = jobs_reserve(&local->answered, local->answered.count + 1, err);
        if (!rc)
            jobs_add(&local->answered, job);
        return rc;
    }
    if (job->kind == EVALUATOR_COMPILE && !job->known)
        fill_ahead(local, &job->variant->launch);
    if (job->kind == EVALUATOR_COMPILE)
        return queue_submit_keyed(local->queue, 0, job->code, run_compile, job, err);
    job->lane = job->finals ? 1 : least_busy_gpu(local);
    return queue_submit(local->queue, job->lane, run_measure, job, err);
}

/* The next that is not given up. */
static struct evaluator_job *wait_finished(struct local *local, double timeout_s)
{
    struct evaluator_job *job;
    void *argument;

    while (queue_wait(local->queue, &argument, timeout_s)) {
        if (is_filling(local, argument))
            continue;
        job = argument;
        job->finished_s = local_now_s(local);
        if (!evaluator_is_given_up(job))
            return job;
    }
    return NULL;
}

static struct evaluator_job *local_wait(void *state, double timeout_s)
{
    struct local *local = state;
    struct evaluator_job *job = jobs_pop(&local->answered);

    if (job || timeout_s == 0)
        return job ? job : wait_finished(local, 0);
    turns_leave(local->options.turns);
    job = wait_finished(local, timeout_s);
    turns_enter(local->options.turns);
    return job;
}

static void forget(void *argument, void *context)
{
    (void)argument, (void)context;
}

static void local_drop_compiling(void *state)
{
    struct local *local = state;

    atomic_store(&local->stopped, true);
    queue_cancel(local->queue, 0, forget, NULL);
    if (local->options.compiler)
        compiler_interrupt(local->options.compiler);
    jobs_forget_given_up(&local->answered);
}

static size_t local_gpus(const void *state)
{
    return ((const struct local *)state)->options.worker_count;
}

static unsigned local_cores(const void *state)
{
    return ((const struct local *)state)->options.cores;
}

static double local_busy_s(const void *state, enum evaluator_kind kind)
{
    const struct local *local = state;
    double busy = 0;

    if (kind == EVALUATOR_COMPILE)
        return queue_busy_s(local->queue, 0);
    for (size_t lane = 1; lane <= local->options.worker_count; lane++)
        busy += queue_busy_s(local->queue, lane);
    return busy;
}

static double local_spent_s(const struct evaluator_job *job)
{
    if (job->kind == EVALUATOR_MEASURE)
        return job->known ? 0 : job->trial.total_s;
    return (job->compiled.cached ? 0 : job->compiled.compile_s) + job->prediction.predict_s;
}

const struct evaluator_type evaluator_local = {
    .name = "live",
    .measures = true,
    .launches = true,
    .open = local_open,
    .submit = local_submit,
    .wait = local_wait,
    .drop_compiling = local_drop_compiling,
    .gpus = local_gpus,
    .cores = local_cores,
    .now_s = local_now_s,
    .busy_s = local_busy_s,
    .spent_s = local_spent_s,
    .close = local_close,
};
