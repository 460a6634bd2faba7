#include "tuner/evaluate/remoting.h"

#include <stdlib.h>
#include <sys/eventfd.h>

static struct task **slot_of(struct remote *remote, int64_t id)
{
    return &remote->by_id[(uint64_t)id % TASK_SLOTS];
}

struct task *task_new(struct remote *remote, struct evaluator_job *job, struct err *err)
{
    struct task *task = calloc(1, sizeof *task), **slot;

    if (!task) {
        err_memory(err);
        return NULL;
    }
    task->job = job;
    task->holder = job->compiled_by;
    task->id = fleet_new_id(remote->options.fleet);
    slot = slot_of(remote, task->id);
    task->alike = *slot;
    *slot = task;
    job->task = task;
    return task;
}

struct task *task_find(const struct remote *remote, int64_t id)
{
    struct task *task = remote->by_id[(uint64_t)id % TASK_SLOTS];

    while (task && task->id != id)
        task = task->alike;
    return task;
}

void tasks_init(struct tasks *tasks)
{
    *tasks = (struct tasks){.first = NULL};
}

void tasks_add(struct tasks *tasks, struct task *task)
{
    task->next = NULL;
    task->before = tasks->last;
    *(tasks->last ? &tasks->last->next : &tasks->first) = task;
    tasks->last = task;
    tasks->count[task->job->kind]++;
}

void tasks_add_first(struct tasks *tasks, struct task *task)
{
    task->before = NULL;
    task->next = tasks->first;
    *(tasks->first ? &tasks->first->before : &tasks->last) = task;
    tasks->first = task;
    tasks->count[task->job->kind]++;
}

void tasks_remove(struct tasks *tasks, struct task *task)
{
    *(task->before ? &task->before->next : &tasks->first) = task->next;
    *(task->next ? &task->next->before : &tasks->last) = task->before;
    tasks->count[task->job->kind]--;
}

/* Nobody is at its code any more. */
static void let_go(struct remote *remote, struct task *task)
{
    struct evaluator_code *made = task->job->made;

    if (made && made->at_work == task)
        made->at_work = NULL;
    if (task->claimed)
        fleet_give_up_claim(remote->options.fleet, task->key);
    task->claimed = false;
}

void task_free(struct remote *remote, struct task *task)
{
    struct task **link = slot_of(remote, task->id);

    while (*link != task)
        link = &(*link)->alike;
    *link = task->alike;
    let_go(remote, task);
    task->job->task = NULL;
    job_sources_free(task->sources);
    free(task);
}

void tasks_free(struct remote *remote, struct tasks *tasks)
{
    struct task *task;

    while ((task = tasks->first)) {
        tasks_remove(tasks, task);
        task_free(remote, task);
    }
}

struct tasks *remote_away(const struct remote *remote, const struct host *host)
{
    return &remote->away[host - fleet_host(remote->options.fleet, 0)];
}

void remote_send(struct remote *remote, struct task *task, struct host *host)
{
    struct evaluator_job *job = task->job;

    tasks_remove(&remote->waiting[job->kind], task);
    tasks_add(remote_away(remote, host), task);
    task->host = host;
    if (job->made)
        job->made->at_work = task;
    if (job->kind == EVALUATOR_MEASURE)
        host->gpus[job->lane].waiting++;
}

void remote_take(struct remote *remote, struct task *task)
{
    struct evaluator_job *job = task->job;
    struct host *host = task->host;

    tasks_remove(remote_away(remote, host), task);
    if (job->kind == EVALUATOR_MEASURE && host->up) /* else its GPUs are gone */
        host->gpus[job->lane].waiting--;
    task->host = NULL;
    remote->freed = true;
    let_go(remote, task);
}

void remote_wake(void *context)
{
    struct remote *remote = context;

    remote->freed = true;
    if (remote->listener.waits)
        eventfd_write(remote->finished, 1);
}

struct host_work *remote_work(const struct remote *remote, const struct host *host)
{
    return &host->work[remote->options.kind];
}

void remote_finish(struct remote *remote, struct task *task)
{
    struct evaluator_job *job = task->job;

    remote->under_way--;
    job->finished_s = evaluator_local.now_s(remote->local);
    jobs_add(&remote->done, job);
    task_free(remote, task);
    remote_wake(remote);
}
