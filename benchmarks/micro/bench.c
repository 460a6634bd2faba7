#include "micro/bench.h"

#include "micro/cycle.h"
#include "launch/npy.h"
#include "base/array.h"
#include "base/queue.h"
#include "base/stats.h"
#include "model/sass/arch/geometry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUN_S = 20, COMPILE_S = 120, SEED = 20100328 };

/* Code ----------------------------------------------------------------------------------------------------
 */

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

/* Launches ------------------------------------------------------------------------------------------------
 */

void call_init(struct call *call, unsigned blocks, unsigned threads, unsigned shared_bytes)
{
    launch_init(&call->launch);
    call->launch.grid[0] = blocks;
    call->launch.block[0] = threads;
    call->launch.shared_bytes = shared_bytes;
    call->failed = false;
}

void call_release(struct call *call)
{
    launch_release(&call->launch);
}

static struct argument *add(struct call *call, enum argument_kind kind, const char *name)
{
    struct launch *launch = &call->launch;
    struct argument *argument;

    if (ARRAY_GROW(launch->arguments, launch->argument_count, NULL)) {
        call->failed = true;
        return NULL;
    }
    argument = &launch->arguments[launch->argument_count++];
    *argument = (struct argument){.kind = kind, .name = name ? strdup(name) : NULL};
    call->failed |= name && !argument->name;
    return argument;
}

static void add_scalar(struct call *call, enum element_type type, const void *bytes, size_t size)
{
    struct argument *argument = add(call, ARGUMENT_SCALAR, NULL);

    if (!argument)
        return;
    argument->bytes = malloc(size);
    if (!argument->bytes) {
        call->failed = true;
        return;
    }
    memcpy(argument->bytes, bytes, size);
    argument->size = size;
    argument->type = type;
}

void call_int(struct call *call, int value)
{
    add_scalar(call, ELEMENT_INT32, &value, sizeof value);
}

void call_unsigned(struct call *call, unsigned value)
{
    add_scalar(call, ELEMENT_UINT32, &value, sizeof value);
}

void call_long(struct call *call, uint64_t value)
{
    add_scalar(call, ELEMENT_UINT64, &value, sizeof value);
}

static struct argument *add_buffer(struct call *call, enum argument_kind kind, const char *name,
                                   enum role role, enum element_type type, uint64_t count)
{
    struct argument *argument = add(call, kind, name);

    if (argument) {
        argument->role = role;
        argument->type = type;
        argument->count = count;
    }
    return argument;
}

void call_in(struct call *call, const char *name, uint64_t floats)
{
    struct argument *argument = add_buffer(call, ARGUMENT_BUFFER, name, ROLE_IN, ELEMENT_FLOAT32, floats);

    if (argument)
        argument->fill = (struct fill){.kind = FILL_UNIFORM, .seed = SEED, .a = 1, .b = 2};
}

void call_halves(struct call *call, const char *name, uint64_t halves)
{
    struct argument *argument = add_buffer(call, ARGUMENT_BUFFER, name, ROLE_IN, ELEMENT_BFLOAT16, halves);

    if (argument)
        argument->fill = (struct fill){.kind = FILL_UNIFORM, .seed = SEED, .a = -1, .b = 1};
}

void call_spans(struct call *call, const struct micro *micro)
{
    call_out(call, "spans", ELEMENT_INT64, (uint64_t)micro->sms * MICRO_WARPS * SPAN_NUMBERS);
}

void call_samples(struct call *call, const struct micro *micro)
{
    call_out(call, "samples", ELEMENT_INT64, (uint64_t)micro->sms * MICRO_SAMPLES);
}

void call_sink(struct call *call, const char *name, const struct micro *micro)
{
    call_zeros(call, name, ROLE_OUT, (uint64_t)micro->sms * MICRO_SINK);
}

void call_zeros(struct call *call, const char *name, enum role role, uint64_t words)
{
    struct argument *argument = add_buffer(call, ARGUMENT_BUFFER, name, role, ELEMENT_UINT32, words);

    if (argument)
        argument->fill = (struct fill){.kind = FILL_CONSTANT};
}

void call_out(struct call *call, const char *name, enum element_type type, uint64_t count)
{
    struct argument *argument = add_buffer(call, ARGUMENT_BUFFER, name, ROLE_OUT, type, count);

    if (argument)
        argument->fill = (struct fill){.kind = FILL_CONSTANT};
}

void call_file(struct call *call, const char *name, enum element_type type, uint64_t count, const char *path)
{
    struct argument *argument = add_buffer(call, ARGUMENT_BUFFER, name, ROLE_IN, type, count);
    struct err ignored = {0};

    if (!argument)
        return;
    argument->fill = (struct fill){.kind = FILL_FILE, .path = strdup(path)};
    /* the worker keeps buffers by content: two files of one size are not the same */
    call->failed |= !argument->fill.path || npy_hash(&argument->fill.content, path, &ignored) != 0;
}

static void add_expression(struct call *call, enum argument_kind kind, const char *name, uint64_t words,
                           const char *expression)
{
    struct argument *argument = add_buffer(call, kind, name, ROLE_IN, ELEMENT_UINT32, words);

    if (!argument)
        return;
    argument->fill = (struct fill){.kind = FILL_EXPRESSION, .expression = strdup(expression)};
    call->failed |= !argument->fill.expression;
}

void call_expression(struct call *call, const char *name, uint64_t words, const char *expression)
{
    add_expression(call, ARGUMENT_BUFFER, name, words, expression);
}

void call_symbol(struct call *call, const char *name, uint64_t words, const char *expression)
{
    add_expression(call, ARGUMENT_SYMBOL, name, words, expression);
}

static int run(struct run_buffer *buffers, size_t count, const struct micro *micro,
               const struct micro_code *code, const struct call *call, struct err *err)
{
    const struct code binary = {code->compiled.cubin, code->compiled.cubin_bytes, code->compiled.entry};

    if (call->failed)
        return err_memory(err);
    if (!micro->worker)
        return err_set(err, ERR_MISSING, "no GPU to run on");
    return worker_run(buffers, count, micro->worker, &binary, &call->launch, RUN_S, err);
}

int call_run(void **out, const struct micro *micro, const struct micro_code *code, const struct call *call,
             const char *name, struct err *err)
{
    struct run_buffer buffer = {.name = name};
    const int rc = run(&buffer, 1, micro, code, call, err);

    *out = rc ? NULL : buffer.bytes;
    return rc;
}

int call_run_two(void *out[2], const struct micro *micro, const struct micro_code *code,
                 const struct call *call, const char *first, const char *second, struct err *err)
{
    struct run_buffer buffers[] = {{.name = first}, {.name = second}};
    const int rc = run(buffers, 2, micro, code, call, err);

    out[0] = rc ? NULL : buffers[0].bytes;
    out[1] = rc ? NULL : buffers[1].bytes;
    return rc;
}

int call_time(struct trial *out, const struct micro *micro, const struct micro_code *code,
              const struct call *call, double sample_s, struct err *err)
{
    const struct code binary = {code->compiled.cubin, code->compiled.cubin_bytes, code->compiled.entry};
    const struct reference nothing = {0};
    struct protocol protocol;
    int rc;

    *out = (struct trial){0};
    if (call->failed)
        return err_memory(err);
    if (!micro->worker)
        return err_set(err, ERR_MISSING, "no GPU to run on");
    protocol_init(&protocol);
    protocol.samples_min = protocol.samples_max = REDUCE_RUNS_MIN;
    protocol.sample_s = sample_s;
    rc = worker_trial(out, micro->worker, &binary, &call->launch, &nothing, &protocol, err);
    if (rc == 0 && out->outcome != OUTCOME_OK)
        rc = err_set(err, ERR_GPU, "%s: %s", outcome_text(out->outcome), out->message);
    return rc;
}

/* The usual ends -------------------------------------------------------------------------------------------
 */

int micro_latency(struct device_value *out, const struct micro *micro, const struct micro_code *code,
                  const struct call *call, double steps, const char *origin, struct err *err)
{
    const size_t blocks = call->launch.grid[0];
    double *runs = malloc(blocks * sizeof *runs);
    void *samples = NULL;
    int rc = runs ? call_run(&samples, micro, code, call, "samples", err) : err_memory(err);

    if (rc == 0) {
        reduce_samples(runs, samples, blocks, steps);
        rc = reduce_runs(out, runs, blocks, false, origin, err);
    }
    free(samples);
    free(runs);
    return rc;
}

int micro_spans(struct sm_time *out, size_t *count, const struct micro *micro, const struct micro_code *code,
                const struct call *call, struct err *err)
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
                   const struct call *call, double work, unsigned blocks, bool shared, const char *origin,
                   struct err *err)
{
    struct sm_time *times = calloc(micro->sms, sizeof *times);
    double *runs = malloc(micro->sms * sizeof *runs);
    size_t count = 0;
    int rc = times && runs ? micro_spans(times, &count, micro, code, call, err) : err_memory(err);

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
               const struct call *call, double work, unsigned blocks, const char *origin, struct err *err)
{
    return rate_of(out, micro, code, call, work, blocks, false, origin, err);
}

int micro_rate_shared(struct device_value *out, const struct micro *micro, const struct micro_code *code,
                      const struct call *call, double work, unsigned blocks, const char *origin,
                      struct err *err)
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
    if (why->code == ERR_MEMORY)
        return err_memory(err);
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
