#include "tuner/predict/ranking.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/queue.h"
#include "tuner/predict/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COMPILE_DEADLINE_S = 120,
    AHEAD = 16 /* jobs in the queue for each that runs: some wait for others */
};

static int reject(struct ranked *out, enum outcome outcome, const char *reason, struct err *err)
{
    out->outcome = outcome;
    out->reason = strdup(reason ? reason : outcome_text(outcome));
    return out->reason ? 0 : err_memory(err);
}

static void take_prediction(struct ranked *out, const struct expectation *from)
{
    const struct prediction *p = &from->prediction;

    out->predicted = true;
    out->estimate_s = p->estimate_s;
    out->bound_s = p->bound_s;
    out->needed_warps = p->needed_warps;
    out->had_warps = p->had_warps;
    out->confidence = p->confidence;
    unrated_names(out->unrated, sizeof out->unrated, &from->demands.unrated);
    out->limiter = p->limiter;
    out->latency_hidden = p->latency_hidden;
}

static int predict_code(struct ranked *out, struct expectation *expectation,
                        const struct ranking_options *options, const struct compile_result *compiled,
                        struct launch *launch, struct err *err)
{
    const struct expect_options how = {.warm = !options->spec->cold, .account = options->account};
    const double begin = clock_core_s();
    const struct cubin_kernel *kernel;
    struct cubin cubin;
    int code = cubin_init(&cubin, compiled->cubin, compiled->cubin_bytes, "compiled code", err);

    if (code)
        return code;
    code = cubin_find(&kernel, &cubin, compiled->entry, err);
    if (!code)
        code = launch_prepare(launch, err);
    if (!code)
        code = expect(expectation, options->machine, &cubin, kernel, launch, &how, err);
    if (!code) {
        out->registers = kernel->resources.registers;
        out->blocks_per_sm = expectation->occupancy.blocks;
        out->predict_s = clock_core_s() - begin;
        if (expectation->predicted)
            take_prediction(out, expectation);
        else
            code = reject(out, expectation->occupancy.blocks ? OUTCOME_OK : OUTCOME_LIMITS,
                          expectation->reason, err);
    }
    cubin_release(&cubin);
    return code;
}

static int rank_variant(struct ranked *out, struct expectation *expectation,
                        const struct ranking_options *options, struct variant *variant, struct err *err)
{
    const struct device *device = options->machine->device;
    struct compile_result compiled = {0};
    struct compile_request request;
    char arch[16], reason[512];
    int code;

    if (variant->outcome != OUTCOME_OK)
        return reject(out, variant->outcome, variant->message, err);
    if (!occupancy_launchable(reason, sizeof reason, &device->limits, &variant->launch, NULL))
        return reject(out, OUTCOME_LIMITS, reason, err);
    snprintf(arch, sizeof arch, "sm_%u", device->sm);
    request = request_of(variant, arch, COMPILE_DEADLINE_S);
    code = compile_cubin(&compiled, options->compiler, &request, err);
    out->compile_s = compiled.compile_s;
    if (!code && compiled.outcome != OUTCOME_OK)
        code = reject(out, compiled.outcome, compiled.diagnostic, err);
    else if (!code)
        code = predict_code(out, expectation, options, &compiled, &variant->launch, err);
    compile_result_release(&compiled);
    return code;
}

static int rank_and_visit(struct ranked *out, struct expectation *expectation,
                          const struct ranking_options *options, struct variant *variant, struct err *err)
{
    int code = rank_variant(out, expectation, options, variant, err);

    if (!code && out->predicted && options->visit)
        options->visit(options->context, out, variant, expectation);
    return code;
}

static int check_arch(const struct ranking_options *options, struct err *err)
{
    char arch[16];

    snprintf(arch, sizeof arch, "sm_%u", options->machine->device->sm);
    return compiler_check_arch(options->compiler, arch, err);
}

int ranking_one(struct ranked *out, struct expectation *expectation, const struct ranking_options *options,
                const unsigned *choices, struct err *err)
{
    struct variant variant;
    int code;

    *out = (struct ranked){.outcome = OUTCOME_OK};
    memset(expectation, 0, sizeof *expectation);
    if (check_arch(options, err))
        return ERR_USAGE;
    code = variant_make(&variant, options->spec, options->problem, choices, err);
    if (code)
        return code;
    code = rank_and_visit(out, expectation, options, &variant, err);
    variant_release(&variant);
    return code;
}

/* All of them
 * ---------------------------------------------------------------------------------------------------------
 */

struct job {
    const struct ranking_options *options;
    struct ranked *row;
    struct variant variant; /* until it is ranked */
    struct err err;
};

static void run_job(void *argument)
{
    struct job *job = argument;
    const struct ranking_options *options = job->options;
    struct expectation *expectation = calloc(1, sizeof *expectation);

    if (expectation) {
        rank_and_visit(job->row, expectation, options, &job->variant, &job->err);
        expectation_release(expectation);
    } else {
        err_memory(&job->err);
    }
    free(expectation);
}

/* Makes the variant. Those with the code of another wait for it in the queue. */
static int submit(struct job *job, struct queue *queue, const char *text, struct err *err)
{
    const struct ranking_options *options = job->options;
    unsigned *choices = calloc(options->spec->parameter_count, sizeof *choices);
    struct compile_request request;
    int code;

    if (!choices)
        return err_memory(err);
    space_configuration(choices, options->space, job->row->index);
    code = variant_make(&job->variant, options->spec, options->problem, choices, err);
    free(choices);
    if (code)
        return code;
    request = request_of(&job->variant, "", 0);
    return queue_submit_keyed(queue, 0, text ? request_code(&request, text) : 0, run_job, job, err);
}

static int finish(struct job *job, struct err *err)
{
    variant_release(&job->variant);
    return job->err.code ? err_set(err, (enum err_code)job->err.code, "%s", job->err.text) : 0;
}

static int by_promise(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;

    if (a->predicted != b->predicted)
        return a->predicted ? -1 : 1;
    if (a->predicted && a->estimate_s != b->estimate_s)
        return a->estimate_s < b->estimate_s ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static int run_jobs(struct ranking *out, const struct ranking_options *options, struct queue *queue,
                    struct job *jobs, const char *text, struct err *err)
{
    size_t submitted = 0, done = 0;
    void *finished;
    int code = 0;

    while (done < out->count && !code) {
        while (submitted < out->count && !code && queue_pending(queue, 0) < (size_t)AHEAD * options->jobs) {
            jobs[submitted] = (struct job){.options = options, .row = &out->rows[submitted]};
            code = submit(&jobs[submitted], queue, text, err);
            submitted++;
        }
        if (code || !queue_wait(queue, &finished, -1))
            break;
        done++;
        code = finish(finished, err);
        if (options->progress)
            options->progress(options->context, done, out->count);
        if (!code && options->stop && *options->stop)
            code = err_set(err, ERR_STOPPED, "interrupted after %zu of %zu configurations", done, out->count);
    }
    return code;
}

int ranking_make(struct ranking *out, const struct ranking_options *options, struct err *err)
{
    const uint64_t count = options->indices ? options->count : space_count(options->space);
    const unsigned threads = options->jobs;
    struct queue *queue = NULL;
    struct job *jobs = NULL;
    char *text = NULL;
    size_t i, size;
    int code;

    *out = (struct ranking){.count = count};
    code = check_arch(options, err);
    if (!code && count < SIZE_MAX / sizeof *jobs) {
        out->rows = calloc(count + 1, sizeof *out->rows);
        jobs = calloc(count + 1, sizeof *jobs);
    }
    if (!code && (!out->rows || !jobs))
        code = err_memory(err);
    for (i = 0; i < count && !code; i++)
        out->rows[i] = (struct ranked){.index = options->indices ? options->indices[i] : i};
    if (!code)
        code = queue_open(&queue, &threads, 1, err);
    if (!code)
        file_read(&text, &size, options->spec->kernel.path, NULL); /* without it compiling will say so */
    if (!code)
        code = run_jobs(out, options, queue, jobs, text, err);
    if (queue)
        queue_close(queue);
    for (i = 0; jobs && i < count; i++)
        variant_release(&jobs[i].variant);
    free(jobs);
    free(text);
    if (code) {
        ranking_release(out);
        return code;
    }
    qsort(out->rows, count, sizeof *out->rows, by_promise);
    while (out->predicted < count && out->rows[out->predicted].predicted)
        out->predicted++;
    return 0;
}

void ranking_release(struct ranking *ranking)
{
    size_t i;

    for (i = 0; i < ranking->count && ranking->rows; i++)
        free(ranking->rows[i].reason);
    free(ranking->rows);
    *ranking = (struct ranking){0};
}
