/* What goes where: to where least waits. */
#include "tuner/evaluate/remoting.h"

#include "base/file.h"
#include "tuner/predict/request.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AHEAD = 2 }; /* jobs for each core that are with a worker at the same time */

/* Compiling ---------------------------------------------------------------- */

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

    if (sources)
        sources->files = calloc(1, sizeof *sources->files);
    if (!sources || !sources->files) {
        free(sources);
        err_memory(err);
        return NULL;
    }
    rc = file_read(&text, &size, request->source_path, err);
    if (!rc) {
        rc = sources_list(sources->files, &sources->hash, request, text, err);
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
    task->stays = task->stays || !dispatch_can_travel(&request, &task->sources->hash);
    task->key = task->sources->hash.key;
    return 0;
}

static void go_here(struct remote *remote, struct task *task)
{
    struct evaluator_job *job = task->job;

    tasks_remove(&remote->waiting[job->kind], task);
    task->here = true;
    tasks_add(&remote->here, task);
    if (job->made)
        job->made->at_work = task;
    if (job->kind == EVALUATOR_COMPILE)
        compile_result_release(&job->compiled); /* from the cache: it is found there again */
    if (compile_result_unpack(&job->compiled, &job->err) ||
        evaluator_local.submit(remote->local, job, &job->err)) {
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
    const struct dispatch_prediction prediction = {job->read, remote->options.warm};
    int rc;

    remote_send(remote, task, host);
    rc = job->compiled.cubin
             ? dispatch_predict(host, task->id, &remote->files, &job->compiled, &prediction, &job->err)
             : dispatch_compile(host, task->id, &remote->files, &request, task->sources->files, &prediction,
                                &job->err);
    if (!rc)
        return;
    remote_take(remote, task);
    remote_finish(remote, task);
}

/* Whether another kind of GPU has it compiled: then it waits for the code. */
static bool is_claimed(struct remote *remote, struct task *task)
{
    if (!task->job->made || !task->sources->hash.complete || task->job->compiled.cubin || task->claimed)
        return false;
    task->claimed = fleet_claim(remote->options.fleet, task->key);
    return !task->claimed;
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
        tasks_remove(&remote->waiting[job->kind], task);
        remote_finish(remote, task);
        return true;
    }
    if (is_claimed(remote, task))
        return false;
    if (!task->stays && !compiled->cubin && compiler_find(compiled, remote->options.compiler, task->key) &&
        (!job->read || compiled->outcome != OUTCOME_OK)) {
        tasks_remove(&remote->waiting[job->kind], task);
        remote_finish(remote, task);
    } else if (host && !task->stays) {
        ask_to_compile(remote, task, host);
    } else {
        go_here(remote, task);
    }
    return true;
}

/* Measuring ---------------------------------------------------------------- */

/* Trials that a GPU has at a time: the next is there when one ends. */
static bool takes_more(const struct remote *remote, double load)
{
    return load < remote->options.trials_ahead;
}

/* The GPU of a host's with the fewest trials. */
static struct place least_of(const struct remote *remote, struct host *host)
{
    struct place best = {.host = host, .load = INFINITY};

    for (size_t gpu = 0; host->up && gpu < host->gpu_count; gpu++) {
        const double load = (double)host->gpus[gpu].waiting;

        if (!host->gpus[gpu].measures || host->gpus[gpu].kind != remote->options.kind ||
            !takes_more(remote, load) || load >= best.load)
            continue;
        best.gpu = gpu;
        best.load = load;
    }
    return best;
}

static struct place *place_of(const struct remote *remote, const struct host *host)
{
    return &remote->least[host - fleet_host(remote->options.fleet, 0)];
}

void remote_survey(struct remote *remote)
{
    struct fleet *fleet = remote->options.fleet;

    remote->cores_away = 0;
    remote->gpus_away = 0;
    for (size_t i = 0; i < fleet_count(fleet); i++) {
        struct host *host = fleet_host(fleet, i);

        remote->cores_away += host->cores;
        remote->gpus_away += host_measuring(host, remote->options.kind);
        remote->least[i] = least_of(remote, host);
    }
}

/* Whether code is sent to a GPU that has so much to do. One that is not idle waits for code that its own host compiles:
 * packing it costs the controller more than all else of a trial. */
static bool is_worth_sending(const struct remote *remote, const struct place *place,
                             const struct host *holder)
{
    return place->host == holder || !place->host->cores || place->load < 1 ||
           remote->options.trials_ahead < 2;
}

/* Of all GPUs; one of the host that has the code where no other has less to do. */
static struct place least_of_all(const struct remote *remote, const struct host *holder)
{
    const size_t gpus = evaluator_local.gpus(remote->local);
    const double here = gpus ? (double)remote->here.count[EVALUATOR_MEASURE] / (double)gpus : INFINITY;
    struct place best = {.load = takes_more(remote, here) ? here : INFINITY};

    for (size_t i = 0; i < fleet_count(remote->options.fleet); i++) {
        const struct place place = remote->least[i];

        if (isfinite(place.load) && is_worth_sending(remote, &place, holder) &&
            (place.load < best.load || (place.load == best.load && place.host == holder)))
            best = place;
    }
    return best;
}

static void fail_for_gpus(struct remote *remote, struct task *task)
{
    err_set(&task->job->err, ERR_GPU, "no GPU is left that measures%s%s", *remote->trouble ? ": " : "",
            remote->trouble);
    tasks_remove(&remote->waiting[EVALUATOR_MEASURE], task);
    remote_finish(remote, task);
}

static void measure_at(struct remote *remote, struct task *task, const struct place *place)
{
    struct evaluator_job *job = task->job;
    struct host *host = place->host;
    const size_t gpu = place->gpu;
    struct protocol protocol = *remote->options.protocol;

    if (!host) {
        go_here(remote, task);
        return;
    }
    job->lane = gpu;
    remote_send(remote, task, host);
    protocol.give_up_s = job->give_up_s;
    protocol.rival_s = job->rival_s;
    if (job->sustained)
        protocol_sustain(&protocol);
    if (dispatch_trial(host, task->id, &remote->files, gpu, &job->compiled, &job->variant->launch,
                       job->reference, &protocol, &job->err)) {
        remote_take(remote, task);
        remote_finish(remote, task);
    }
    *place_of(remote, host) = least_of(remote, host);
}

static bool is_there(const struct remote *remote, const struct place *place)
{
    return place->host ? place->host->up && place->gpu < place->host->gpu_count &&
                             place->host->gpus[place->gpu].measures
                       : evaluator_local.gpus(remote->local) > 0;
}

/* Finals are measured on one GPU as long as there is that one. */
static bool choose_finals(struct place *place, struct remote *remote)
{
    *place = (struct place){.host = remote->finals_host, .gpu = remote->finals_gpu};
    if (!remote->finals_chosen || !is_there(remote, place)) {
        *place = least_of_all(remote, NULL);
        remote->finals_chosen = isfinite(place->load);
        remote->finals_host = place->host;
        remote->finals_gpu = place->gpu;
    }
    return remote->finals_chosen;
}

/* A trial whose code is where a GPU takes more: it need not be sent. */
static bool place_at_holder(struct remote *remote, struct task *task)
{
    if (!task->holder || !isfinite(place_of(remote, task->holder)->load) || task->job->finals)
        return false;
    measure_at(remote, task, place_of(remote, task->holder));
    return true;
}

static void place_at_holders(struct remote *remote)
{
    struct task *task, *next;

    for (task = remote->waiting[EVALUATOR_MEASURE].first; task; task = next) {
        next = task->next;
        place_at_holder(remote, task);
    }
}

/* The others, in their order, to where least is to be done. */
static void place_anywhere(struct remote *remote)
{
    struct task *task, *next;

    for (task = remote->waiting[EVALUATOR_MEASURE].first; task; task = next) {
        struct place place;
        const bool chosen = task->job->finals
                                ? choose_finals(&place, remote)
                                : (place = least_of_all(remote, task->holder), isfinite(place.load));

        next = task->next;
        if (chosen)
            measure_at(remote, task, &place);
        else if (!evaluator_local.gpus(remote->local) &&
                 !fleet_may_measure(remote->options.fleet, remote->options.kind))
            fail_for_gpus(remote, task);
        else
            return;
    }
}

void remote_place(struct remote *remote)
{
    struct task *task, *next;

    remote->freed = false;
    remote_survey(remote);
    for (task = remote->waiting[EVALUATOR_COMPILE].first; task; task = next) {
        next = task->next;
        place_compile(remote, task);
    }
    place_at_holders(remote);
    place_anywhere(remote);
}

/* There was nothing free for those that wait already, and nothing has become free since. */
void remote_place_new(struct remote *remote, struct task *task)
{
    if (task->job->kind == EVALUATOR_COMPILE)
        place_compile(remote, task);
    else if (!place_at_holder(remote, task) && task == remote->waiting[EVALUATOR_MEASURE].first)
        place_anywhere(remote);
}
