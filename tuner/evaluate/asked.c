/* Trials are made by another program, which answers one question after another; what is compiled and predicted meanwhile is
 * an evaluator_local's. */
#include "tuner/evaluate/evaluating.h"

#include "base/clock.h"
#include "tuner/evaluate/questions.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct asked {
    struct questions *questions;
    void *local;
    int finished;                  /* event: the local evaluator has finished a job */
    size_t compiling;              /* jobs that it is at */
    struct jobs waiting;           /* to be asked for */
    struct evaluator_job *current; /* is asked for; null: nothing is */
    double asked_s, busy_s;
};

static void asked_close(void *state)
{
    struct asked *asked = state;

    if (asked->local)
        evaluator_local.close(asked->local);
    if (asked->finished >= 0)
        close(asked->finished);
    jobs_release(&asked->waiting);
    free(asked);
}

static int asked_open(void **state, const struct evaluator_options *options, struct err *err)
{
    struct asked *asked = calloc(1, sizeof *asked);
    struct evaluator_options here = *options;
    int rc = 0;

    *state = NULL;
    if (!asked)
        return err_memory(err);
    asked->questions = options->questions;
    asked->finished = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (asked->finished < 0)
        rc = err_set(err, ERR_SYSTEM, "eventfd: %s", strerror(errno));
    here.worker_count = 0;
    here.finished = asked->finished;
    if (!rc)
        rc = evaluator_local.open(&asked->local, &here, err);
    if (rc)
        asked_close(asked);
    else
        *state = asked;
    return rc;
}

static int asked_submit(void *state, struct evaluator_job *job, struct err *err)
{
    struct asked *asked = state;
    int rc;

    if (job->kind == EVALUATOR_COMPILE || job->known) {
        rc = evaluator_local.submit(asked->local, job, err);
        asked->compiling += !rc && job->kind == EVALUATOR_COMPILE;
        return rc;
    }
    rc = jobs_reserve(&asked->waiting, asked->waiting.count + 1, err);
    if (!rc)
        jobs_add(&asked->waiting, job);
    return rc;
}

/* Trials ------------------------------------------------------------------- */

static double asked_now_s(const void *state)
{
    return evaluator_local.now_s(((const struct asked *)state)->local);
}

static struct evaluator_job *end_trial(struct asked *asked)
{
    struct evaluator_job *job = asked->current;

    asked->current = NULL;
    job->trial.total_s = clock_wall_s() - asked->asked_s;
    job->finished_s = asked_now_s(asked);
    asked->busy_s += job->trial.total_s;
    return job;
}

/* Asks for the job that was submitted first, once nothing else is asked for. The one that has ended; null: none. */
static struct evaluator_job *ask(struct asked *asked)
{
    struct evaluator_job *job;

    if (!asked->current) {
        job = asked->current = jobs_pop(&asked->waiting);
        asked->asked_s = clock_wall_s();
        if (job && !questions_over(asked->questions) && questions_put(asked->questions, job, &job->err))
            return end_trial(asked);
    }
    job = asked->current;
    if (!job)
        return NULL;
    if (questions_take(&job->trial, asked->questions, &job->err))
        return end_trial(asked);
    if (!questions_over(asked->questions))
        return NULL;
    job->trial.outcome = OUTCOME_SKIPPED;
    snprintf(job->trial.message, sizeof job->trial.message, "nobody has timed it");
    return end_trial(asked);
}

static struct evaluator_job *take(struct asked *asked)
{
    struct evaluator_job *job = evaluator_local.wait(asked->local, 0);

    asked->compiling -= job && job->kind == EVALUATOR_COMPILE;
    return job ? job : ask(asked);
}

/* For an answer, for code, or for a signal. */
static void wait_for_any(const struct asked *asked, double timeout_s)
{
    struct pollfd ends[] = {{.fd = asked->finished, .events = POLLIN},
                            {.fd = asked->current ? asked->questions->answers.fd : -1, .events = POLLIN}};
    const double most_ms = INT_MAX;
    eventfd_t events;

    poll(ends, 2, timeout_s < 0 ? -1 : (int)fmin(ceil(timeout_s * 1e3), most_ms));
    eventfd_read(asked->finished, &events);
}

static struct evaluator_job *asked_wait(void *state, double timeout_s)
{
    struct asked *asked = state;
    const double until_s = asked_now_s(asked) + timeout_s;
    struct evaluator_job *job;

    while (!(job = take(asked)) && (asked->current || asked->compiling)) {
        const double left_s = until_s - asked_now_s(asked);

        if (timeout_s >= 0 && left_s <= 0)
            break;
        wait_for_any(asked, timeout_s < 0 ? -1 : left_s);
    }
    return job;
}

/* The interface ------------------------------------------------------------ */

static void asked_drop_compiling(void *state)
{
    struct asked *asked = state;

    evaluator_local.drop_compiling(asked->local);
    asked->compiling = 0;
}

static size_t asked_gpus(const void *state)
{
    (void)state;
    return 1;
}

static unsigned asked_cores(const void *state)
{
    return evaluator_local.cores(((const struct asked *)state)->local);
}

static double asked_busy_s(const void *state, enum evaluator_kind kind)
{
    const struct asked *asked = state;

    return kind == EVALUATOR_COMPILE ? evaluator_local.busy_s(asked->local, kind) : asked->busy_s;
}

static double asked_spent_s(const struct evaluator_job *job)
{
    return evaluator_local.spent_s(job);
}

const struct evaluator_type evaluator_asked = {
    .name = "asked",
    .measures = true,
    .open = asked_open,
    .submit = asked_submit,
    .wait = asked_wait,
    .drop_compiling = asked_drop_compiling,
    .gpus = asked_gpus,
    .cores = asked_cores,
    .now_s = asked_now_s,
    .busy_s = asked_busy_s,
    .spent_s = asked_spent_s,
    .close = asked_close,
};
