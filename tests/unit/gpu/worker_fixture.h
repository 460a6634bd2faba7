/* A worker on the pretended driver of tests/fake, and the launch of its kernel "copy". */
#ifndef WORKER_FIXTURE_H
#define WORKER_FIXTURE_H

#include "trial_setup.h"

enum { N = 1000 };

struct setup {
    struct worker *worker;
    struct launch launch;
    struct reference reference; /* the kernel "copy" */
    struct protocol protocol;
};

static struct code code_of(const char *entry)
{
    return (struct code){(const unsigned char *)"any bytes", 9, entry};
}

static int set_up(void **state)
{
    struct setup *setup = calloc(1, sizeof *setup);

    assert_non_null(setup);
    setup->worker = open_worker();
    make_copy_launch(&setup->launch, N);
    setup->reference = (struct reference){.code = code_of("copy"), .launch = &setup->launch};
    protocol_init(&setup->protocol);
    setup->protocol.deadline_s = 0.3;
    *state = setup;
    return 0;
}

static struct trial trial; /* what came of the last try */

static int tear_down(void **state)
{
    struct setup *setup = *state;

    trial_release(&trial);
    worker_close(setup->worker);
    launch_release(&setup->launch);
    free(setup);
    return 0;
}

static inline enum outcome try_code(struct setup *setup, const struct code *code, const struct launch *launch,
                                    const struct reference *reference)
{
    trial_release(&trial);
    return try_variant(&trial, setup->worker, code, launch, reference, &setup->protocol);
}

static enum outcome try_entry(struct setup *setup, const char *entry)
{
    struct code code = code_of(entry);

    return try_code(setup, &code, &setup->launch, &setup->reference);
}

/* The next trial is right whatever the one before did. */
static inline void expect_recovery(struct setup *setup)
{
    assert_int_equal(try_entry(setup, "copy"), OUTCOME_OK);
}

#define with_worker(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif
