#include "gpu/bench.h"

#include "base/clock.h"

#include "gpu/loaded.h"
#include "gpu/unchanged.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double prepare_s = 600, load_s = 60, check_s = 60;

const char *stage_text(enum stage stage)
{
    static const char *const texts[STAGE_COUNT] = {[STAGE_PREPARE] = "prepare",
                                                   [STAGE_REFERENCE] = "reference",
                                                   [STAGE_LOAD] = "load",
                                                   [STAGE_LAUNCH] = "launch",
                                                   [STAGE_MEASURE] = "measure"};

    return texts[stage];
}

int bench_open(struct bench *out, int device, struct err *err)
{
    memset(out, 0, sizeof *out);
    return gpu_find(&out->gpu, device, err);
}

static void stop(struct bench *bench)
{
    measurer_close(&bench->measurer);
    wanted_release(&bench->wanted, bench->gpu);
    verifier_release(&bench->verifier);
    buffers_release(&bench->buffers);
    kernels_close(&bench->kernels);
    gpu_stop(bench->gpu);
    bench->reference_key = 0;
    bench->started = false;
}

int bench_start(struct bench *bench, struct err *err)
{
    int rc;

    if (bench->started)
        return 0;
    rc = gpu_start(bench->gpu, err);
    if (rc)
        return rc;
    rc = kernels_open(&bench->kernels, bench->gpu, err);
    buffers_init(&bench->buffers, bench->gpu, &bench->kernels);
    verifier_init(&bench->verifier, &bench->buffers);
    if (!rc)
        rc = measurer_open(&bench->measurer, &bench->buffers, err);
    bench->started = true;
    if (rc)
        stop(bench);
    return rc;
}

void bench_forget(struct bench *bench)
{
    if (!bench->started)
        return;
    if (gpu_is_exclusive(bench->gpu)) {
        stop(bench);
        return;
    }
    wanted_release(&bench->wanted, bench->gpu);
    bench->reference_key = 0;
    buffers_release(&bench->buffers);
    buffers_init(&bench->buffers, bench->gpu, &bench->kernels);
    measurer_relax(&bench->measurer);
}

void bench_close(struct bench *bench)
{
    if (bench->started)
        stop(bench);
    gpu_close(bench->gpu);
    memset(bench, 0, sizeof *bench);
}

static int announce(const struct announcer *announcer, enum stage stage, double within_s, struct err *err)
{
    return announcer->announce(announcer->context, stage, within_s, err);
}

/* Keeps a copy of every buffer that the reference kernel wrote. */
static int keep_results(struct bench *bench, const struct binding *binding, struct err *err)
{
    int rc = 0;

    for (size_t i = 0; !rc && i < binding->count; i++) {
        const struct buffer *buffer = binding->buffers[i];

        if (buffer && role_is_result(buffer->role))
            rc = verify_keep(&bench->wanted, &bench->verifier, buffer, err);
    }
    return rc ? rc : gpu_synchronize(bench->gpu, err);
}

static int run_reference(struct bench *bench, const struct bench_reference *reference, double deadline_s,
                         const struct announcer *announcer, struct err *err)
{
    const struct wanted nothing = {0};
    struct loaded loaded = {0};
    int rc = buffers_bind(&loaded.binding, &bench->buffers, reference->launch, err);

    if (!rc)
        rc = loaded_open(&loaded, &bench->buffers, &reference->code, reference->launch, err);
    if (!rc)
        rc = verify_prepare(&bench->verifier, &loaded.binding, &nothing, err);
    if (!rc)
        rc = gpu_synchronize(bench->gpu, err);
    if (!rc)
        rc = announce(announcer, STAGE_REFERENCE, deadline_s, err);
    if (!rc)
        rc = loaded_run(&loaded, &bench->buffers, err);
    if (!rc)
        rc = announce(announcer, STAGE_PREPARE, prepare_s, err);
    if (!rc)
        rc = keep_results(bench, &loaded.binding, err);
    if (!rc)
        rc = loaded_repair(&loaded, &bench->buffers, err);
    loaded_close(&loaded, &bench->buffers);
    if (rc)
        err_prefix(err, "the reference");
    return rc;
}

/* Expected results from files, for the buffers of a launch that are named. */
static int read_reference(struct bench *bench, const struct bench_reference *reference,
                          const struct launch *launch, struct err *err)
{
    int rc = 0;

    for (size_t i = 0; !rc && i < launch->argument_count; i++) {
        const struct argument *argument = &launch->arguments[i];

        if (!argument_is_buffer(argument) || !role_is_result(argument->role) || !argument->name)
            continue;
        for (size_t k = 0; !rc && k < reference->file_count; k++) {
            const enum element_type type =
                argument->reduction ? reduced_type(argument->type) : argument->type;
            const uint64_t count = argument->reduction ? argument->kept : argument->count;
            struct fill fill = {.kind = FILL_FILE};
            struct wanted_buffer *added;

            if (strcmp(reference->names[k], argument->name))
                continue;
            fill.path = strdup(reference->paths[k]);
            rc = fill.path
                     ? wanted_add(&added, &bench->wanted, bench->gpu, argument->name, type, count, 0, err)
                     : err_memory(err);
            if (!rc)
                rc = buffers_fill(&bench->buffers, added->data, &fill, type, count, err);
            fill_release(&fill);
        }
    }
    return rc;
}

/* Computes what is expected, unless it is what the last trial expected. */
static int learn_reference(struct bench *bench, const struct bench_reference *reference,
                           const struct launch *launch, double deadline_s, const struct announcer *announcer,
                           struct err *err)
{
    int rc = 0;

    if (reference->key == bench->reference_key)
        return 0;
    wanted_release(&bench->wanted, bench->gpu);
    bench->reference_key = 0;
    if (reference->launch)
        rc = run_reference(bench, reference, deadline_s, announcer, err);
    else if (reference->file_count)
        rc = read_reference(bench, reference, launch, err);
    if (!rc)
        bench->reference_key = reference->key;
    return rc;
}

/* Turns an error that the variant caused into its outcome. */
static int blame_variant(struct trial *trial, enum outcome outcome, struct err *err)
{
    trial->outcome = outcome;
    snprintf(trial->message, sizeof trial->message, "%.*s", (int)sizeof trial->message - 1, err->text);
    err_clear(err);
    return 0;
}

/* The first launch, between two events: its duration goes to time_s as an estimate. */
static int launch_first(struct trial *trial, struct bench *bench, const struct loaded *loaded,
                        struct err *err)
{
    gpu_event *events = bench->measurer.events;
    int rc = gpu_record(bench->gpu, events[0], err);

    if (!rc)
        rc = subject_launch(&loaded->subject, bench->gpu, err);
    if (rc)
        return blame_variant(trial, OUTCOME_LAUNCH, err);
    rc = gpu_record(bench->gpu, events[1], err);
    if (!rc)
        rc = gpu_synchronize(bench->gpu, err);
    if (rc)
        return blame_variant(trial, OUTCOME_RUNTIME, err);
    rc = gpu_elapsed(&trial->time_s, bench->gpu, events[0], events[1], err);
    trial->kernel_s = trial->time_s;
    return rc;
}

static int verify_first(struct trial *trial, struct bench *bench, struct loaded *loaded,
                        const struct protocol *protocol, const struct announcer *announcer, struct err *err)
{
    double start = clock_wall_s();
    int rc = verify_prepare(&bench->verifier, &loaded->binding, &bench->wanted, err);

    if (!rc)
        rc = gpu_synchronize(bench->gpu, err);
    if (!rc)
        rc = announce(announcer, STAGE_LAUNCH, protocol->deadline_s, err);
    if (!rc)
        rc = launch_first(trial, bench, loaded, err);
    if (!rc && trial->outcome == OUTCOME_OK)
        rc = announce(announcer, STAGE_MEASURE, check_s, err);
    if (!rc && trial->outcome == OUTCOME_OK)
        rc = verify_check(trial, &bench->verifier, &loaded->binding, &bench->wanted, protocol, err);
    if (!rc && trial->outcome == OUTCOME_OK)
        rc = unchanged_learn(&loaded->binding, &bench->verifier, err);
    trial->verify_s = clock_wall_s() - start;
    return rc;
}

static int promise_measure(void *context, double within_s, struct err *err)
{
    return announce(context, STAGE_MEASURE, within_s, err);
}

/* Times a variant; once more where a buffer that need not be restored turns out to change after all. */
static int measure_loaded(struct trial *trial, struct bench *bench, struct loaded *loaded,
                          const struct protocol *protocol, const struct announcer *announcer, struct err *err)
{
    const double first_s = trial->time_s;
    bool confirmed;
    int rc =
        measure(trial, &bench->measurer, &loaded->subject, protocol, promise_measure, (void *)announcer, err);

    if (!rc)
        rc = unchanged_confirm(&confirmed, &loaded->binding, &bench->verifier, err);
    if (rc || confirmed)
        return rc;
    free(trial->samples_s);
    trial->samples_s = NULL;
    trial->sample_count = 0;
    trial->time_s = first_s;
    return measure(trial, &bench->measurer, &loaded->subject, protocol, promise_measure, (void *)announcer,
                   err);
}

/* Times a verified variant, and looks at its results once more: a race may show only now. */
static int measure_verified(struct trial *trial, struct bench *bench, struct loaded *loaded,
                            const struct protocol *protocol, const struct announcer *announcer,
                            struct err *err)
{
    double start = clock_wall_s();
    int rc = measure_loaded(trial, bench, loaded, protocol, announcer, err);

    if (!rc)
        rc = verify_check(trial, &bench->verifier, &loaded->binding, &bench->wanted, protocol, err);
    if (!rc && trial->outcome == OUTCOME_WRONG) {
        char text[sizeof trial->message];

        snprintf(text, sizeof text, "right at first, then %.450s", trial->message);
        memcpy(trial->message, text, sizeof text);
        trial->outcome = OUTCOME_UNSTABLE;
    }
    trial->benchmark_s = clock_wall_s() - start;
    return rc;
}

static int try_loaded(struct trial *trial, struct bench *bench, struct loaded *loaded,
                      const struct protocol *protocol, const struct announcer *announcer, struct err *err)
{
    int rc = verify_first(trial, bench, loaded, protocol, announcer, err);

    if (!rc && trial->outcome == OUTCOME_OK)
        rc = measure_verified(trial, bench, loaded, protocol, announcer, err);
    if (rc == ERR_GPU)
        rc = blame_variant(trial, OUTCOME_RUNTIME, err);
    if (trial->outcome != OUTCOME_OK)
        trial->time_s = 0;
    return rc;
}

int bench_trial(struct trial *out, struct bench *bench, const struct code *code, struct launch *launch,
                const struct bench_reference *reference, const struct protocol *protocol,
                const struct announcer *announcer, struct err *err)
{
    struct loaded loaded = {0};
    double start;
    int rc;

    memset(out, 0, sizeof *out);
    buffers_begin(&bench->buffers);
    rc = announce(announcer, STAGE_PREPARE, prepare_s, err);
    if (!rc)
        rc = buffers_bind(&loaded.binding, &bench->buffers, launch, err);
    if (!rc)
        rc = learn_reference(bench, reference, launch, protocol->deadline_s, announcer, err);
    start = clock_wall_s();
    if (!rc)
        rc = announce(announcer, STAGE_LOAD, load_s, err);
    if (!rc) {
        rc = loaded_open(&loaded, &bench->buffers, code, launch, err);
        if (rc == ERR_GPU)
            rc = blame_variant(out, OUTCOME_LAUNCH, err);
        else if (!rc)
            rc = try_loaded(out, bench, &loaded, protocol, announcer, err);
    }
    out->registers = loaded.facts.registers;
    out->shared_bytes = loaded.facts.shared_bytes;
    out->local_bytes = loaded.facts.local_bytes;
    out->blocks_per_sm = loaded.facts.blocks_per_sm;
    loaded_close(&loaded, &bench->buffers);
    out->total_s = clock_wall_s() - start;
    return rc;
}

int bench_fill(struct bench *bench, struct launch *launch, const struct announcer *announcer, struct err *err)
{
    struct binding binding = {0};
    int rc;

    buffers_begin(&bench->buffers);
    rc = announce(announcer, STAGE_PREPARE, prepare_s, err);
    if (!rc)
        rc = buffers_bind(&binding, &bench->buffers, launch, err);
    if (!rc)
        rc = gpu_synchronize(bench->gpu, err);
    binding_release(&binding);
    return rc;
}

static const struct buffer *find_named(const struct binding *binding, const char *name)
{
    for (size_t i = 0; i < binding->count; i++)
        if (binding->buffers[i] && !strcmp(binding->buffers[i]->name, name))
            return binding->buffers[i];
    return NULL;
}

static int read_buffers(struct part *parts, struct bench *bench, const struct binding *binding,
                        char *const *names, size_t name_count, struct err *err)
{
    int rc = 0;

    for (size_t i = 0; !rc && i < name_count; i++) {
        const struct buffer *buffer = find_named(binding, names[i]);

        if (!buffer)
            return err_set(err, ERR_USAGE, "the launch has no buffer %s", names[i]);
        parts[i].size = buffer->bytes;
        parts[i].bytes = malloc(buffer->bytes + 1);
        if (!parts[i].bytes)
            return err_memory(err);
        rc = gpu_download((void *)parts[i].bytes, bench->gpu, buffer->data, buffer->bytes, err);
    }
    return rc;
}

static int clear_outputs(struct bench *bench, const struct binding *binding, struct err *err)
{
    int rc = 0;

    for (size_t i = 0; !rc && i < binding->count; i++)
        if (binding->buffers[i] && !role_is_filled(binding->buffers[i]->role))
            rc = gpu_set(bench->gpu, binding->buffers[i]->data, 0, binding->buffers[i]->bytes, err);
    return rc;
}

int bench_run(struct part *parts, struct bench *bench, const struct code *code, struct launch *launch,
              char *const *names, size_t name_count, double deadline_s, const struct announcer *announcer,
              struct err *err)
{
    struct loaded loaded = {0};
    int rc;

    buffers_begin(&bench->buffers);
    rc = announce(announcer, STAGE_PREPARE, prepare_s, err);
    if (!rc)
        rc = buffers_bind(&loaded.binding, &bench->buffers, launch, err);
    if (!rc)
        rc = loaded_open(&loaded, &bench->buffers, code, launch, err);
    if (!rc)
        rc = binding_restore(&loaded.binding, &bench->buffers, err);
    if (!rc)
        rc = clear_outputs(bench, &loaded.binding, err);
    if (!rc)
        rc = gpu_synchronize(bench->gpu, err);
    if (!rc)
        rc = announce(announcer, STAGE_LAUNCH, deadline_s, err);
    if (!rc)
        rc = loaded_run(&loaded, &bench->buffers, err);
    if (!rc)
        rc = announce(announcer, STAGE_PREPARE, prepare_s, err);
    if (!rc)
        rc = read_buffers(parts, bench, &loaded.binding, names, name_count, err);
    if (!rc)
        rc = loaded_repair(&loaded, &bench->buffers, err);
    loaded_close(&loaded, &bench->buffers);
    return rc;
}
