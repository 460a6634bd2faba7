#include "micro/bench.h"

#include "launch/npy.h"
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

enum { RUN_S = 20, SEED = 20100328 };

void call_init(struct call *call, unsigned blocks, unsigned threads, unsigned shared_bytes)
{
    launch_init(&call->launch);
    call->launch.grid[0] = blocks;
    call->launch.block[0] = threads;
    call->launch.shared_bytes = shared_bytes;
    call->failed = false;
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

static int launchable(const struct micro *micro, struct call *call, struct err *err)
{
    if (call->failed)
        return err_memory(err);
    return micro->worker ? 0 : err_set(err, ERR_MISSING, "no GPU to run on");
}

static int run(struct run_buffer *buffers, size_t count, const struct micro *micro,
               const struct micro_code *code, struct call *call, struct err *err)
{
    const struct code binary = {code->compiled.cubin, code->compiled.cubin_bytes, code->compiled.entry};
    int rc = launchable(micro, call, err);

    if (rc == 0)
        rc = worker_run(buffers, count, micro->worker, &binary, &call->launch, RUN_S, err);
    launch_release(&call->launch);
    return rc;
}

int call_run(void **out, const struct micro *micro, const struct micro_code *code, struct call *call,
             const char *name, struct err *err)
{
    struct run_buffer buffer = {.name = name};
    const int rc = run(&buffer, 1, micro, code, call, err);

    *out = rc ? NULL : buffer.bytes;
    return rc;
}

int call_run_two(void *out[2], const struct micro *micro, const struct micro_code *code, struct call *call,
                 const char *first, const char *second, struct err *err)
{
    struct run_buffer buffers[] = {{.name = first}, {.name = second}};
    const int rc = run(buffers, 2, micro, code, call, err);

    out[0] = rc ? NULL : buffers[0].bytes;
    out[1] = rc ? NULL : buffers[1].bytes;
    return rc;
}

int call_time(struct trial *out, const struct micro *micro, const struct micro_code *code, struct call *call,
              double sample_s, struct err *err)
{
    const struct code binary = {code->compiled.cubin, code->compiled.cubin_bytes, code->compiled.entry};
    const struct reference nothing = {0};
    struct protocol protocol;
    int rc = launchable(micro, call, err);

    *out = (struct trial){0};
    protocol_init(&protocol);
    protocol.samples_min = protocol.samples_max = REDUCE_RUNS_MIN;
    protocol.sample_s = sample_s;
    if (rc == 0)
        rc = worker_trial(out, micro->worker, &binary, &call->launch, &nothing, &protocol, err);
    launch_release(&call->launch);
    if (rc == 0 && out->outcome != OUTCOME_OK)
        rc = err_set(err, ERR_GPU, "%s: %s", outcome_text(out->outcome), out->message);
    return rc;
}
