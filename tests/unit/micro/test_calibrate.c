/* A whole calibration on a GPU of paper: every microbenchmark is compiled by the real compiler, its machine
 * code compared with what it means to measure, and the stamps of a worker that has no GPU are reduced. What a
 * real GPU would add is only the numbers. */
#include "check.h"

#include "fake_worker.h"

#include "micro/calibrate.h"

static struct compiler *compiler;
static int paper; /* its address stands for a worker: the fake one looks at no field */

static int open_compiler(void **state)
{
    struct err err = {0};

    if (compiler_open(&compiler, NULL, getenv("OCCUTUNE_TEST_CACHE"), &err)) {
        print_message("%s\n", err.text);
        exit(77); /* skipped aloud: without a compiler there is nothing to check */
    }
    return 0;
}

static int close_compiler(void **state)
{
    compiler_close(compiler);
    return 0;
}

static int count_groups(void *context, const char *group, size_t done, size_t total)
{
    assert_non_null(group);
    assert_true(done < total);
    (*(size_t *)context)++;
    return 0;
}

/* Notes that only say what was seen; anything else would be a hole. */
static bool is_finding(const char *note)
{
    return !strncmp(note, "register banks: ", 16) || !strncmp(note, "register window: ", 17) ||
           !strncmp(note, "pipes: ", 7) || !strncmp(note, "divergence: of", 14) ||
           !strncmp(note, "block_registers: ", 17) || !strncmp(note, "tlb", 3) ||
           !strncmp(note, "issue: 32 warps with ", 21) || !strncmp(note, "sharing: ", 9) ||
           !strncmp(note, "store_merge_lines: stores reach ", 32) ||
           !strncmp(note, "constant_place_lines: a step takes ", 35) ||
           !strncmp(note, "l2_evict_first: loads marked ", 29) ||
           !strncmp(note, "constant_miss: tables of ", 25);
}

static const struct device_source *source_of(const struct device *device, const char *name, bool fast)
{
    for (size_t i = 0; i < device->source_count; i++)
        if (device->sources[i].fast == fast && !strcmp(device->sources[i].name, name))
            return &device->sources[i];
    fail_msg("no source operation %s", name);
    return NULL;
}

/* Without --full the profile holds what the model and pages read, all of it, and nothing else (tests/profile says which
 * that is). */
static void check_default(const struct device *full)
{
    const struct calibrate_options options = {0};
    const unsigned runs = fake_runs;
    struct device device;
    struct err err = {0};

    check_ok(calibrate(&device, (struct worker *)&paper, compiler, &options, &err), &err);
    assert_true(fake_runs - runs < runs * 3 / 4);
    for (int i = 0; i < DEVICE_VALUE_COUNT; i++) {
        const struct device_value_info *info = device_value_info((enum device_value_id)i);

        if (device.values[i].known != (full->values[i].known && !info->full))
            fail_msg("%s: %s by default", info->name, device.values[i].known ? "measured" : "not measured");
    }
    for (int i = 0; i < DEVICE_CURVE_COUNT; i++) {
        const struct device_curve_info *info = device_curve_info((enum device_curve_id)i);

        if ((device.curves[i].count > 0) != (full->curves[i].count > 0 && !info->full))
            fail_msg("%s: %s by default", info->name, device.curves[i].count ? "measured" : "not measured");
    }
    device_release(&device);
}

static void everything_compiles_to_what_is_meant(void **state)
{
    size_t groups = 0, holes = 0;
    const struct calibrate_options options = {.progress = count_groups, .context = &groups, .full = true};
    struct device device;
    struct err err = {0};

    check_ok(calibrate(&device, (struct worker *)&paper, compiler, &options, &err), &err);
    assert_true(groups > 10);
    for (size_t i = 0; i < device.note_count; i++)
        if (!is_finding(device.notes[i])) {
            print_error("%s\n", device.notes[i]);
            holes++;
        }
    assert_int_equal(holes, 0);
    assert_true(device_is_calibrated(&device));
    assert_true(fake_runs > 100);
    check_near(source_of(&device, "int multiply", false)->instructions, 1, 0);
    check_near(source_of(&device, "float divide", true)->instructions, 2, 0);
    assert_true(source_of(&device, "float divide", false)->calls);
    assert_false(source_of(&device, "expf", false)->calls);
    check_default(&device);
    device_release(&device);
}

static int stop(void *context, const char *group, size_t done, size_t total)
{
    (void)context, (void)group, (void)total;
    return done == 1;
}

static void it_stops_when_told(void **state)
{
    const struct calibrate_options options = {.progress = stop};
    struct device device;
    struct err err = {0};

    assert_int_equal(calibrate(&device, (struct worker *)&paper, compiler, &options, &err), ERR_STOPPED);
    assert_non_null(strstr(err.text, "stopped before operations"));
    assert_int_equal(device.sm, 0);
}

int main(void)
{
    return RUN_TESTS_IN(open_compiler, close_compiler, everything_compiles_to_what_is_meant,
                        it_stops_when_told);
}
