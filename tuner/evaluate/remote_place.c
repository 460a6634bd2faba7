/* What goes where: to where least waits. */
#include "tuner/evaluate/remoting.h"

#include "base/file.h"
#include "tuner/predict/request.h"
#include "tuner/remote/exchange.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AHEAD = 2 }; /* jobs for each core that are with a worker at the same time */

/* Compiling
 * ------------------------------------------------------------------------------------------------------------
 */

static struct compile_request request_for(const struct remote *remote, const struct task *task)
{
    return request_of(task->job->variant, remote->options.arch, remote->options.compile_deadline_s);
}

/* Of a job that comes without its sources, as a reference does. */
static struct job_sources *read_sources(const struct compile_request *request, struct err *err)
{
    struct job_sources *sources = calloc(1, sizeof *sources);
    size_t size;
    char *text;
    int rc;

    if (!sources) {
        err_memory(err);
        return NULL;
    }
    rc = file_read(&text, &size, request->source_path, err);
    if (!rc) {
        rc = sources_list(&sources->files, &sources->hash, request, text, err);
        sources->hash.complete = sources->hash.complete && strlen(text) == size;
        free(text);
    }
    if (!rc)
        return sources;
    job_sources_free(sources);
    return NULL;
}

/* Takes what a compile depends on, and looks whether it can be done elsewhere. */
static int read_task(struct remote *remote, struct task *task, struct err *err)
{
    const struct compile_request request = request_for(remote, task);

    task->read = true;
    task->sources = task->job->sources ? task->job->sources : read_sources(&request, err);
    task->job->sources = NULL;
    if (!task->sources)
        return err->code;
    task->stays = task->stays || !ask_can_travel(&request, &task->sources->hash);
    task->key = task->sources->hash.key;
    return 0;
}

static void go_here(struct remote *remote, struct task *task)
{
    struct evaluator_job *job = task->job;

    tasks_remove(&remote->waiting, task);
    task->here = true;
    tasks_add(&remote->here, task);
    if (job->made)
        job->made->at_work = task;
    if (job->kind == EVALUATOR_COMPILE)
        compile_result_release(&job->compiled); /* from the cache: it is found there again */
    if (evaluator_local.submit(remote->local, job, &job->err)) {
        tasks_remove(&remote->here, task);
        remote_finish(remote, task);
    }
}

/* Where the fewest jobs wait for each core; null with *here false: everybody has enough. */
static struct host *choose_cores(bool *here, const struct remote *remote)
{
    const size_t cores = evaluator_local.cores(remote->local);
    double least = (double)remote->here.count[EVALUATOR_COMPILE] / (double)cores;
    struct host *best = NULL;

    for (size_t i = 0; i < fleet_count(remote->options.fleet); i++) {
        struct host *host = fleet_host(remote->options.fleet, i);
        double load;

        if (!host->up || !host->cores)
            continue;
        load = (double)remote_away(remote, host)->count[EVALUATOR_COMPILE] / host->cores;
        if (load < least) {
            least = load;
            best = host;
        }
    }
    *here = !best && least < AHEAD;
    return least < AHEAD ? best : NULL;
}

static void ask_to_compile(struct remote *remote, struct task *task, struct host *host)
{
    struct evaluator_job *job = task->job;
    const struct compile_request request = request_for(remote, task);
    const struct ask_prediction prediction = {job->read, remote->options.warm};
    int rc;

    remote_send(remote, task, host);
    rc = job->compiled.cubin
             ? ask_predict(host, task->id, &remote->files, &job->compiled, &prediction, &job->err)
             : ask_compile(host, task->id, &remote->files, &request, &task->sources->files, &prediction,
                           &job->err);
    if (!rc)
        return;
    remote_take(remote, task);
    remote_finish(remote, task);
}

/* False: it waits on. */
static bool place_compile(struct remote *remote, struct task *task)
{
    struct evaluator_job *job = task->job;
    struct compile_result *compiled = &job->compiled;
    struct host *host;
    bool here;

    if (job->made && job->made->at_work)
        return false;
    host = choose_cores(&here, remote);
    if (!host && !here && !task->stays)
        return false;
    if (!task->read && read_task(remote, task, &job->err)) {
        tasks_remove(&remote->waiting, task);
        remote_finish(remote, task);
        return true;
    }
    if (!task->stays && !compiled->cubin && compiler_find(compiled, remote->options.compiler, task->key) &&
        (!job->read || compiled->outcome != OUTCOME_OK)) {
        tasks_remove(&remote->waiting, task);
        remote_finish(remote, task);
    } else if (host && !task->stays) {
        ask_to_compile(remote, task, host);
    } else {
        go_here(remote, task);
    }
    return true;
}

/* Measuring
 * ------------------------------------------------------------------------------------------------------------
 */

/* Where least waits. One whose host has the code may have as many more waiting as the search sends ahead, since the
 * code need not be sent then. False: there is no GPU at the moment. */
static bool choose_gpu(struct host **best_host, size_t *best_gpu, const struct remote *remote,
                       struct key code)
{
    const size_t gpus = evaluator_local.gpus(remote->local);
    const double sending = remote->options.trials_ahead - 0.5;
    double least = gpus ? (double)remote->here.count[EVALUATOR_MEASURE] / (double)gpus : INFINITY;

    *best_host = NULL;
    *best_gpu = 0;
    for (size_t i = 0; i < fleet_count(remote->options.fleet); i++) {
        struct host *host = fleet_host(remote->options.fleet, i);
        const double more = host->up && !host_holds(host, code) ? sending : 0;

        for (size_t gpu = 0; host->up && gpu < host->gpu_count; gpu++) {
            const double load = (double)host->gpus[gpu].waiting + more;

            if (!host->gpus[gpu].measures || load >= least)
                continue;
            least = load;
            *best_host = host;
            *best_gpu = gpu;
        }
    }
    return isfinite(least);
}

/* Finals are measured on one GPU as long as there is that one. */
static bool choose_finals_gpu(struct host **host, size_t *gpu, struct remote *remote, struct key code)
{
    const bool there = remote->finals_host
                           ? remote->finals_host->up && remote->finals_gpu < remote->finals_host->gpu_count &&
                                 remote->finals_host->gpus[remote->finals_gpu].measures
                           : evaluator_local.gpus(remote->local) > 0;

    if (!remote->finals_chosen || !there)
        remote->finals_chosen = choose_gpu(&remote->finals_host, &remote->finals_gpu, remote, code);
    *host = remote->finals_host;
    *gpu = remote->finals_gpu;
    return remote->finals_chosen;
}

static void fail_for_gpus(struct remote *remote, struct task *task)
{
    err_set(&task->job->err, ERR_GPU, "no GPU is left that measures%s%s", *remote->trouble ? ": " : "",
            remote->trouble);
    tasks_remove(&remote->waiting, task);
    remote_finish(remote, task);
}

static bool place_measure(struct remote *remote, struct task *task)
{
    struct evaluator_job *job = task->job;
    struct protocol protocol = *remote->options.protocol;
    const struct code code = {job->compiled.cubin, job->compiled.cubin_bytes, job->compiled.entry};
    struct host *host;
    size_t gpu;
    bool there;

    if (!task->read && content_key(&task->key, code.cubin, code.cubin_bytes, &job->err)) {
        tasks_remove(&remote->waiting, task);
        remote_finish(remote, task);
        return true;
    }
    task->read = true;
    there = job->finals ? choose_finals_gpu(&host, &gpu, remote, task->key)
                        : choose_gpu(&host, &gpu, remote, task->key);
    if (!there && fleet_may_measure(remote->options.fleet))
        return false;
    if (!there) {
        fail_for_gpus(remote, task);
    } else if (!host) {
        go_here(remote, task);
    } else {
        job->lane = gpu;
        remote_send(remote, task, host);
        protocol.give_up_s = job->give_up_s;
        if (ask_trial(host, task->id, &remote->files, gpu, &code, &job->variant->launch, job->reference,
                      &protocol, &job->err)) {
            remote_take(remote, task);
            remote_finish(remote, task);
        }
    }
    return true;
}

void remote_place(struct remote *remote)
{
    struct task *task, *next;

    for (task = remote->waiting.first; task; task = next) {
        next = task->next;
        if (task->job->kind == EVALUATOR_COMPILE)
            place_compile(remote, task);
        else
            place_measure(remote, task);
    }
}
