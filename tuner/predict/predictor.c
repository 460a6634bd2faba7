#include "tuner/predict/predictor.h"

#include "base/clock.h"
#include "base/queue.h"
#include "model/sass/cubin.h"
#include "model/predict/analyze.h"
#include "tuner/predict/request.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEADLINE_S = 120 };

static void refuse(struct variant_prediction *out, const char *reason)
{
    snprintf(out->reason, sizeof out->reason, "%s", reason && *reason ? reason : "unknown");
}

/* How often a warp waits: loads from memory, and barriers. */
static double waits_of(const struct analysis *e)
{
    double waits = 0;

    for (size_t i = 0; i < e->code.count; i++) {
        const struct sass *instruction = &e->code.instructions[i];

        if (traffic_is_cached(instruction) ||
            sass_info((enum sass_op)instruction->op)->class == SASS_CLASS_BARRIER)
            waits += e->traffic.counts[i].issued;
    }
    return waits;
}

/* Ryoo's metrics from our counts. */
static struct pareto_metrics metrics_of(const struct analysis *e)
{
    const struct residency *r = &e->input.residency;

    return pareto_metrics_of(e->demands.issued, r->blocks * e->block.threads, waits_of(e), r->warps_per_block,
                             r->blocks_per_sm);
}

static void take(struct variant_prediction *out, const struct analysis *e)
{
    const struct prediction *p = &e->prediction;

    out->told = (struct search_prediction){.predicted = true,
                                           .bound_s = p->bound_s,
                                           .estimate_s = p->estimate_s,
                                           .limiter = p->limiter,
                                           .unrated = e->demands.unrated.count > 0,
                                           .likely = p->assumptions & PREDICT_BOUND_NOT_PROVED};
    unrated_names(out->unrated, sizeof out->unrated, &e->demands.unrated);
    out->limited_by = p->limited_by;
    out->latency_hidden = p->latency_hidden;
    out->bound_limiter = p->bound_limiter;
    out->needed_warps = p->needed_warps;
    out->had_warps = p->had_warps;
    out->confidence = p->confidence;
    out->interval_low_s = p->interval_low_s;
    out->interval_high_s = p->interval_high_s;
    out->issued = p->issued;
    out->stalled_bandwidth = p->stalled_bandwidth;
    out->stalled_latency = p->stalled_latency;
    for (size_t r = 0; r < RESOURCE_COUNT; r++)
        out->busy[r] = p->at_sustained.cycles[r] * p->warps_per_cycle;
    out->pareto = metrics_of(e);
}

int predict_compiled(struct variant_prediction *out, const struct machine *machine,
                     const struct compile_result *compiled, struct launch *launch, bool warm,
                     const atomic_bool *stop, struct err *err)
{
    const struct analyze_options options = {
        .warm = warm, .core_limit_s = PREDICTION_CORE_S, .wall_limit_s = PREDICTION_WALL_S, .stop = stop};
    struct analysis *e = calloc(1, sizeof *e);
    const double began_s = clock_core_s();
    const struct cubin_kernel *kernel;
    struct cubin cubin;
    int rc = e ? cubin_init(&cubin, compiled->cubin, compiled->cubin_bytes, "compiled code", err)
               : err_memory(err);

    *out = (struct variant_prediction){.pareto = {NAN, NAN}};
    if (rc) {
        free(e);
        return rc;
    }
    rc = cubin_find(&kernel, &cubin, compiled->entry, err);
    if (!rc)
        rc = launch_prepare(launch, err);
    if (!rc) {
        rc = analyze(e, machine, &cubin, kernel, launch, &options, err);
        if (!rc && e->predicted)
            take(out, e);
        else if (!rc)
            refuse(out, e->reason);
        analysis_release(e);
    }
    out->predict_s = clock_core_s() - began_s;
    cubin_release(&cubin);
    free(e);
    return rc;
}

/* In the background -------------------------------------------------------- */

struct task {
    struct predictor *predictor;
    uint64_t index;
    enum { WAITING, RUNNING, DONE } state;
    struct variant_prediction prediction;
    struct err err;
};

/* `mutex` guards the tasks' states and the queue; a prediction belongs to the thread that runs its task, and
 * stays as it is once that is done. */
struct predictor {
    struct predictor_options options;
    char arch[16];
    pthread_mutex_t mutex;
    pthread_cond_t done; /* some task */
    struct queue *queue;
    atomic_bool closing; /* nobody will ask any more */
    struct task **tasks; /* by index; null: never asked for */
};

static int compile_and_read(struct task *task, struct variant *variant)
{
    const struct predictor_options *options = &task->predictor->options;
    const struct compile_request request = request_of(variant, task->predictor->arch, DEADLINE_S);
    struct compile_result compiled = {0};
    int rc = compile_cubin(&compiled, options->compiler, &request, &task->err);

    if (!rc && compiled.outcome == OUTCOME_OK)
        rc = predict_compiled(&task->prediction, options->machine, &compiled, &variant->launch,
                              !options->spec->cold, &task->predictor->closing, &task->err);
    else if (!rc)
        refuse(&task->prediction, compiled.diagnostic);
    compile_result_release(&compiled);
    return rc;
}

static void predict_task(struct task *task)
{
    const struct predictor_options *options = &task->predictor->options;
    unsigned *choices = calloc(options->spec->parameter_count, sizeof *choices);
    struct variant variant;

    task->prediction.pareto = (struct pareto_metrics){NAN, NAN};
    if (!choices) {
        err_memory(&task->err);
        return;
    }
    space_configuration(choices, options->space, task->index);
    if (!variant_make(&variant, options->spec, options->problem, choices, &task->err)) {
        if (variant.outcome == OUTCOME_OK)
            compile_and_read(task, &variant);
        else
            refuse(&task->prediction, variant.message);
        variant_release(&variant);
    }
    free(choices);
}

/* The first thread that comes to a task runs it. */
static void run_task(void *argument)
{
    struct task *task = argument;
    struct predictor *predictor = task->predictor;
    bool mine;

    pthread_mutex_lock(&predictor->mutex);
    mine = task->state == WAITING;
    if (mine)
        task->state = RUNNING;
    pthread_mutex_unlock(&predictor->mutex);
    if (!mine)
        return;
    predict_task(task);
    pthread_mutex_lock(&predictor->mutex);
    task->state = DONE;
    pthread_cond_broadcast(&predictor->done);
    pthread_mutex_unlock(&predictor->mutex);
}

int predictor_open(struct predictor **out, const struct predictor_options *options, struct err *err)
{
    struct predictor *predictor = calloc(1, sizeof *predictor);
    int rc = predictor ? 0 : err_memory(err);

    *out = NULL;
    if (rc)
        return rc;
    predictor->options = *options;
    atomic_init(&predictor->closing, false);
    pthread_mutex_init(&predictor->mutex, NULL);
    pthread_cond_init(&predictor->done, NULL);
    device_target(predictor->arch, options->machine->device->sm);
    predictor->tasks = calloc(space_count(options->space) + 1, sizeof *predictor->tasks);
    rc = predictor->tasks ? queue_open(&predictor->queue, &options->jobs, 1, err) : err_memory(err);
    if (rc)
        predictor_close(predictor);
    else
        *out = predictor;
    return rc;
}

void predictor_close(struct predictor *predictor)
{
    if (!predictor)
        return;
    atomic_store(&predictor->closing, true);
    if (predictor->queue)
        queue_close(predictor->queue);
    for (uint64_t i = 0; predictor->tasks && i < space_count(predictor->options.space); i++)
        free(predictor->tasks[i]);
    free(predictor->tasks);
    pthread_cond_destroy(&predictor->done);
    pthread_mutex_destroy(&predictor->mutex);
    free(predictor);
}

/* The task of a configuration; it is new when nobody asked for it before. Null when memory ends. */
static struct task *find_task(bool *is_new, struct predictor *predictor, uint64_t index)
{
    struct task *task = predictor->tasks[index];

    *is_new = !task;
    if (task)
        return task;
    task = calloc(1, sizeof *task);
    if (!task)
        return NULL;
    task->predictor = predictor;
    task->index = index;
    predictor->tasks[index] = task;
    return task;
}

int predictor_announce(struct predictor *predictor, uint64_t index, uint64_t code, struct err *err)
{
    struct task *task;
    bool is_new;
    int failed = 0;

    pthread_mutex_lock(&predictor->mutex);
    task = find_task(&is_new, predictor, index);
    if (!task)
        failed = err_memory(err);
    else if (is_new)
        failed = queue_submit_keyed(predictor->queue, 0, code, run_task, task, err);
    pthread_mutex_unlock(&predictor->mutex);
    return failed;
}

int predictor_ask(const struct variant_prediction **out, struct predictor *predictor, uint64_t index,
                  struct err *err)
{
    struct task *task;
    bool is_new;

    *out = NULL;
    pthread_mutex_lock(&predictor->mutex);
    task = find_task(&is_new, predictor, index);
    pthread_mutex_unlock(&predictor->mutex);
    if (!task)
        return err_memory(err);
    run_task(task);
    pthread_mutex_lock(&predictor->mutex);
    while (task->state != DONE)
        pthread_cond_wait(&predictor->done, &predictor->mutex);
    pthread_mutex_unlock(&predictor->mutex);
    if (task->err.code)
        return err_set(err, (enum err_code)task->err.code, "%s", task->err.text);
    *out = &task->prediction;
    return 0;
}
