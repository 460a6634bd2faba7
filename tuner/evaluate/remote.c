/* Jobs on this machine and on workers elsewhere. This machine's are an evaluator_local's. A job goes to where least
 * waits; ahead of time, so that the way there and back costs little. One whose worker is lost goes elsewhere. */
#include "tuner/evaluate/evaluating.h"

#include "base/clock.h"
#include "base/file.h"
#include "tuner/predict/request.h"
#include "tuner/remote/ask.h"
#include "tuner/remote/fleet.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    AHEAD = 2,       /* jobs for each core that are with a worker at the same time */
    LOSSES_MOST = 10 /* workers that may be lost with a job; then the job is to blame */
};

/* A job on its way. */
struct task {
    struct evaluator_job *job;
    int64_t id;
    struct host *host; /* that is at it; null: it waits, or is `here` */
    bool here;         /* the local evaluator is at it */
    bool stays;        /* it cannot be done elsewhere */
    bool read;         /* of compiling: what follows is filled in */
    struct sources_files sources;
    struct key key; /* of the sources */
    unsigned losses;
    struct task *next;
};

struct tasks {
    struct task *first, **end;
};

struct remote {
    struct evaluator_options options;
    void *local;
    int finished; /* event: the local evaluator has finished a job */
    struct ask_files files;
    struct tasks waiting, away, here;
    struct jobs done;
    int64_t next_id;
    struct host *finals_host; /* of the GPU that measures finals, null: here */
    size_t finals_gpu;
    bool finals_chosen;
    char trouble[512]; /* why the last GPU that failed did */
    char name[256];    /* of this machine */
};

/* Tasks
 * -------------------------------------------------------------------------------------------------------------
 */

static void tasks_init(struct tasks *tasks)
{
    *tasks = (struct tasks){.first = NULL};
    tasks->end = &tasks->first;
}

static void tasks_add(struct tasks *tasks, struct task *task)
{
    task->next = NULL;
    *tasks->end = task;
    tasks->end = &task->next;
}

static void tasks_add_first(struct tasks *tasks, struct task *task)
{
    task->next = tasks->first;
    tasks->first = task;
    if (!task->next)
        tasks->end = &task->next;
}

static void tasks_remove(struct tasks *tasks, struct task *task)
{
    struct task **link = &tasks->first;

    while (*link != task)
        link = &(*link)->next;
    *link = task->next;
    if (!task->next)
        tasks->end = link;
}

static void task_free(struct task *task)
{
    struct evaluator_code *made = task->job->made;

    if (made && made->at_work == task)
        made->at_work = NULL;
    task->job->task = NULL;
    sources_files_release(&task->sources);
    free(task);
}

static void tasks_free(struct tasks *tasks)
{
    struct task *task;

    while ((task = tasks->first)) {
        tasks->first = task->next;
        task_free(task);
    }
    tasks->end = &tasks->first;
}

static void finish(struct remote *remote, struct task *task)
{
    struct evaluator_job *job = task->job;

    job->finished_s = evaluator_local.now_s(remote->local);
    jobs_add(&remote->done, job);
    task_free(task);
}

static size_t count(const struct tasks *tasks, enum evaluator_kind kind, const struct host *host)
{
    const struct task *task;
    size_t n = 0;

    for (task = tasks->first; task; task = task->next)
        n += task->job->kind == kind && task->host == host;
    return n;
}

static size_t gpu_load(const struct remote *remote, const struct host *host, size_t gpu)
{
    const struct task *task;
    size_t n = 0;

    for (task = remote->away.first; task; task = task->next)
        n += task->job->kind == EVALUATOR_MEASURE && task->host == host && task->job->lane == gpu;
    return n;
}

/* Life
 * ---------------------------------------------------------------------------------------------------------------
 */

static void remote_close(void *state)
{
    struct remote *remote = state;

    for (size_t i = 0; i < fleet_count(remote->options.fleet); i++)
        if (fleet_host(remote->options.fleet, i)->up)
            ask_drop(fleet_host(remote->options.fleet, i));
    if (remote->local)
        evaluator_local.close(remote->local);
    tasks_free(&remote->waiting);
    tasks_free(&remote->away);
    tasks_free(&remote->here);
    jobs_release(&remote->done);
    ask_files_release(&remote->files);
    if (remote->finished >= 0)
        close(remote->finished);
    free(remote);
}

static void forget_work(struct host *host)
{
    host->compiled = host->timed = 0;
    host->compile_s = host->measure_s = 0;
}

static int remote_open(void **state, const struct evaluator_options *options, struct err *err)
{
    struct remote *remote = calloc(1, sizeof *remote);
    struct evaluator_options here = *options;
    int rc = remote ? 0 : err_memory(err);

    *state = NULL;
    if (rc)
        return rc;
    remote->options = *options;
    tasks_init(&remote->waiting);
    tasks_init(&remote->away);
    tasks_init(&remote->here);
    if (gethostname(remote->name, sizeof remote->name - 1) || !*remote->name)
        snprintf(remote->name, sizeof remote->name, "here");
    for (size_t i = 0; i < fleet_count(options->fleet); i++)
        forget_work(fleet_host(options->fleet, i));
    remote->finished = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (remote->finished < 0)
        rc = err_set(err, ERR_SYSTEM, "eventfd: %s", strerror(errno));
    here.finished = remote->finished;
    if (!rc)
        rc = ask_files_open(&remote->files, options->profile, err);
    if (!rc)
        rc = evaluator_local.open(&remote->local, &here, err);
    if (rc)
        remote_close(remote);
    else
        *state = remote;
    return rc;
}

/* Compiling
 * ------------------------------------------------------------------------------------------------------------
 */

static struct compile_request request_for(const struct remote *remote, const struct task *task)
{
    return request_of(task->job->variant, remote->options.arch, remote->options.compile_deadline_s);
}

/* Reads what a compile depends on, and looks whether it was done before. */
static int read_task(struct remote *remote, struct task *task, struct err *err)
{
    const struct compile_request request = request_for(remote, task);
    struct sources_hash hash = {0};
    size_t size;
    char *text;
    int rc = file_read(&text, &size, request.source_path, err);

    task->read = true;
    if (rc)
        return rc;
    rc = sources_list(&task->sources, &hash, &request, text, err);
    task->stays = task->stays || rc || strlen(text) != size || !ask_can_travel(&request, &hash);
    task->key = hash.key;
    free(text);
    return rc;
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
        finish(remote, task);
    }
}

static void go_away(struct remote *remote, struct task *task, struct host *host)
{
    tasks_remove(&remote->waiting, task);
    task->host = host;
    tasks_add(&remote->away, task);
    if (task->job->made)
        task->job->made->at_work = task;
}

/* Where the fewest jobs wait for each core; null with *here false: everybody has enough. */
static struct host *choose_cores(bool *here, const struct remote *remote)
{
    const size_t cores = evaluator_local.cores(remote->local);
    double least = (double)count(&remote->here, EVALUATOR_COMPILE, NULL) / (double)cores;
    struct host *best = NULL;

    for (size_t i = 0; i < fleet_count(remote->options.fleet); i++) {
        struct host *host = fleet_host(remote->options.fleet, i);
        double load;

        if (!host->up || !host->cores)
            continue;
        load = (double)count(&remote->away, EVALUATOR_COMPILE, host) / host->cores;
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

    go_away(remote, task, host);
    rc = job->compiled.cubin
             ? ask_predict(host, task->id, &remote->files, &job->compiled, &prediction, &job->err)
             : ask_compile(host, task->id, &remote->files, &request, &task->sources, &prediction, &job->err);
    if (!rc)
        return;
    tasks_remove(&remote->away, task);
    finish(remote, task);
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
        finish(remote, task);
        return true;
    }
    if (!task->stays && !compiled->cubin && compiler_find(compiled, remote->options.compiler, task->key) &&
        (!job->read || compiled->outcome != OUTCOME_OK)) {
        tasks_remove(&remote->waiting, task);
        finish(remote, task);
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

/* False: there is no GPU at the moment. */
static bool choose_gpu(struct host **best_host, size_t *best_gpu, const struct remote *remote)
{
    const size_t gpus = evaluator_local.gpus(remote->local);
    const double waiting = gpus ? (double)count(&remote->here, EVALUATOR_MEASURE, NULL) / (double)gpus : 0;
    double least = gpus ? waiting : INFINITY;

    *best_host = NULL;
    *best_gpu = 0;
    for (size_t i = 0; i < fleet_count(remote->options.fleet); i++) {
        struct host *host = fleet_host(remote->options.fleet, i);

        for (size_t gpu = 0; host->up && gpu < host->gpus; gpu++) {
            const double load = (double)gpu_load(remote, host, gpu);

            if (load >= least)
                continue;
            least = load;
            *best_host = host;
            *best_gpu = gpu;
        }
    }
    return isfinite(least);
}

/* Finals are measured on one GPU as long as there is that one. */
static bool choose_finals_gpu(struct host **host, size_t *gpu, struct remote *remote)
{
    const bool there = remote->finals_host
                           ? remote->finals_host->up && remote->finals_gpu < remote->finals_host->gpus
                           : evaluator_local.gpus(remote->local) > 0;

    if (!remote->finals_chosen || !there)
        remote->finals_chosen = choose_gpu(&remote->finals_host, &remote->finals_gpu, remote);
    *host = remote->finals_host;
    *gpu = remote->finals_gpu;
    return remote->finals_chosen;
}

static void fail_for_gpus(struct remote *remote, struct task *task)
{
    err_set(&task->job->err, ERR_GPU, "no GPU is left that measures%s%s", *remote->trouble ? ": " : "",
            remote->trouble);
    tasks_remove(&remote->waiting, task);
    finish(remote, task);
}

static bool place_measure(struct remote *remote, struct task *task)
{
    struct evaluator_job *job = task->job;
    struct protocol protocol = *remote->options.protocol;
    const struct code code = {job->compiled.cubin, job->compiled.cubin_bytes, job->compiled.entry};
    struct host *host;
    size_t gpu;
    const bool there = job->finals ? choose_finals_gpu(&host, &gpu, remote) : choose_gpu(&host, &gpu, remote);

    if (!there && fleet_may_measure(remote->options.fleet))
        return false;
    if (!there) {
        fail_for_gpus(remote, task);
    } else if (!host) {
        go_here(remote, task);
    } else {
        go_away(remote, task, host);
        job->lane = gpu;
        protocol.give_up_s = job->give_up_s;
        if (ask_trial(host, task->id, &remote->files, gpu, &code, &job->variant->launch, job->reference,
                      &protocol, &job->err)) {
            tasks_remove(&remote->away, task);
            finish(remote, task);
        }
    }
    return true;
}

/* Starts what can be started. */
static void place_all(struct remote *remote)
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

/* Answers
 * --------------------------------------------------------------------------------------------------------------
 */

/* It took too many workers with it: that is no accident. */
static void blame(struct remote *remote, struct task *task)
{
    struct evaluator_job *job = task->job;
    char text[128];

    snprintf(text, sizeof text, "%u workers were lost that were at it", task->losses);
    if (job->kind == EVALUATOR_COMPILE) {
        compile_result_release(&job->compiled);
        job->compiled.outcome = OUTCOME_COMPILE;
        job->compiled.own_failure = true;
        job->compiled.diagnostic = strdup(text);
        if (!job->compiled.diagnostic)
            err_memory(&job->err);
    } else {
        job->trial.outcome = OUTCOME_RUNTIME;
        snprintf(job->trial.message, sizeof job->trial.message, "%s", text);
    }
    finish(remote, task);
}

/* Back among those that wait, ahead of the others. */
static void take_back(struct remote *remote, struct task *task)
{
    tasks_remove(&remote->away, task);
    task->host = NULL;
    if (task->job->made && task->job->made->at_work == task)
        task->job->made->at_work = NULL;
    if (++task->losses > LOSSES_MOST)
        blame(remote, task);
    else
        tasks_add_first(&remote->waiting, task);
}

static void dropped(void *context, struct host *host)
{
    struct remote *remote = context;
    struct task *task, *next;

    snprintf(remote->trouble, sizeof remote->trouble, "%.200s: %.300s", host->name, host->reason);
    for (task = remote->away.first; task; task = next) {
        next = task->next;
        if (task->host == host)
            take_back(remote, task);
    }
}

static int take_compile(struct remote *remote, struct task *task, struct message *message, struct err *err)
{
    struct evaluator_job *job = task->job;
    struct host *host = task->host;
    const bool known = job->compiled.cubin != NULL;
    struct err failed = {0};
    enum answer_kind kind;
    int rc = answer_compile(&kind, &job->compiled, &job->prediction, host, message, &failed, err);

    if (rc)
        return rc;
    if (kind != ANSWER_DONE) {
        if (kind == ANSWER_MISSING)
            host_forget_contents(host);
        else
            task->stays = true; /* if it fails here, too, that is the answer */
        take_back(remote, task);
        return 0;
    }
    if (!known) {
        compiler_keep(remote->options.compiler, task->key, &job->compiled);
        host->compiled++;
    }
    host->compile_s += evaluator_local.spent_s(job);
    tasks_remove(&remote->away, task);
    finish(remote, task);
    return 0;
}

static int take_trial(struct remote *remote, struct task *task, const struct message *message,
                      struct err *err)
{
    struct evaluator_job *job = task->job;
    struct host *host = task->host;
    struct err failed = {0};
    enum answer_kind kind;
    int rc = answer_trial(&kind, &job->trial, message, &failed, err);

    if (rc)
        return rc;
    if (kind != ANSWER_DONE) {
        if (kind == ANSWER_MISSING)
            host_forget_contents(host);
        else
            host->gpus = 0;
        if (kind != ANSWER_MISSING)
            snprintf(remote->trouble, sizeof remote->trouble, "%.200s: %.300s", host->name, failed.text);
        take_back(remote, task);
        return 0;
    }
    host->timed++;
    host->measure_s += job->trial.total_s;
    job->host = host->name;
    tasks_remove(&remote->away, task);
    finish(remote, task);
    return 0;
}

/* What was given up is answered all the same, to nobody. */
static int answered(void *context, struct host *host, struct message *message, struct err *err)
{
    struct remote *remote = context;
    struct task *task;
    int64_t id;

    if (answer_id(&id, message, err))
        return ERR_FORMAT;
    for (task = remote->away.first; task; task = task->next)
        if (task->host == host && task->id == id)
            break;
    if (!task)
        return 0;
    return task->job->kind == EVALUATOR_COMPILE ? take_compile(remote, task, message, err)
                                                : take_trial(remote, task, message, err);
}

/* The interface
 * ------------------------------------------------------------------------------------------------------------
 */

static size_t under_way(const struct remote *remote)
{
    const struct tasks *all[] = {&remote->waiting, &remote->away, &remote->here};
    const struct task *task;
    size_t n = 0;

    for (int k = 0; k < 3; k++)
        for (task = all[k]->first; task; task = task->next)
            n++;
    return n;
}

static int remote_submit(void *state, struct evaluator_job *job, struct err *err)
{
    struct remote *remote = state;
    struct task *task;

    job->task = NULL;
    job->host = NULL;
    if (job->known && !job->read)
        return evaluator_local.submit(remote->local, job, err);
    task = calloc(1, sizeof *task);
    if (!task)
        return err_memory(err);
    if (jobs_reserve(&remote->done, remote->done.count + under_way(remote) + 1, err)) {
        free(task);
        return ERR_MEMORY;
    }
    task->job = job;
    task->id = ++remote->next_id;
    job->task = task;
    tasks_add(&remote->waiting, task);
    place_all(remote);
    return 0;
}

static struct evaluator_job *take_here(struct remote *remote)
{
    struct evaluator_job *job = evaluator_local.wait(remote->local, 0);
    struct task *task = job ? job->task : NULL;

    if (!task)
        return job;
    if (job->kind == EVALUATOR_MEASURE) {
        job->host = remote->name;
        job->lane--;
    }
    tasks_remove(&remote->here, task);
    task_free(task);
    return job;
}

static bool is_idle(const struct remote *remote)
{
    return !remote->waiting.first && !remote->away.first && !remote->here.first;
}

static struct evaluator_job *remote_wait(void *state, double timeout_s)
{
    static const double tick_s = 0.25;
    const struct fleet_listener listener = {answered, dropped, state};
    struct remote *remote = state;
    const double until_s = timeout_s < 0 ? INFINITY : clock_wall_s() + timeout_s;
    struct evaluator_job *job;
    struct err err = {0};
    eventfd_t events;
    double left_s;

    for (;;) {
        eventfd_read(remote->finished, &events);
        place_all(remote);
        job = jobs_pop(&remote->done);
        if (!job)
            job = take_here(remote);
        left_s = until_s - clock_wall_s();
        if (job || is_idle(remote) || left_s < 0 ||
            fleet_turn(remote->options.fleet, fmin(left_s, tick_s), remote->finished, &listener, &err))
            return job;
    }
}

static void forget_compiling(struct tasks *tasks)
{
    struct task *task, *next;

    for (task = tasks->first; task; task = next) {
        next = task->next;
        if (!evaluator_is_given_up(task->job))
            continue;
        tasks_remove(tasks, task);
        task_free(task);
    }
}

static void remote_drop_compiling(void *state)
{
    struct remote *remote = state;

    for (size_t i = 0; i < fleet_count(remote->options.fleet); i++)
        if (fleet_host(remote->options.fleet, i)->up)
            ask_drop(fleet_host(remote->options.fleet, i));
    evaluator_local.drop_compiling(remote->local);
    forget_compiling(&remote->waiting);
    forget_compiling(&remote->away);
    forget_compiling(&remote->here);
    jobs_forget_given_up(&remote->done);
}

/* While none is there a trial waits for one that comes back, or fails. */
static size_t remote_gpus(const void *state)
{
    const struct remote *remote = state;
    size_t gpus = evaluator_local.gpus(remote->local), i;

    for (i = 0; i < fleet_count(remote->options.fleet); i++)
        gpus += fleet_host(remote->options.fleet, i)->gpus;
    return gpus ? gpus : 1;
}

static unsigned remote_cores(const void *state)
{
    const struct remote *remote = state;
    unsigned cores = evaluator_local.cores(remote->local);

    for (size_t i = 0; i < fleet_count(remote->options.fleet); i++)
        cores += fleet_host(remote->options.fleet, i)->cores;
    return cores;
}

static double remote_now_s(const void *state)
{
    return evaluator_local.now_s(((const struct remote *)state)->local);
}

static double remote_busy_s(const void *state, enum evaluator_kind kind)
{
    const struct remote *remote = state;
    double busy = evaluator_local.busy_s(remote->local, kind);

    for (size_t i = 0; i < fleet_count(remote->options.fleet); i++) {
        const struct host *host = fleet_host(remote->options.fleet, i);

        busy += kind == EVALUATOR_COMPILE ? host->compile_s : host->measure_s;
    }
    return busy;
}

static double remote_spent_s(const struct evaluator_job *job)
{
    return evaluator_local.spent_s(job);
}

const struct evaluator_type evaluator_remote = {
    .name = "live",
    .measures = true,
    .open = remote_open,
    .submit = remote_submit,
    .wait = remote_wait,
    .drop_compiling = remote_drop_compiling,
    .gpus = remote_gpus,
    .cores = remote_cores,
    .now_s = remote_now_s,
    .busy_s = remote_busy_s,
    .spent_s = remote_spent_s,
    .close = remote_close,
};
