/* Counters whose last arrival does more, and loops that wait for other blocks: what the blocks of a grid do is counted as if
 * they ran one after another. */
#include "compiled.h"
#include "model/machine/assumptions.h"

#include <math.h>

enum { BLOCKS = 48, PARTS = 4 };

struct subject {
    struct compiled compiled;
    struct launch launch;
    struct argument arguments[3];
    int32_t parts;
};

static void subject_open(struct subject *out, const char *name, unsigned blocks)
{
    const struct compile_request request = {
        .source_path = "tests/emulated/arrivals.cu", .name = name, .arch = "sm_90a", .deadline_s = 120};
    struct err err = {0};

    *out = (struct subject){.parts = PARTS};
    compiled_open(&out->compiled, &request);
    launch_init(&out->launch);
    out->launch.grid[0] = blocks;
    out->launch.block[0] = 64;
    out->arguments[0] = buffer_of("out", ELEMENT_FLOAT32, UINT64_C(32) * (blocks + 16 * PARTS));
    out->arguments[1] = buffer_of("counters", ELEMENT_UINT32, 2 * blocks);
    out->arguments[2] = scalar_of(&out->parts);
    out->launch.arguments = out->arguments;
    out->launch.argument_count = 3;
    ok(launch_prepare(&out->launch, &err), &err);
}

static void run(struct emulate_result *out, const struct subject *subject, enum emulate_mode mode,
                size_t sample)
{
    const struct emulate_options options = {.mode = mode,
                                            .deviations = assumptions_default.sample_deviations};

    compiled_run(out, &subject->compiled, &subject->launch, &options, sample, "the kernel");
}

static double issued_at(const struct emulate_result *result, size_t i)
{
    double sum = 0;

    for (size_t b = 0; b < result->block_count; b++) {
        const struct emulate_block *block = &result->blocks[b];

        sum += (block->last_of_all ? 1 : block->weight) * (double)block->counts[i].issued;
    }
    return sum;
}

static double issued_in_all(const struct emulate_result *result)
{
    double sum = 0;

    for (size_t i = 0; i < result->instruction_count; i++)
        sum += issued_at(result, i);
    return sum;
}

static const char *const kernels[] = {"neighbours", "far", "unequal", "whole", "waits", "turns"};

/* One after another, blocks find what those before left. */
static void blocks_of_a_grid_do_what_they_do_in_turn(void **state)
{
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        struct emulate_result full, sliced;
        struct subject subject;
        double apart = 0;

        subject_open(&subject, kernels[k], BLOCKS);
        run(&full, &subject, EMULATE_FULL, 0);
        run(&sliced, &subject, EMULATE_SLICED, 0);
        assert_int_equal(sliced.end, EMULATE_DONE);
        for (size_t i = 0; i < full.instruction_count; i++)
            apart += fabs(issued_at(&full, i) - issued_at(&sliced, i));
        if (apart > 0.02 * issued_in_all(&full))
            fail_msg("%s: %g of %g warp instructions differ", kernels[k], apart, issued_in_all(&full));
        emulate_result_release(&full);
        emulate_result_release(&sliced);
        compiled_close(&subject.compiled);
    }
}

static void a_sample_stands_for_the_grid(void **state)
{
    static const unsigned grids[] = {BLOCKS, 5 * BLOCKS};

    for (size_t k = 0; k < 2 * sizeof kernels / sizeof *kernels; k++) {
        const char *name = kernels[k / 2];
        struct emulate_result full, sample;
        struct subject subject;
        double ratio;

        subject_open(&subject, name, grids[k % 2]);
        run(&full, &subject, EMULATE_FULL, 0);
        run(&sample, &subject, EMULATE_SLICED, 16);
        assert_int_equal(sample.end, EMULATE_DONE);
        ratio = issued_in_all(&sample) / issued_in_all(&full);
        if (!(fabs(ratio - 1) < 0.02 + sample.work_error))
            fail_msg("%s, %u blocks: a sample counts %.3f of what there is, error %.3f", name, grids[k % 2],
                     ratio, sample.work_error);
        emulate_result_release(&full);
        emulate_result_release(&sample);
        compiled_close(&subject.compiled);
    }
}

static void other_numbers_stay_unknown(void **state)
{
    struct emulate_result result;
    struct subject subject;

    subject_open(&subject, "every_fourth", BLOCKS);
    run(&result, &subject, EMULATE_SLICED, 4);
    assert_false(result.arrivals);
    assert_true(result.assumed);
    emulate_result_release(&result);
    compiled_close(&subject.compiled);
}

static void nothing_is_made_of_what_was_waited_for(void **state)
{
    const struct emulate_options options = {.mode = EMULATE_SLICED};
    struct emulate_result result;
    struct emulation *emulation;
    struct subject subject;
    struct err err = {0};

    subject_open(&subject, "depends", BLOCKS);
    ok(emulation_open(&emulation, &subject.compiled.cubin, subject.compiled.kernel, &subject.compiled.code,
                      &subject.launch, &options, &err),
       &err);
    ok(emulate_sample(&result, emulation, 4, &err), &err);
    assert_int_equal(result.end, EMULATE_INCOMPLETE);
    assert_non_null(strstr(result.reason, "unknown"));
    emulate_result_release(&result);
    emulation_close(emulation);
    compiled_close(&subject.compiled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_a_grid_do_what_they_do_in_turn),
        cmocka_unit_test(a_sample_stands_for_the_grid),
        cmocka_unit_test(other_numbers_stay_unknown),
        cmocka_unit_test(nothing_is_made_of_what_was_waited_for),
    };

    return run_group("arrivals", tests, sizeof tests / sizeof *tests);
}
