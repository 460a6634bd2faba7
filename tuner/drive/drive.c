#include "tuner/drive/drive.h"

static const double tick_s = 0.1;

/* The controller may think for this long before it submits again. */
static const double thinking_s = 0.25;

enum {
    AHEAD_LEAST = 2,
    READY_A_CORE = 4 /* what many cores compile before the search knows which of it is worth a trial */
};

/* Compile jobs that wait for a core: what the cores finish while the controller thinks, and no more, since what is
 * submitted later is chosen by what was learnt until then. */
static size_t compiles_ahead(const struct evaluator *evaluator, const struct strategy *strategy)
{
    const double cores = evaluator_cores(evaluator), compile_s = evaluator_compile_s(evaluator);

    if (strategy->trials_ahead > 1) /* an order that nothing changes */
        return (size_t)cores;
    if (!(compile_s > 0) || cores * thinking_s < AHEAD_LEAST * compile_s)
        return AHEAD_LEAST;
    return (size_t)(cores * (thinking_s < compile_s ? thinking_s / compile_s : 1));
}

/* Whether one more may wait for its trial, those included that are being compiled. A search that chooses its trials passes
 * over much of what is ready, and the more cores compile, the more of it lies there. */
static bool may_hold_more(const struct driver *driver)
{
    const struct strategy *strategy = driver->strategy;
    const size_t for_cores =
        strategy->trials_ahead > 1 ? 0 : (size_t)READY_A_CORE * evaluator_cores(driver->evaluator);
    const size_t held = *driver->ready + evaluator_pending(driver->evaluator, EVALUATOR_COMPILE);

    return held < for_cores || held - for_cores < strategy->ready_most;
}

/* Enough work to keep every core and GPU busy, and no more than fits comfortably into memory. */
static struct search_capacity capacity(const struct driver *driver)
{
    const struct evaluator *evaluator = driver->evaluator;
    const struct strategy *strategy = driver->strategy;

    return (struct search_capacity){
        .compile = evaluator_compiling(evaluator) <
                       evaluator_cores(evaluator) + compiles_ahead(evaluator, strategy) &&
                   may_hold_more(driver),
        .time = !(driver->hold && *driver->hold) &&
                evaluator_pending(evaluator, EVALUATOR_MEASURE) <
                    evaluator_trials_ahead(evaluator, strategy->trials_ahead) * evaluator_gpus(evaluator),
        .now_s = evaluator_now_s(evaluator),
    };
}

int drive_wait(const struct driver *driver, struct err *err)
{
    struct evaluator_job *job = evaluator_wait(driver->evaluator, tick_s);
    int rc = 0;

    for (; job && !rc; job = rc ? NULL : evaluator_wait(driver->evaluator, 0))
        rc = driver->finish(driver->context, job, err);
    return rc || !driver->tick ? rc : driver->tick(driver->context, err);
}

/* A search that waits to be told of something, where nothing is under way, would wait for ever. */
static int wait_told(const struct driver *driver, struct err *err)
{
    const struct evaluator *evaluator = driver->evaluator;

    if (evaluator_pending(evaluator, EVALUATOR_COMPILE) || evaluator_pending(evaluator, EVALUATOR_MEASURE))
        return drive_wait(driver, err);
    return err_set(
        err, ERR_SYSTEM,
        "internal error: the search waits, and nothing is compiled or timed that it could wait for (%llu "
        "configurations visited, %zu compiled ones not timed); what was timed is kept, strategy random goes "
        "on from there",
        (unsigned long long)search_visited(driver->search), *driver->ready);
}

int drive(const struct driver *driver, struct err *err)
{
    struct search_step step = {.action = SEARCH_WAIT};
    int rc = 0;

    while (!rc && step.action != SEARCH_STOP && !(driver->over && driver->over(driver->context))) {
        bool freed;

        rc = search_next(&step, driver->search, capacity(driver), err);
        freed = !rc && step.audit && driver->audit(driver->context);
        if (!rc && step.action == SEARCH_COMPILE)
            rc = driver->compile(driver->context, step.index, err);
        else if (!rc && step.action == SEARCH_TIME)
            rc = driver->time(driver->context, step.index, step.audit, err);
        else if (!rc && step.action == SEARCH_WAIT && !freed)
            rc = wait_told(driver, err);
    }
    return rc;
}
