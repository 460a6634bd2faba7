/* Copies by warps past L1 (LDGSTS): rows that lie between the sectors of shared memory are asked for again. */
#include "compiled.h"
#include "model/memory/traffic.h"
#include "model/predict/analyze.h"

#include <stdio.h>

enum { BLOCKS = 1024, STEPS = 200 };

struct subject {
    struct compiled compiled;
    struct argument arguments[3];
    struct launch launch;
    int32_t steps;
};

static void subject_open(struct subject *s, const char *name, int pitch)
{
    char option[32];
    const char *options[] = {option};
    const struct compile_request request = {.source_path = "tests/emulated/copies.cu",
                                            .name = name,
                                            .arch = "sm_90",
                                            .options = options,
                                            .option_count = 1,
                                            .deadline_s = 120};
    struct err err = {0};

    snprintf(option, sizeof option, "-DPITCH=%d", pitch);
    *s = (struct subject){.steps = STEPS};
    compiled_open(&s->compiled, &request);
    launch_init(&s->launch);
    s->launch.grid[0] = BLOCKS;
    s->launch.block[0] = 64;
    s->launch.arguments = s->arguments;
    s->launch.argument_count = 3;
    s->arguments[0] = buffer_of("out", ELEMENT_UINT32, (uint64_t)BLOCKS * 64);
    s->arguments[1] = buffer_of("in", ELEMENT_UINT32, (uint64_t)BLOCKS * 16 * 1024);
    s->arguments[2] = scalar_of(&s->steps);
    s->arguments[0].role = ROLE_OUT;
    ok(launch_prepare(&s->launch, &err), &err);
}

/* Sectors and lines that a block's copies ask for once more. */
static void count_askew_of(uint64_t out[2], const struct subject *s, enum emulate_mode mode)
{
    const struct emulate_options options = {.mode = mode};
    struct emulate_result result;

    compiled_run(&result, &s->compiled, &s->launch, &options, 1, __func__);
    out[0] = out[1] = 0;
    for (size_t i = 0; i < s->compiled.code.count; i++) {
        out[0] += result.blocks[0].counts[i].askew_sectors;
        out[1] += result.blocks[0].counts[i].askew_lines;
    }
    emulate_result_release(&result);
}

/* Executed, extrapolated, or looked at now and then: of eight rows of two sectors the odd ones, whose lines end within some. */
static void rows_between_sectors_are_asked_for_again(void **state)
{
    static const char *const names[] = {"copied", "staged"};

    for (int k = 0; k < 4; k++) {
        const enum emulate_mode mode = k % 2 ? EMULATE_SLICED : EMULATE_FULL;
        struct subject s;
        uint64_t found[2];

        subject_open(&s, names[k / 2], 64);
        count_askew_of(found, &s, mode);
        assert_int_equal(found[0], 0);
        assert_int_equal(found[1], 0);
        compiled_close(&s.compiled);
        subject_open(&s, names[k / 2], 80);
        count_askew_of(found, &s, mode);
        assert_int_equal(found[0], STEPS * 2 * 8);
        assert_int_equal(found[1], STEPS * 2 * 5);
        compiled_close(&s.compiled);
    }
}

/* Sectors that L2 delivers to the copies of a warp. */
static double delivered(int pitch)
{
    const struct analyze_options options = {.warm = true};
    struct analysis out;
    struct machine machine;
    struct device profile;
    struct subject s;
    struct err err = {0};
    double sectors = 0;

    device_init(&profile);
    ok(device_load(&profile, "nvidia-h200", "model/device/profiles", &err), &err);
    ok(machine_init(&machine, &profile, &err), &err);
    subject_open(&s, "staged", pitch);
    ok(analyze(&out, &machine, &s.compiled.cubin, s.compiled.kernel, &s.launch, &options, &err), &err);
    if (!out.predicted)
        fail_msg("%s", out.reason);
    for (size_t i = 0; i < out.code.count; i++)
        if (out.code.instructions[i].op == SASS_LDGSTS)
            sectors += traffic_l2_reads(&out.traffic.counts[i]).sectors;
    analysis_release(&out);
    compiled_close(&s.compiled);
    machine_release(&machine);
    device_release(&profile);
    return sectors;
}

/* As counters of an NVIDIA H200 say. */
static void half_as_many_sectors_more_are_delivered(void **state)
{
    const double whole = delivered(64);

    check_near(whole, STEPS * 16, 0.01 * whole);
    check_near(delivered(80), 1.5 * whole, 0.01 * whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_between_sectors_are_asked_for_again),
        cmocka_unit_test(half_as_many_sectors_more_are_delivered),
    };

    return run_group("copies", tests, sizeof tests / sizeof *tests);
}
