/* Jobs answered by records, on a simulated machine. What must be compiled after all, because the model reads
 * it, is compiled and predicted here, by an evaluator_local. */
#include "tuner/evaluate/evaluating.h"

#include <math.h>
#include <stdlib.h>

struct recorded {
    unsigned cores;   /* of the simulated machine, which has one GPU */
    void *real;       /* of evaluator_local */
    size_t compiling; /* jobs that it is at */
    struct jobs done; /* on the simulated machine, in no order */
    double now_s;
    double *core_free_s, gpu_free_s; /* when each core, and the GPU, is free again */
    double busy_s[2];
    const volatile sig_atomic_t *stop;
};

static void recorded_close(void *state)
{
    struct recorded *recorded = state;

    if (recorded->real)
        evaluator_local.close(recorded->real);
    jobs_release(&recorded->done);
    free(recorded->core_free_s);
    free(recorded);
}

static int recorded_open(void **state, const struct evaluator_options *options, struct err *err)
{
    struct recorded *recorded = calloc(1, sizeof *recorded);
    struct evaluator_options here = *options;
    int rc = recorded ? 0 : err_memory(err);

    *state = NULL;
    if (rc)
        return rc;
    here.worker_count = 0;
    recorded->stop = options->stop;
    recorded->cores = options->simulated_cores;
    recorded->core_free_s = calloc(recorded->cores, sizeof *recorded->core_free_s);
    if (!recorded->core_free_s)
        rc = err_memory(err);
    if (!rc)
        rc = evaluator_local.open(&recorded->real, &here, err);
    if (rc)
        recorded_close(recorded);
    else
        *state = recorded;
    return rc;
}

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
static void simulate(struct recorded *recorded, struct evaluator_job *job)
{
    const bool compile = job->kind == EVALUATOR_COMPILE;
    const double taken = taken_s(job);
    double *free_s = compile ? recorded->core_free_s : &recorded->gpu_free_s;
    unsigned m, first = 0;

    for (m = 1; compile && m < recorded->cores; m++)
        if (free_s[m] < free_s[first])
            first = m;
    job->finished_s = fmax(job->submitted_s, free_s[first]) + taken;
    free_s[first] = job->finished_s;
    recorded->busy_s[job->kind] += taken;
    if (job->shared)
        job->finished_s = fmax(job->finished_s, job->made->ready_s + taken);
    else if (job->made)
        job->made->ready_s = job->finished_s;
    jobs_add(&recorded->done, job);
}

static int recorded_submit(void *state, struct evaluator_job *job, struct err *err)
{
    struct recorded *recorded = state;
    int rc = jobs_reserve(&recorded->done, recorded->done.count + recorded->compiling + 1, err);

    if (rc)
        return rc;
    if (job->known && !job->read) {
        simulate(recorded, job);
        return 0;
    }
    rc = evaluator_local.submit(recorded->real, job, err);
    recorded->compiling += !rc;
    return rc;
}

static bool is_stopped(const struct recorded *recorded)
{
    return recorded->stop && *recorded->stop;
}

/* The timeout is the caller's patience, not the simulated machine's: what is compiled is waited for, since
 * nothing can be said of the order before; unless the run is to end. None at all asks for what has ended by now. */
static struct evaluator_job *recorded_wait(void *state, double timeout_s)
{
    static const double look_s = 0.1;
    struct recorded *recorded = state;
    struct evaluator_job *job;

    while (recorded->compiling && !is_stopped(recorded))
        if ((job = evaluator_local.wait(recorded->real, look_s)) != NULL) {
            recorded->compiling--;
            simulate(recorded, job);
        }
    if (recorded->compiling)
        return NULL;
    job =
        timeout_s == 0 && jobs_first_s(&recorded->done) > recorded->now_s ? NULL : jobs_pop(&recorded->done);
    if (job)
        recorded->now_s = fmax(recorded->now_s, job->finished_s);
    return job;
}

static void recorded_drop_compiling(void *state)
{
    struct recorded *recorded = state;

    evaluator_local.drop_compiling(recorded->real);
    jobs_forget_given_up(&recorded->done);
    recorded->compiling = 0;
}

static size_t recorded_gpus(const void *state)
{
    (void)state;
    return 1;
}

static unsigned recorded_cores(const void *state)
{
    return ((const struct recorded *)state)->cores;
}

static double recorded_now_s(const void *state)
{
    return ((const struct recorded *)state)->now_s;
}

static double recorded_busy_s(const void *state, enum evaluator_kind kind)
{
    return ((const struct recorded *)state)->busy_s[kind];
}

const struct evaluator_type evaluator_recorded = {
    .name = "recorded",
    .measures = false,
    .open = recorded_open,
    .submit = recorded_submit,
    .wait = recorded_wait,
    .drop_compiling = recorded_drop_compiling,
    .gpus = recorded_gpus,
    .cores = recorded_cores,
    .now_s = recorded_now_s,
    .busy_s = recorded_busy_s,
    .spent_s = taken_s,
    .close = recorded_close,
};
