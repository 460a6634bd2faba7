/* Launches, references and trials as the tests of the worker need them, with the pretended driver and with a
 * GPU. */
#ifndef TESTS_UNIT_GPU_TRIAL_SETUP_H
#define TESTS_UNIT_GPU_TRIAL_SETUP_H

#include "check.h"
#include "gpu/worker.h"

enum { ARGUMENTS_MAX = 6 };

static inline struct argument *add_argument(struct launch *launch)
{
    if (!launch->arguments)
        launch->arguments = calloc(ARGUMENTS_MAX, sizeof *launch->arguments);
    assert_non_null(launch->arguments);
    assert_true(launch->argument_count < ARGUMENTS_MAX);
    return &launch->arguments[launch->argument_count++];
}

/* A buffer; fills are uniform in [-1, 1) (integers: 0 to 100). */
static inline void add_buffer(struct launch *launch, const char *name, enum element_type type, uint64_t count,
                              enum role role)
{
    bool real = type >= ELEMENT_FLOAT16;

    *add_argument(launch) =
        (struct argument){.kind = ARGUMENT_BUFFER,
                          .name = strdup(name),
                          .type = type,
                          .count = count,
                          .role = role,
                          .fill = {.kind = FILL_UNIFORM, .seed = 1, .a = real ? -1 : 0, .b = real ? 1 : 100}};
}

static inline void add_constant(struct launch *launch, enum argument_kind kind, const char *name,
                                double value)
{
    *add_argument(launch) = (struct argument){.kind = kind,
                                              .name = strdup(name),
                                              .type = ELEMENT_FLOAT32,
                                              .count = 1,
                                              .fill = {.kind = FILL_CONSTANT, .a = value}};
}

static inline void add_scalar(struct launch *launch, const void *bytes, size_t size)
{
    struct argument *argument = add_argument(launch);

    *argument = (struct argument){.kind = ARGUMENT_SCALAR, .size = size, .bytes = malloc(size)};
    assert_non_null(argument->bytes);
    memcpy(argument->bytes, bytes, size);
}

/* (const float *in, float *out, int n) */
static inline void make_copy_launch(struct launch *launch, int n)
{
    launch_init(launch);
    launch->grid[0] = (unsigned)(n + 255) / 256;
    launch->block[0] = 256;
    add_buffer(launch, "in", ELEMENT_FLOAT32, (uint64_t)n, ROLE_IN);
    add_buffer(launch, "out", ELEMENT_FLOAT32, (uint64_t)n, ROLE_OUT);
    add_scalar(launch, &n, sizeof n);
}

static inline struct worker *open_worker(void)
{
    struct worker *worker;
    struct err err = {0};

    check_ok(worker_open(&worker, 0, NULL, &err), &err);
    return worker;
}

/* A trial that must not be an error. */
static inline enum outcome try_variant(struct trial *out, struct worker *worker, const struct code *code,
                                       const struct launch *launch, const struct reference *reference,
                                       const struct protocol *protocol)
{
    struct err err = {0};

    if (worker_trial(out, worker, code, launch, reference, protocol, &err))
        fail_msg("%s: %s", code->entry, err.text);
    return out->outcome;
}

static inline void expect_text(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" does not say \"%s\"", text, part);
}

#endif
