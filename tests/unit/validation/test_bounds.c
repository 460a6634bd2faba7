/* No recorded variant is faster than the best capacities of the profile allow: a few variants of every kernel
 * with a recording, as they come. Needs a compiler. */
#include "check.h"

#include "validation/collect.h"

#include <glob.h>
#include <string.h>

enum { VARIANTS = 3, JOBS = 2 };

static struct compiler *compiler;
static struct device profile;
static struct machine machine;

static int set_up(void **state)
{
    struct err err = {0};

    (void)state;
    if (compiler_open(&compiler, NULL, getenv("OCCUTUNE_TEST_CACHE"), &err)) {
        print_message("%s\n", err.text);
        exit(77); /* skipped aloud: without a compiler nothing can be predicted */
    }
    if (device_load(&profile, "nvidia-h200", "model/device/profiles", &err) ||
        machine_init(&machine, &profile, &err))
        fail_msg("%s", err.text);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    machine_release(&machine);
    device_release(&profile);
    compiler_close(compiler);
    return 0;
}

/* In place: the space of a collection points to the spec beside it. */
static void take(struct collection *out, const char *folder, uint64_t every)
{
    const struct collect_options options = {
        .folder = folder, .every = every, .jobs = JOBS, .machine = &machine, .compiler = compiler};
    struct err err = {0};

    if (collect(out, &options, &err))
        fail_msg("%s: %s", folder, err.text);
}

/* The number of variants looked at. */
static size_t check_kernel(const char *folder)
{
    struct collection collection = {0};
    uint64_t every;
    size_t predicted = 0;

    take(&collection, folder, UINT64_MAX / 2);
    every = collection.recorded / VARIANTS + 1;
    collection_release(&collection);
    take(&collection, folder, every);
    for (size_t i = 0; i < collection.count; i++) {
        const struct point *point = &collection.points[i];

        predicted += point->ranked.predicted != 0;
        if (point->ranked.predicted && point->ranked.bound_s > point->measured_s)
            fail_msg("%s %s: measured %g s, which the best capacities do not allow: %g s", folder,
                     point->configuration, point->measured_s, point->ranked.bound_s);
    }
    collection_release(&collection);
    return predicted;
}

static void no_recorded_variant_beats_the_best_capacities(void **state)
{
    glob_t found;
    size_t predicted = 0;

    (void)state;
    assert_int_equal(glob("kernels/*/recorded", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char folder[256];

        snprintf(folder, sizeof folder, "%s", found.gl_pathv[i]);
        *strrchr(folder, '/') = 0;
        predicted += check_kernel(folder);
    }
    assert_true(found.gl_pathc >= 14);
    assert_true(predicted >= 2 * found.gl_pathc);
    globfree(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_recorded_variant_beats_the_best_capacities),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
