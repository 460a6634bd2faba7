#include "fake_worker.h"

#include "gpu/worker.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned fake_sm = 90, fake_runs;

int worker_describe(struct device *out, struct worker *worker, struct err *err)
{
    (void)worker;
    device_init(out);
    snprintf(out->name, sizeof out->name, "a GPU of paper");
    out->sm = fake_sm;
    if (device_limits_of(&out->limits, fake_sm, err))
        return err->code;
    out->limits.sm_count = FAKE_SMS;
    out->limits.l2_bytes = 1 << 20;
    out->limits.memory_bytes = UINT64_C(1) << 33;
    out->limits.memory_bus_bits = 512;
    out->limits.memory_clock_hz = out->limits.sm_clock_hz = 1000000000;
    return 0;
}

static const struct argument *find(const struct launch *launch, const char *name)
{
    for (size_t i = 0; i < launch->argument_count; i++)
        if (launch->arguments[i].name && !strcmp(launch->arguments[i].name, name))
            return &launch->arguments[i];
    return NULL;
}

static void answer(const struct run_buffer *buffer, const struct argument *argument,
                   const struct launch *launch)
{
    const size_t warps_per_block = (launch->block[0] + 31) / 32;
    int64_t *numbers = (int64_t *)buffer->bytes;

    for (size_t i = 0; i < argument->count; i++) {
        if (!strcmp(buffer->name, "begins"))
            numbers[i] = (int64_t)(i * 10);
        else if (!strcmp(buffer->name, "samples"))
            numbers[i] = FAKE_STEP_SAMPLES;
        else if (!strcmp(buffer->name, "spans")) {
            const size_t block = i / 4 / warps_per_block;
            const bool alone = launch->shared_bytes > 200000; /* one block after the other */
            const int64_t start = 1000 + (alone ? (int64_t)(block / FAKE_SMS) * (FAKE_SPAN + 700) : 0);

            numbers[i] = i % 4 < 2    ? start
                         : i % 4 == 2 ? start + FAKE_SPAN
                                      : (int64_t)(block % FAKE_SMS | block << 32);
        } else if (!strcmp(buffer->name, "sms"))
            ((uint32_t *)buffer->bytes)[i] = (uint32_t)i;
        else
            ((uint32_t *)buffer->bytes)[i] = (uint32_t)(i % 64 * 10);
    }
}

int worker_run(struct run_buffer *buffers, size_t buffer_count, struct worker *worker,
               const struct code *code, const struct launch *launch, double deadline_s, struct err *err)
{
    (void)worker, (void)code, (void)deadline_s;
    fake_runs++;
    for (size_t i = 0; i < buffer_count; i++) {
        const struct argument *argument = find(launch, buffers[i].name);

        if (!argument)
            return err_set(err, ERR_USAGE, "no buffer %s", buffers[i].name);
        buffers[i].size = argument->count * element_size(argument->type);
        buffers[i].bytes = malloc(buffers[i].size);
        if (!buffers[i].bytes)
            return err_memory(err);
        answer(&buffers[i], argument, launch);
    }
    return 0;
}

int worker_trial(struct trial *out, struct worker *worker, const struct code *code,
                 const struct launch *launch, const struct reference *reference,
                 const struct protocol *protocol, struct err *err)
{
    (void)worker, (void)code, (void)launch, (void)reference;
    fake_runs++;
    *out = (struct trial){.outcome = OUTCOME_OK, .clock_hz = 1e9, .time_s = 1e-3};
    out->samples_s = malloc(protocol->samples_min * sizeof *out->samples_s);
    if (!out->samples_s)
        return err_memory(err);
    for (; out->sample_count < protocol->samples_min; out->sample_count++)
        out->samples_s[out->sample_count] = 1e-3;
    return 0;
}

int worker_copy(double *seconds, size_t count, struct worker *worker, uint64_t bytes, struct err *err)
{
    (void)worker, (void)bytes, (void)err;
    fake_runs++;
    for (size_t i = 0; i < count; i++)
        seconds[i] = 1e-3;
    return 0;
}
