/* What comes back from workers elsewhere, or does not. */
#include "tuner/evaluate/remoting.h"

#include "tuner/remote/answer.h"

#include <stdio.h>

/* Workers that may be lost with a job: a compile is done here then; a trial is to blame. */
enum { COMPILE_LOSSES = 3, TRIAL_LOSSES = 10 };

/* It took too many workers with it: that is no accident. */
static void blame(struct remote *remote, struct task *task)
{
    struct trial *trial = &task->job->trial;

    trial->outcome = OUTCOME_RUNTIME;
    snprintf(trial->message, sizeof trial->message, "%u workers were lost that were at it", task->losses);
    remote_finish(remote, task);
}

/* Back among those that wait, ahead of the others. */
static void take_back(struct remote *remote, struct task *task)
{
    remote_take(remote, task);
    task->losses++;
    if (task->job->kind == EVALUATOR_COMPILE)
        task->stays = task->stays || task->losses >= COMPILE_LOSSES;
    if (task->job->kind == EVALUATOR_MEASURE && task->losses > TRIAL_LOSSES)
        blame(remote, task);
    else
        tasks_add_first(&remote->waiting[task->job->kind], task);
}

void remote_dropped(void *context, struct host *host)
{
    struct remote *remote = context;
    struct task *task, *next;

    snprintf(remote->trouble, sizeof remote->trouble, "%.200s: %.300s", host->name, host->reason);
    for (task = remote_away(remote, host)->first; task; task = next) {
        next = task->next;
        take_back(remote, task);
    }
    remote_wake(remote);
}

static int take_compile(struct remote *remote, struct task *task, struct message *message, struct err *err)
{
    struct evaluator_job *job = task->job;
    struct host *host = task->host;
    const bool known = job->compiled.cubin != NULL;
    struct err failed = {0};
    enum answer_kind kind;
    int rc =
        answer_compile(&kind, &job->compiled, &job->facts, &job->prediction, host, message, &failed, err);

    if (!rc && !(job->takes_packed && job->facts.known))
        rc = compile_result_unpack(&job->compiled, err);
    if (!job->takes_packed)
        code_facts_release(&job->facts);
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
        remote_work(remote, host)->compiled++;
        job->compiled_by = host;
    }
    remote_work(remote, host)->compile_s += evaluator_local.spent_s(job);
    remote_take(remote, task);
    remote_finish(remote, task);
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
            host_gpu_failed(host, job->lane);
        if (kind != ANSWER_MISSING)
            snprintf(remote->trouble, sizeof remote->trouble, "%.200s: %.300s", host->name, failed.text);
        take_back(remote, task);
        return 0;
    }
    remote_work(remote, host)->timed++;
    remote_work(remote, host)->measure_s += job->trial.total_s;
    job->host = host->name;
    remote_take(remote, task);
    remote_finish(remote, task);
    return 0;
}

/* What was given up is answered all the same, to nobody; and here are the answers to others. */
int remote_answered(void *context, struct host *host, struct message *message, struct err *err)
{
    struct remote *remote = context;
    struct task *task;
    int64_t id;

    if (answer_id(&id, message, err))
        return ERR_FORMAT;
    task = task_find(remote, id);
    if (!task || task->host != host)
        return 0;
    return task->job->kind == EVALUATOR_COMPILE ? take_compile(remote, task, message, err)
                                                : take_trial(remote, task, message, err);
}
