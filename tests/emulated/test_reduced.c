/* Reductions by the copy engine: what they take of L2 and of DRAM. */
#include "compiled.h"
#include "model/predict/analyze.h"

#include <stdio.h>

enum { SMS = 132, BYTES = 1 << 20 /* of an SM */ };

struct asked {
    double estimate_s, read, written; /* bytes of DRAM for each that is added */
    enum resource limiter;
    size_t unrated;
};

/* `without`: a value that the profile of the H200 is to lack, or DEVICE_VALUE_COUNT. */
static struct asked ask_of(const char *type, int piece, bool far, enum device_value_id without)
{
    char options[3][32];
    const char *list[] = {options[0], options[1], options[2]};
    const struct compile_request request = {.source_path = "tests/emulated/reduced.cu",
                                            .name = "reduced",
                                            .arch = "sm_90",
                                            .options = list,
                                            .option_count = 3,
                                            .deadline_s = 120};
    const struct analyze_options analyzing = {.warm = true};
    int32_t pieces = BYTES / piece;
    struct argument arguments[] = {buffer_of("out", ELEMENT_UINT32, (uint64_t)SMS * BYTES / 4),
                                   scalar_of(&pieces)};
    struct analysis analysis;
    struct compiled compiled;
    struct machine machine;
    struct device device;
    struct launch launch;
    struct asked out;
    struct err err = {0};

    snprintf(options[0], sizeof options[0], "-DTYPE=\"%s\"", type);
    snprintf(options[1], sizeof options[1], "-DPIECE=%d", piece);
    snprintf(options[2], sizeof options[2], "-DFAR=%d", far);
    compiled_open(&compiled, &request);
    launch_init(&launch);
    launch.grid[0] = SMS;
    launch.block[0] = 32;
    launch.shared_bytes = 1 << 16;
    launch.arguments = arguments;
    launch.argument_count = 2;
    ok(launch_prepare(&launch, &err), &err);
    device_init(&device);
    ok(device_load(&device, "nvidia-h200", "model/device/profiles", &err), &err);
    if (without < DEVICE_VALUE_COUNT)
        device.values[without].known = false;
    ok(machine_init(&machine, &device, &err), &err);
    ok(analyze(&analysis, &machine, &compiled.cubin, compiled.kernel, &launch, &analyzing, &err), &err);
    if (!analysis.predicted)
        fail_msg("%s", analysis.reason);
    out = (struct asked){.estimate_s = analysis.prediction.estimate_s,
                         .read = analysis.traffic.dram.read / BYTES,
                         .written = analysis.traffic.dram.written / BYTES,
                         .limiter = analysis.prediction.limiter,
                         .unrated = analysis.demands.unrated.count};
    analysis_release(&analysis);
    machine_release(&machine);
    device_release(&device);
    compiled_close(&compiled);
    return out;
}

/* Measured on an NVIDIA H200: 42.8 us, 58.9 of doubles, 168 by pieces of 256 bytes. */
static void l2_adds(void **state)
{
    const struct asked floats = ask_of("f32", 4096, false, DEVICE_VALUE_COUNT),
                       integers = ask_of("u64", 16384, false, DEVICE_VALUE_COUNT),
                       doubles = ask_of("f64", 4096, false, DEVICE_VALUE_COUNT),
                       small = ask_of("f32", 256, false, DEVICE_VALUE_COUNT);

    check_near(floats.estimate_s, 42.8e-6, 6e-6);
    check_near(integers.estimate_s, 42.8e-6, 7e-6);
    check_near(doubles.estimate_s, 58.9e-6, 9e-6);
    check_near(small.estimate_s, 168e-6, 25e-6);
    assert_int_equal(doubles.limiter, RESOURCE_ATOMIC_GLOBAL);
    assert_int_equal(floats.unrated + doubles.unrated + small.unrated, 0);
    check_near(floats.read + floats.written, 0, 0.2);
}

static void dram_is_read_and_written(void **state)
{
    const struct asked far = ask_of("f32", 4096, true, DEVICE_VALUE_COUNT);

    check_near(far.read, 1, 0.1);
    check_near(far.written, 1, 0.1);
}

static void what_was_not_measured_is_named(void **state)
{
    static const enum device_value_id values[] = {DEVICE_L2_WRITE_PARTIAL, DEVICE_L2_ADD_DOUBLE};

    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
        assert_int_equal(ask_of("f32", 4096, false, values[k]).unrated, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(l2_adds), cmocka_unit_test(dram_is_read_and_written),
                                       cmocka_unit_test(what_was_not_measured_is_named)};

    return run_group("reduced", tests, sizeof tests / sizeof *tests);
}
