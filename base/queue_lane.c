/* Lists of jobs, and which job of a lane is ready: the first of a key goes ahead. */
#include "base/queue_lane.h"

#include <stdlib.h>

void job_list_init(struct job_list *list)
{
    list->first = NULL;
    list->end = &list->first;
}

void job_list_add(struct job_list *list, struct job *job)
{
    job->next = NULL;
    *list->end = job;
    list->end = &job->next;
}

struct job *job_list_take(struct job_list *list)
{
    struct job *job = list->first;

    if (job && !(list->first = job->next))
        list->end = &list->first;
    return job;
}

void job_list_free(struct job_list *list)
{
    struct job *job;

    while ((job = job_list_take(list)))
        free(job);
}

struct job **lane_find_ready(struct lane *lane)
{
    struct job **link = &lane->waiting.first;

    while (*link && (*link)->first && (*link)->first->job)
        link = &(*link)->next;
    return link;
}

struct job *lane_take_ready(struct lane *lane)
{
    struct job **link = lane_find_ready(lane), *job = *link;

    if (!job)
        return NULL;
    *link = job->next;
    if (!job->next)
        lane->waiting.end = link;
    if (job->first && !job->first->ended)
        job->first->job = job;
    return job;
}

void lane_end_first(struct lane *lane, const struct job *job)
{
    if (!job->first || job->first->job != job)
        return;
    *job->first = (struct first){.ended = true};
    pthread_cond_broadcast(&lane->work);
}

struct first *lane_find_first(struct lane *lane, uint64_t key)
{
    struct first *first = map_find(&lane->firsts, key);

    if (first)
        return first;
    first = calloc(1, sizeof *first);
    if (first && map_put(&lane->firsts, key, first, NULL)) {
        free(first);
        first = NULL;
    }
    return first;
}
