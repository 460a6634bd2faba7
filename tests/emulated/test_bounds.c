/* The hard bound against every time that was recorded on an NVIDIA H200, for some variants of each kernel: it
 * cuts variants unseen, so that it must never lie above one. And the estimate: no kernel so far off that it
 * would be useless. The whole tables are benchmarks/validation/results.md. */
#include "check.h"
#include "validation/collect.h"

#include <glob.h>

enum { SKIPPED = 77, VARIANTS = 6, FEW = 2 /* of those that take a hundred times as long */ };

static const char *const slow[] = {"attention_half", "matmul_half"};

static struct collect_options options = {.jobs = 2};

static size_t variants_of(const char *folder)
{
    for (size_t k = 0; k < sizeof slow / sizeof *slow; k++)
        if (strstr(folder, slow[k]))
            return FEW;
    return VARIANTS;
}

/* Some of the recorded variants, about so many of them. */
static void take(struct collection *out, const char *folder, size_t variants)
{
    struct err err = {0};

    options.folder = folder;
    options.every = 1 << 20;
    if (collect(out, &options, &err))
        fail_msg("%s: %s", folder, err.text);
    options.every = out->recorded / variants + 1;
    collection_release(out);
    if (collect(out, &options, &err))
        fail_msg("%s: %s", folder, err.text);
}

static void bounds_lie_below_what_was_measured(void **state)
{
    const char *folder = *state;
    const size_t variants = variants_of(folder);
    struct collection collection = {0};
    double error = 0;
    size_t predicted = 0, i;

    take(&collection, folder, variants);
    assert_true(collection.count > variants / 2);
    for (i = 0; i < collection.count; i++) {
        const struct point *point = &collection.points[i];

        /* what takes long may run out of time on a busy machine: then there is no bound */
        if (!point->ranked.predicted && variants == FEW)
            continue;
        predicted++;
        if (!point->ranked.predicted)
            fail_msg("%s: %s", point->configuration, point->ranked.reason);
        if (!(point->ranked.bound_s <= point->measured_s &&
              point->ranked.bound_s <= point->ranked.estimate_s))
            fail_msg("%s: bound %g s, estimate %g s, measured %g s", point->configuration,
                     point->ranked.bound_s, point->ranked.estimate_s, point->measured_s);
        error += fabs(point->ranked.estimate_s / point->measured_s - 1);
    }
    assert_true(predicted > 0);
    error /= (double)predicted;
    if (!(error < 0.3))
        fail_msg("the mean error is %.0f %%", 100 * error);
    collection_release(&collection);
}

/* A test for each kernel of the library, by the name of its folder. */
static int judge_all(void)
{
    struct CMUnitTest *tests;
    glob_t library;
    int rc;

    if (glob("kernels/*/recorded", 0, NULL, &library))
        return 1;
    tests = calloc(library.gl_pathc, sizeof *tests);
    for (size_t k = 0; tests && k < library.gl_pathc; k++) {
        *strrchr(library.gl_pathv[k], '/') = 0;
        tests[k] = (struct CMUnitTest){.name = library.gl_pathv[k],
                                       .test_func = bounds_lie_below_what_was_measured,
                                       .initial_state = library.gl_pathv[k]};
    }
    rc = tests ? _cmocka_run_group_tests("bounds", tests, library.gl_pathc, NULL, NULL) : 1;
    free(tests);
    globfree(&library);
    return rc;
}

int main(void)
{
    struct device device;
    struct machine machine;
    struct err err = {0};
    int rc;

    if (compiler_open(&options.compiler, NULL, getenv("OCCUTUNE_TEST_CACHE"), &err)) {
        fprintf(stderr, "skipped: %s\n", err.text);
        return SKIPPED;
    }
    device_init(&device);
    if (device_load(&device, "nvidia-h200", "model/device/profiles", &err) ||
        machine_init(&machine, &device, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    options.machine = &machine;
    rc = judge_all();
    machine_release(&machine);
    device_release(&device);
    compiler_close(options.compiler);
    return rc;
}
