#include "micro/bench.h"

#include "micro/cycle.h"
#include "base/queue.h"
#include "base/stats.h"
#include "model/sass/arch/geometry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMPILE_S = 120, SEED = 20100328 };

/* Code ---------------------------------------------------------------------------------------------------- */

static int read_code(struct micro_code *out, const struct micro_kernel *kernel, struct err *err)
{
    const struct cubin_kernel *found;
    struct cubin cubin;
    int rc = cubin_init(&cubin, out->compiled.cubin, out->compiled.cubin_bytes, kernel->file, err);

    if (rc)
        return rc;
    rc = cubin_find(&found, &cubin, out->compiled.entry, err);
    if (rc == 0) {
        out->resources = found->resources;
        rc = sass_read(&out->sass, found, err);
    }
    cubin_release(&cubin);
    return rc;
}

int micro_compile(struct micro_code *out, const struct micro *micro, const struct micro_kernel *kernel,
                  struct err *err)
{
    char path[1024], wanted[64];
    const char *options[MICRO_OPTIONS + 1] = {wanted};
    struct compile_request request = {.source_path = path,
                                      .name = kernel->name,
                                      .options = options,
                                      .option_count = 1,
                                      .arch = micro->arch,
                                      .deadline_s = COMPILE_S};
    int rc;

    memset(out, 0, sizeof *out);
    snprintf(wanted, sizeof wanted, "-DKERNEL_%s", kernel->name);
    for (int i = 0; i < MICRO_OPTIONS && kernel->options[i]; i++)
        options[request.option_count++] = kernel->options[i];
    if (snprintf(path, sizeof path, "%s/%s", micro->directory, kernel->file) >= (int)sizeof path)
        return err_set(err, ERR_SYSTEM, "%s: the path is too long", micro->directory);
    rc = compile_cubin(&out->compiled, micro->compiler, &request, err);
    if (rc == 0 && out->compiled.outcome != OUTCOME_OK)
        rc = err_set(err, ERR_FORMAT, "does not compile: %s",
                     out->compiled.diagnostic ? out->compiled.diagnostic : "no reason given");
    if (rc == 0)
        rc = read_code(out, kernel, err);
    if (rc == 0 && kernel->body.parts)
        rc = body_check(&out->sass, &kernel->body, err);
    if (rc) {
        err_prefix(err, "%s in %s", kernel->name, kernel->file);
        micro_code_release(out);
    }
    return rc;
}

void micro_code_release(struct micro_code *code)
{
    compile_result_release(&code->compiled);
    sass_release(&code->sass);
    memset(code, 0, sizeof *code);
}

struct ahead {
    void (*compile)(const void *context, size_t index);
    const void *context;
    size_t index;
};

static void run_ahead(void *argument)
{
    const struct ahead *job = argument;

    job->compile(job->context, job->index);
}

void micro_ahead(void (*compile)(const void *context, size_t index), const void *context, size_t count)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const unsigned threads = cores < 1 ? 1 : cores > 16 ? 16 : (unsigned)cores;
    struct ahead *jobs = calloc(count, sizeof *jobs);
    struct queue *queue = NULL;
    struct err ignored = {0};
    void *done;

    if (jobs && queue_open(&queue, &threads, 1, &ignored) == 0) {
        for (size_t i = 0; i < count; i++) {
            jobs[i] = (struct ahead){compile, context, i};
            if (queue_submit(queue, 0, run_ahead, &jobs[i], &ignored))
                break;
        }
        while (queue_wait(queue, &done, -1))
            continue;
        queue_close(queue);
    }
    free(jobs);
}

/* The usual ends ------------------------------------------------------------------------------------------- */

int micro_latency(struct device_value *out, const struct micro *micro, const struct micro_code *code,
                  struct call *call, double steps, const char *origin, struct err *err)
{
    const size_t blocks = call->launch.grid[0];
    double *runs = malloc(blocks * sizeof *runs);
    void *samples = NULL;
    int rc;

    call->failed |= !runs;
    rc = call_run(&samples, micro, code, call, "samples", err);
    if (rc == 0) {
        reduce_samples(runs, samples, blocks, steps);
        rc = reduce_runs(out, runs, blocks, false, origin, err);
    }
    free(samples);
    free(runs);
    return rc;
}

int micro_spans(struct sm_time *out, size_t *count, const struct micro *micro, const struct micro_code *code,
                struct call *call, struct err *err)
{
    const size_t warps = (size_t)call->launch.grid[0] * ((call->launch.block[0] + LANES - 1) / LANES);
    void *spans = NULL;
    int rc = call_run(&spans, micro, code, call, "spans", err);

    if (rc == 0) {
        *count = reduce_spans(out, micro->sms, spans, warps);
        if (*count == 0)
            rc = err_memory(err);
    }
    free(spans);
    return rc;
}

static int rate_of(struct device_value *out, const struct micro *micro, const struct micro_code *code,
                   struct call *call, double work, unsigned blocks, bool shared, const char *origin,
                   struct err *err)
{
    struct sm_time *times = calloc(micro->sms, sizeof *times);
    double *runs = malloc(micro->sms * sizeof *runs);
    size_t count = 0;
    int rc;

    call->failed |= !times || !runs;
    rc = micro_spans(times, &count, micro, code, call, err);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        if (times[i].most != blocks)
            rc = err_set(err, ERR_FORMAT, "SM %u held %u thread blocks at once, %u were wanted", times[i].sm,
                         times[i].most, blocks);
        /* Kernels do their timed part twice; of several blocks only both rounds together can be timed. */
        runs[i] = work * times[i].warps * (blocks > 1 ? 2 / times[i].lifetime : 1 / times[i].cycles);
    }
    if (rc == 0)
        rc = reduce_runs(out, runs, count, true, origin, err);
    if (rc == 0 && shared)
        out->sustained = stats_mean(runs, count);
    free(times);
    free(runs);
    return rc;
}

int micro_rate(struct device_value *out, const struct micro *micro, const struct micro_code *code,
               struct call *call, double work, unsigned blocks, const char *origin, struct err *err)
{
    return rate_of(out, micro, code, call, work, blocks, false, origin, err);
}

int micro_rate_shared(struct device_value *out, const struct micro *micro, const struct micro_code *code,
                      struct call *call, double work, unsigned blocks, const char *origin, struct err *err)
{
    return rate_of(out, micro, code, call, work, blocks, true, origin, err);
}

/* A version 1 header: magic, length, dictionary padded with blanks to a multiple of 64 bytes. */
static void npy_header(char out[128], size_t count)
{
    char text[119];
    const int length =
        snprintf(text, sizeof text, "{'descr': '<u4', 'fortran_order': False, 'shape': (%zu,), }", count);

    memset(out, ' ', 128);
    memcpy(out, "\x93NUMPY\x01\x00\x76\x00", 10);
    memcpy(out + 10, text, (size_t)length);
    out[127] = '\n';
}

/* The cycle, and the elements met every count / starts steps of it. */
static void make_cycle(uint32_t *next, size_t count, size_t starts, bool random)
{
    uint32_t at = 0;

    if (random)
        cycle_random(next, count, SEED);
    for (size_t i = 0; !random && i < count; i++)
        next[i] = (uint32_t)((i + 1) % count);
    for (size_t s = 0, step = 0; s < starts; s++) {
        for (; step < count / starts * s; step++)
            at = next[at];
        next[count + s] = at;
    }
}

int micro_cycle(char *path, const struct micro *micro, size_t count, size_t starts, bool random,
                struct err *err)
{
    const size_t all = count + starts;
    uint32_t *next = malloc(all * sizeof *next);
    char header[128];
    FILE *file;
    bool written;

    if (!next)
        return err_memory(err);
    snprintf(path, 1024, "%s/cycle-%zu.npy", micro->directory, count);
    make_cycle(next, count, starts, random);
    npy_header(header, all);
    file = fopen(path, "wb");
    written =
        file && fwrite(header, sizeof header, 1, file) == 1 && fwrite(next, sizeof *next, all, file) == all;
    free(next);
    if (file && fclose(file) != 0)
        written = false;
    return written ? 0 : err_set(err, ERR_SYSTEM, "%s: cannot be written: %s", path, strerror(errno));
}

int micro_hole(const struct micro *micro, const char *what, struct err *why, struct err *err)
{
    return device_note(micro->device, err, "%s: %s", what, why->text);
}

int micro_parts(const struct micro *micro, const struct part *parts, size_t count, struct err *err)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < count; i++) {
        struct err why = {0};

        if ((micro->full || !parts[i].full) && parts[i].measure(micro, &why))
            rc = micro_hole(micro, parts[i].name, &why, err);
    }
    return rc;
}
