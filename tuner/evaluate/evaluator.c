#include "tuner/evaluate/evaluating.h"

#include "base/map.h"

#include <math.h>
#include <stdlib.h>

struct evaluator {
    const struct evaluator_type *type;
    void *state;
    unsigned round; /* of compiling */
    size_t pending[2];
    size_t sharing;   /* pending jobs that share their code */
    double compile_s; /* of late, see evaluator_compile_s() */
    unsigned compiled;
    struct map codes; /* of the jobs so far -> struct evaluator_code */
};

int evaluator_open(struct evaluator **out, const struct evaluator_options *options, struct err *err)
{
    struct evaluator *evaluator = calloc(1, sizeof *evaluator);
    int rc;

    *out = NULL;
    if (!evaluator)
        return err_memory(err);
    evaluator->type = options->type;
    rc = options->type->open(&evaluator->state, options, err);
    if (rc)
        evaluator_close(evaluator);
    else
        *out = evaluator;
    return rc;
}

void evaluator_close(struct evaluator *evaluator)
{
    if (!evaluator)
        return;
    if (evaluator->state)
        evaluator->type->close(evaluator->state);
    for (size_t i = 0; i < evaluator->codes.capacity; i++)
        free(evaluator->codes.entries[i].value);
    map_release(&evaluator->codes);
    free(evaluator);
}

/* Whether a job before this one compiles to the same. */
static int find_code(struct evaluator *evaluator, struct evaluator_job *job, struct err *err)
{
    struct evaluator_code *code;

    job->shared = false;
    job->made = NULL;
    if (job->kind != EVALUATOR_COMPILE || !job->code)
        return 0;
    job->made = map_find(&evaluator->codes, job->code);
    job->shared = job->made != NULL;
    if (job->shared)
        return 0;
    code = calloc(1, sizeof *code);
    if (!code)
        return err_memory(err);
    if (map_put(&evaluator->codes, job->code, code, err)) {
        free(code);
        return ERR_MEMORY;
    }
    job->made = code;
    return 0;
}

int evaluator_submit(struct evaluator *evaluator, struct evaluator_job *job, struct err *err)
{
    int rc = find_code(evaluator, job, err);

    if (rc)
        return rc;
    job->evaluator = evaluator;
    job->round = evaluator->round;
    job->submitted_s = job->finished_s = evaluator_now_s(evaluator);
    rc = evaluator->type->submit(evaluator->state, job, err);
    if (rc)
        return rc;
    evaluator->pending[job->kind]++;
    evaluator->sharing += job->shared;
    return 0;
}

void evaluator_give_up_compiling(struct evaluator *evaluator)
{
    evaluator->round++;
    evaluator->pending[EVALUATOR_COMPILE] = 0;
    evaluator->sharing = 0;
    evaluator->type->drop_compiling(evaluator->state);
}

enum { OF_LATE = 32 }; /* compiles, that the mean forgets after */

static void learn_compile(struct evaluator *evaluator, const struct evaluator_job *job)
{
    if (job->kind != EVALUATOR_COMPILE || job->shared || job->known)
        return;
    evaluator->compiled += evaluator->compiled < OF_LATE;
    evaluator->compile_s += (evaluator_spent_s(job) - evaluator->compile_s) / evaluator->compiled;
}

double evaluator_compile_s(const struct evaluator *evaluator)
{
    return evaluator->compile_s;
}

struct evaluator_job *evaluator_wait(struct evaluator *evaluator, double timeout_s)
{
    struct evaluator_job *job = evaluator->type->wait(evaluator->state, timeout_s);

    if (job) {
        evaluator->pending[job->kind]--;
        evaluator->sharing -= job->shared;
        learn_compile(evaluator, job);
    }
    return job;
}

double evaluator_spent_s(const struct evaluator_job *job)
{
    return job->evaluator->type->spent_s(job);
}

size_t evaluator_pending(const struct evaluator *evaluator, enum evaluator_kind kind)
{
    return evaluator->pending[kind];
}

size_t evaluator_compiling(const struct evaluator *evaluator)
{
    return evaluator->pending[EVALUATOR_COMPILE] - evaluator->sharing;
}

size_t evaluator_trials_ahead(const struct evaluator *evaluator, size_t ahead)
{
    return ahead > 1 ? ahead + evaluator->type->choice : ahead;
}

size_t evaluator_gpus(const struct evaluator *evaluator)
{
    return evaluator->type->gpus(evaluator->state);
}

unsigned evaluator_cores(const struct evaluator *evaluator)
{
    return evaluator->type->cores(evaluator->state);
}

double evaluator_now_s(const struct evaluator *evaluator)
{
    return evaluator->type->now_s(evaluator->state);
}

double evaluator_busy_s(const struct evaluator *evaluator, enum evaluator_kind kind)
{
    return evaluator->type->busy_s(evaluator->state, kind);
}

bool evaluator_is_given_up(const struct evaluator_job *job)
{
    return job->kind == EVALUATOR_COMPILE && job->round != job->evaluator->round;
}

void job_sources_free(struct job_sources *sources)
{
    if (sources)
        sources_files_free(sources->files);
    free(sources);
}

/* Finished jobs ------------------------------------------------------------ */

int jobs_reserve(struct jobs *jobs, size_t count, struct err *err)
{
    struct evaluator_job **larger;

    if (count <= jobs->capacity)
        return 0;
    larger = reallocarray(jobs->jobs, 2 * count, sizeof(struct evaluator_job *));
    if (!larger)
        return err_memory(err);
    jobs->jobs = larger;
    jobs->capacity = 2 * count;
    return 0;
}

void jobs_add(struct jobs *jobs, struct evaluator_job *job)
{
    jobs->jobs[jobs->count++] = job;
}

/* Of those there are. */
static size_t first_finished(const struct jobs *jobs)
{
    size_t i, first = 0;

    for (i = 1; i < jobs->count; i++)
        if (jobs->jobs[i]->finished_s < jobs->jobs[first]->finished_s)
            first = i;
    return first;
}

double jobs_first_s(const struct jobs *jobs)
{
    return jobs->count ? jobs->jobs[first_finished(jobs)]->finished_s : INFINITY;
}

struct evaluator_job *jobs_pop(struct jobs *jobs)
{
    struct evaluator_job *job;
    size_t first;

    if (!jobs->count)
        return NULL;
    first = first_finished(jobs);
    job = jobs->jobs[first];
    jobs->jobs[first] = jobs->jobs[--jobs->count];
    return job;
}

void jobs_forget_given_up(struct jobs *jobs)
{
    size_t i, kept = 0;

    for (i = 0; i < jobs->count; i++)
        if (!evaluator_is_given_up(jobs->jobs[i]))
            jobs->jobs[kept++] = jobs->jobs[i];
    jobs->count = kept;
}

void jobs_release(struct jobs *jobs)
{
    free(jobs->jobs);
    *jobs = (struct jobs){0};
}
