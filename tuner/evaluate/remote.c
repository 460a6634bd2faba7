/* Jobs on this machine and on workers elsewhere. This machine's are an evaluator_local's. A job goes to where least
 * waits; ahead of time, so that the way there and back costs little. One whose worker is lost goes elsewhere. */
#include "tuner/evaluate/remoting.h"

#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Life --------------------------------------------------------------------- */

/* What workers compile for other kinds of GPU goes on. */
static void drop_elsewhere(const struct remote *remote)
{
    struct fleet *fleet = remote->options.fleet;

    for (size_t i = 0; i < fleet_count(fleet); i++)
        if (fleet_host(fleet, i)->up)
            dispatch_drop(fleet_host(fleet, i), remote->options.kind);
}

static void remote_close(void *state)
{
    struct remote *remote = state;

    drop_elsewhere(remote);
    fleet_forget(remote->options.fleet, &remote->listener);
    if (remote->local)
        evaluator_local.close(remote->local);
    tasks_free(remote, &remote->waiting[EVALUATOR_COMPILE]);
    tasks_free(remote, &remote->waiting[EVALUATOR_MEASURE]);
    for (size_t i = 0; remote->away && i < fleet_count(remote->options.fleet); i++)
        tasks_free(remote, &remote->away[i]);
    free(remote->away);
    free(remote->least);
    tasks_free(remote, &remote->here);
    jobs_release(&remote->done);
    dispatch_files_release(&remote->files);
    if (remote->finished >= 0)
        close(remote->finished);
    free(remote);
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
    remote->away = calloc(fleet_count(options->fleet) + 1, sizeof *remote->away);
    remote->least = calloc(fleet_count(options->fleet) + 1, sizeof *remote->least);
    if (!remote->away || !remote->least)
        rc = err_memory(err);
    tasks_init(&remote->here);
    if (gethostname(remote->name, sizeof remote->name - 1) || !*remote->name)
        snprintf(remote->name, sizeof remote->name, "here");
    for (size_t i = 0; i < fleet_count(options->fleet); i++)
        host_begin_work(fleet_host(options->fleet, i), options->kind);
    remote->listener = (struct fleet_listener){
        .answered = remote_answered, .dropped = remote_dropped, .freed = remote_wake, .context = remote};
    remote->finished = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (!rc && remote->finished < 0)
        rc = err_set(err, ERR_SYSTEM, "eventfd: %s", strerror(errno));
    here.finished = remote->finished;
    if (!rc)
        rc = fleet_listen(options->fleet, &remote->listener, err);
    if (!rc)
        rc = dispatch_files_open(&remote->files, options->profile, err);
    remote->files.search = options->kind;
    if (!rc)
        rc = evaluator_local.open(&remote->local, &here, err);
    if (!rc)
        remote_survey(remote);
    if (rc)
        remote_close(remote);
    else
        *state = remote;
    return rc;
}

/* The interface ------------------------------------------------------------ */

static int remote_submit(void *state, struct evaluator_job *job, struct err *err)
{
    struct remote *remote = state;
    struct task *task;

    job->task = NULL;
    job->host = NULL;
    job->compiled_by = job->kind == EVALUATOR_COMPILE ? NULL : job->compiled_by;
    if (job->known && !job->read)
        return evaluator_local.submit(remote->local, job, err);
    if (jobs_reserve(&remote->done, remote->done.count + remote->under_way + 1, err))
        return ERR_MEMORY;
    task = task_new(remote, job, err);
    if (!task)
        return ERR_MEMORY;
    remote->under_way++;
    tasks_add(&remote->waiting[job->kind], task);
    if (remote->freed)
        remote_place(remote);
    else
        remote_place_new(remote, task);
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
        job->lane = (size_t)worker_number(remote->options.workers[job->lane - 1]);
    }
    tasks_remove(&remote->here, task);
    remote->under_way--;
    remote->freed = true;
    task_free(remote, task);
    return job;
}

static bool is_idle(const struct remote *remote)
{
    return !remote->under_way;
}

static struct evaluator_job *remote_wait(void *state, double timeout_s)
{
    static const double tick_s = 0.25;
    struct remote *remote = state;
    const double until_s = timeout_s < 0 ? INFINITY : clock_wall_s() + timeout_s;
    struct evaluator_job *job = jobs_pop(&remote->done); /* of several that one turn brought */
    struct err err = {0};
    eventfd_t events;
    double left_s;

    if (!job && timeout_s == 0)
        job = take_here(remote);
    if (job || timeout_s == 0)
        return job;
    for (;;) {
        eventfd_read(remote->finished, &events);
        if (remote->freed || clock_wall_s() >= remote->placed_s + tick_s) {
            remote_place(remote);
            remote->placed_s = clock_wall_s();
        }
        job = jobs_pop(&remote->done);
        if (!job)
            job = take_here(remote);
        left_s = until_s - clock_wall_s();
        if (job || is_idle(remote) || left_s < 0 ||
            fleet_turn(remote->options.fleet, fmin(left_s, tick_s), remote->finished, &remote->listener,
                       remote->options.turns, &err))
            return job;
    }
}

static void forget_compiling(struct remote *remote, struct tasks *tasks)
{
    struct task *task, *next;

    for (task = tasks->first; task; task = next) {
        next = task->next;
        if (!evaluator_is_given_up(task->job))
            continue;
        tasks_remove(tasks, task);
        remote->under_way--;
        task_free(remote, task);
    }
}

static void remote_drop_compiling(void *state)
{
    struct remote *remote = state;

    drop_elsewhere(remote);
    evaluator_local.drop_compiling(remote->local);
    forget_compiling(remote, &remote->waiting[EVALUATOR_COMPILE]);
    for (size_t i = 0; i < fleet_count(remote->options.fleet); i++)
        forget_compiling(remote, &remote->away[i]);
    forget_compiling(remote, &remote->here);
    jobs_forget_given_up(&remote->done);
}

/* While none is there a trial waits for one that comes back, or fails. */
static size_t remote_gpus(const void *state)
{
    const struct remote *remote = state;
    const size_t gpus = evaluator_local.gpus(remote->local) + remote->gpus_away;

    return gpus ? gpus : 1;
}

static unsigned remote_cores(const void *state)
{
    const struct remote *remote = state;

    return evaluator_local.cores(remote->local) + remote->cores_away;
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
        const struct host_work *work = remote_work(remote, fleet_host(remote->options.fleet, i));

        busy += kind == EVALUATOR_COMPILE ? work->compile_s : work->measure_s;
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
    .launches = true,
    .sends = true,
    .choice = 2,
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
