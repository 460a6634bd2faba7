#include "tuner/predict/ranking.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/queue.h"
#include "tuner/predict/rank_variant.h"
#include "tuner/predict/request.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AHEAD = 16 }; /* jobs in the queue for each that runs: some wait for others */

static int rank_and_visit(struct ranked *out, struct analysis *analysis,
                          const struct ranking_options *options, const atomic_bool *halt,
                          struct variant *variant, struct err *err)
{
    int rc = rank_variant(out, analysis, options, halt, variant, err);

    if (!rc && out->predicted && options->visit)
        options->visit(options->context, out, variant, analysis);
    return rc;
}

static int check_arch(const struct ranking_options *options, struct err *err)
{
    char arch[16];

    device_target(arch, options->machine->device->sm);
    return compiler_check_arch(options->compiler, arch, err);
}

/* Jobs --------------------------------------------------------------------- */

struct job {
    struct run *run;
    struct ranked *row;
    struct analysis *analysis; /* null: of the job's own */
    struct variant variant;    /* until it is ranked */
    struct err err;
    bool done; /* before the run was stopped */
};

/* A ranking being made. */
struct run {
    const struct ranking_options *options;
    struct queue *queue;
    struct job *jobs;
    struct ranked *rows;
    size_t count, submitted, done;
    double began_s, best_s, best_cost; /* of the best so far; NaN: none yet */
    atomic_bool halt;                  /* what is under way is to end */
    char *text;                        /* the source; null where it cannot be read, as compiling will say */
};

static void run_job(void *argument)
{
    struct job *job = argument;
    struct analysis *own = job->analysis ? NULL : calloc(1, sizeof *own);
    struct analysis *analysis = job->analysis ? job->analysis : own;

    if (analysis)
        rank_and_visit(job->row, analysis, job->run->options, &job->run->halt, &job->variant, &job->err);
    else
        err_memory(&job->err);
    if (own)
        analysis_release(own);
    free(own);
}

double ranked_cost(const struct ranked *ranked)
{
    return ranked->weight * ranked->estimate_s;
}

/* Makes the variant. Those with the code of another wait for it in the queue. */
static int submit(struct run *run, const unsigned *choices, struct err *err)
{
    const struct ranking_options *options = run->options;
    struct job *job = &run->jobs[run->submitted];
    struct compile_request request;
    int rc = variant_make(&job->variant, options->spec, options->problem, choices, err);

    if (rc)
        return rc;
    run->submitted++;
    request = request_of(&job->variant, "", 0);
    return queue_submit_keyed(run->queue, 0, run->text ? request_code(&request, run->text) : 0, run_job, job,
                              err);
}

/* As many as the threads may soon ask for. */
static int submit_ahead(struct run *run, unsigned *choices, struct err *err)
{
    const size_t most = (size_t)AHEAD * run->options->jobs;
    int rc = 0;

    while (!rc && run->submitted < run->count && queue_pending(run->queue, 0) < most) {
        space_configuration(choices, run->options->space, run->rows[run->submitted].index);
        rc = submit(run, choices, err);
    }
    return rc;
}

static bool is_stopped(const struct run *run)
{
    const struct ranking_options *options = run->options;

    return (options->stop && *options->stop) ||
           (options->time_s > 0 && clock_wall_s() - run->began_s >= options->time_s);
}

static void tell_progress(const struct run *run)
{
    const double now_s = clock_wall_s() - run->began_s;
    struct ranking_progress now = {.done = run->done, .total = run->count, .now_s = now_s, .left_s = NAN};

    if (!run->options->progress)
        return;
    now.best_s = run->best_s;
    if (run->done)
        now.left_s = now_s / (double)run->done * (double)(run->count - run->done);
    if (run->options->time_s > 0)
        now.left_s = fmin(now.left_s, fmax(run->options->time_s - now_s, 0));
    run->options->progress(run->options->context, &now);
}

static int finish(struct run *run, struct job *job, struct err *err)
{
    variant_release(&job->variant);
    job->done = true;
    run->done++;
    if (job->row->predicted && !(ranked_cost(job->row) >= run->best_cost)) {
        run->best_cost = ranked_cost(job->row);
        run->best_s = job->row->estimate_s;
    }
    return job->err.code ? err_set(err, (enum err_code)job->err.code, "%s", job->err.text) : 0;
}

/* Ends what is under way. A job that has begun but has not come to its compile yet is reached by the next
 * turn. */
static void halt(struct run *run)
{
    void *finished;

    atomic_store(&run->halt, true);
    queue_cancel(run->queue, 0, NULL, NULL);
    while (queue_pending(run->queue, 0)) {
        compiler_interrupt(run->options->compiler);
        queue_wait(run->queue, &finished, 0.05);
    }
}

static int run_jobs(struct run *run, unsigned *choices, struct err *err)
{
    static const double tick_s = 0.1; /* between looks at `stop` */
    void *finished;
    int rc = 0;

    while (!rc && run->done < run->count && !is_stopped(run)) {
        rc = submit_ahead(run, choices, err);
        if (!rc && queue_wait(run->queue, &finished, tick_s)) {
            rc = finish(run, finished, err);
            tell_progress(run);
        }
    }
    halt(run);
    return rc;
}

static int run_open(struct run *out, const struct ranking_options *options, size_t count, struct err *err)
{
    const unsigned threads = options->jobs;
    size_t size;

    *out = (struct run){
        .options = options, .count = count, .began_s = clock_wall_s(), .best_s = NAN, .best_cost = NAN};
    if (check_arch(options, err))
        return err ? err->code : ERR_USAGE;
    if (count < SIZE_MAX / sizeof *out->jobs - 1) {
        out->rows = calloc(count + 1, sizeof *out->rows);
        out->jobs = calloc(count + 1, sizeof *out->jobs);
    }
    if (!out->rows || !out->jobs)
        return err_memory(err);
    for (size_t i = 0; i < count; i++)
        out->jobs[i] = (struct job){.run = out, .row = &out->rows[i]};
    file_read(&out->text, &size, options->spec->kernel.path, NULL);
    return queue_open(&out->queue, &threads, 1, err);
}

/* Leaves the rows to the caller. */
static void run_release(struct run *run)
{
    if (run->queue)
        queue_close(run->queue);
    for (size_t i = 0; i < run->submitted; i++)
        variant_release(&run->jobs[i].variant);
    free(run->jobs);
    free(run->text);
}

int ranking_one(struct ranked *out, struct analysis *analysis, const struct ranking_options *options,
                const unsigned *choices, struct err *err)
{
    struct ranking_options alone = *options;
    struct run run;
    void *finished;
    int rc;

    *out = (struct ranked){.outcome = OUTCOME_OK};
    memset(analysis, 0, sizeof *analysis);
    alone.jobs = 1;
    rc = run_open(&run, &alone, 1, err);
    if (!rc) {
        run.jobs[0].analysis = analysis;
        run.jobs[0].row = out;
        rc = submit(&run, choices, err);
    }
    if (!rc) {
        queue_wait(run.queue, &finished, -1);
        rc = finish(&run, finished, err);
    }
    run_release(&run);
    free(run.rows);
    return rc;
}

/* All of them -------------------------------------------------------------- */

static int by_promise(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;

    if (a->predicted != b->predicted)
        return a->predicted ? -1 : 1;
    if (a->predicted && ranked_cost(a) != ranked_cost(b))
        return ranked_cost(a) < ranked_cost(b) ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* What stands at `place` of an order from which places were swapped; what was not swapped stands at its own. */
static uint64_t stands_at(const struct map *swapped, uint64_t place)
{
    const void *found = map_find(swapped, place);

    return found ? (uintptr_t)found - 1 : place;
}

/* The first `count` of a random order of the space, after Fisher and Yates. Only what was swapped is kept: a
 * space may be larger than memory. */
static int draw(struct ranked *rows, size_t count, uint64_t space, struct err *err)
{
    struct map swapped = {0};
    int rc = 0;

    for (size_t i = 0; i < count && !rc; i++) {
        const uint64_t other = i + hash_random(1, i) % (space - i);
        void *mine = (void *)(uintptr_t)(stands_at(&swapped, i) + 1);

        rows[i].index = stands_at(&swapped, other);
        rc = map_put(&swapped, other, mine, err);
    }
    map_release(&swapped);
    return rc;
}

/* Keeps the rows that are done, in order. */
static void take_rows(struct ranking *out, struct run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        if (run->jobs[i].done)
            out->rows[out->count++] = run->rows[i];
        else
            free(run->rows[i].reason);
    }
    qsort(out->rows, out->count, sizeof *out->rows, by_promise);
    while (out->predicted < out->count && out->rows[out->predicted].predicted)
        out->predicted++;
}

static int rank_all(struct run *run, uint64_t space, struct err *err)
{
    const uint64_t *indices = run->options->indices;
    unsigned *choices = calloc(run->options->spec->parameter_count, sizeof *choices);
    int rc = choices ? 0 : err_memory(err);

    for (size_t i = 0; !rc && indices && i < run->count; i++)
        run->rows[i].index = indices[i];
    if (!rc && !indices)
        rc = draw(run->rows, run->count, space, err);
    if (!rc)
        rc = run_jobs(run, choices, err);
    free(choices);
    return rc;
}

int ranking_make(struct ranking *out, const struct ranking_options *options, struct err *err)
{
    const uint64_t space = space_count(options->space);
    const bool all = !options->indices && (!options->count || options->count > space);
    struct run run;
    int rc;

    *out = (struct ranking){0};
    rc = run_open(&run, options, all ? space : options->count, err);
    if (!rc)
        rc = rank_all(&run, space, err);
    out->rows = run.rows;
    out->total = run.count;
    if (!rc)
        take_rows(out, &run);
    else
        out->count = run.rows ? run.count : 0;
    run_release(&run);
    if (rc)
        ranking_release(out);
    return rc;
}

void ranking_release(struct ranking *ranking)
{
    for (size_t i = 0; i < ranking->count && ranking->rows; i++)
        free(ranking->rows[i].reason);
    free(ranking->rows);
    *ranking = (struct ranking){0};
}
