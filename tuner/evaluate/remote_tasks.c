#include "tuner/evaluate/remoting.h"

#include <stdlib.h>

void tasks_init(struct tasks *tasks)
{
    *tasks = (struct tasks){.first = NULL};
    tasks->end = &tasks->first;
}

void tasks_add(struct tasks *tasks, struct task *task)
{
    task->next = NULL;
    *tasks->end = task;
    tasks->end = &task->next;
}

void tasks_add_first(struct tasks *tasks, struct task *task)
{
    task->next = tasks->first;
    tasks->first = task;
    if (!task->next)
        tasks->end = &task->next;
}

void tasks_remove(struct tasks *tasks, struct task *task)
{
    struct task **link = &tasks->first;

    while (*link != task)
        link = &(*link)->next;
    *link = task->next;
    if (!task->next)
        tasks->end = link;
}

void task_free(struct task *task)
{
    struct evaluator_code *made = task->job->made;

    if (made && made->at_work == task)
        made->at_work = NULL;
    task->job->task = NULL;
    sources_files_release(&task->sources);
    free(task);
}

void tasks_free(struct tasks *tasks)
{
    struct task *task;

    while ((task = tasks->first)) {
        tasks->first = task->next;
        task_free(task);
    }
    tasks->end = &tasks->first;
}

void remote_finish(struct remote *remote, struct task *task)
{
    struct evaluator_job *job = task->job;

    job->finished_s = evaluator_local.now_s(remote->local);
    jobs_add(&remote->done, job);
    task_free(task);
}

size_t tasks_count(const struct tasks *tasks, enum evaluator_kind kind, const struct host *host)
{
    const struct task *task;
    size_t n = 0;

    for (task = tasks->first; task; task = task->next)
        n += task->job->kind == kind && task->host == host;
    return n;
}
