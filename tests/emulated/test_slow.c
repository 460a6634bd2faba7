/* Kernels that would take long if every instruction were executed: what they cost to read is bounded, whether
 * they are predicted or refused. Usage: test_slow. */
#include "compiled.h"
#include "base/clock.h"
#include "model/predict/analyze.h"
#include "space/configuration.h"
#include "space/variant.h"
#include "tuner/predict/request.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum {
    DEADLINE_S = 120,
    LONG = 1000000 /* warp instructions */
};
static const double GENEROUS_S = 10; /* of a core, for what takes less than one second of an idle one */

static struct machine machine;

/* One kind of slow.cu, compiled. */
struct subject {
    struct compiled compiled;
    struct variant variant;
    struct spec spec;
};

/* `set`: a problem size ("ROUNDS=10") or null. */
static void subject_open(struct subject *out, int kind, const char *set)
{
    const char *sets[] = {set};
    struct compile_request request;
    unsigned choices[SPEC_PARAMETERS_MAX];
    struct err err = {0};
    char text[16];

    *out = (struct subject){0};
    ok(spec_read(&out->spec, "tests/emulated/slow/spec.json", SPEC_WHOLE, sets, set != NULL, &err), &err);
    snprintf(text, sizeof text, "KIND=%d", kind);
    ok(configuration_parse(choices, &out->spec, text, &err), &err);
    ok(variant_make(&out->variant, &out->spec, 0, choices, &err), &err);
    request = request_of(&out->variant, "sm_90", DEADLINE_S);
    compiled_open(&out->compiled, &request);
    ok(launch_prepare(&out->variant.launch, &err), &err);
}

static void subject_close(struct subject *subject)
{
    compiled_close(&subject->compiled);
    variant_release(&subject->variant);
    spec_release(&subject->spec);
}

static void read_set(struct analysis *out, int kind, const char *set, const struct analyze_options *options)
{
    struct subject s;
    struct err err = {0};

    subject_open(&s, kind, set);
    ok(analyze(out, &machine, &s.compiled.cubin, s.compiled.kernel, &s.variant.launch, options, &err), &err);
    subject_close(&s);
}

static void read_kind(struct analysis *out, int kind, const struct analyze_options *options)
{
    read_set(out, kind, NULL, options);
}

/* Every kind ends within the budget: what is refused says why. */
static void none_takes_long(void **state)
{
    static const char *const refused[] = {[1] = "out of budget", /* a lock taken with atomicCAS */
                                          [3] = "out of budget", /* a recursion whose depth is loaded */
                                          [7] = NULL};
    const struct analyze_options options = {.warm = true};

    for (int kind = 0; kind < 8; kind++) {
        struct analysis *e = calloc(1, sizeof *e);
        const double begin = clock_core_s();

        assert_non_null(e);
        read_kind(e, kind, &options);
        if (e->emulation.executed > EMULATE_FIRST_TIMES * EXPECT_BUDGET + 1 ||
            clock_core_s() - begin > GENEROUS_S)
            fail_msg("KIND=%d: %llu warp instructions in %g s", kind,
                     (unsigned long long)e->emulation.executed, clock_core_s() - begin);
        if (kind == 2 && e->emulation.executed < LONG) /* a loop that loaded values end */
            fail_msg("KIND=2 is not long: %llu warp instructions", (unsigned long long)e->emulation.executed);
        if (kind == 6 && !e->predicted) /* loaded addresses */
            fail_msg("%s", e->reason);
        if (kind ==
            0) /* a spin on a volatile flag: what others store, for which nobody knows how long it waits */
            assert_true(e->predicted && e->prediction.assumptions & PREDICT_ASSUMED_POLLING);
        if (refused[kind] && (e->predicted || !strstr(e->reason, refused[kind])))
            fail_msg("KIND=%d: \"%s\" is not in \"%s\"", kind, refused[kind], e->reason);
        analysis_release(e);
        free(e);
    }
}

/* The block in the grid's middle. */
static void emulate_block(struct emulate_result *out, const struct subject *s, enum emulate_mode mode)
{
    const struct emulate_options options = {.mode = mode};
    const unsigned position[1][3] = {{s->variant.launch.grid[0] / 2}};
    struct emulation *emulation;
    struct err err = {0};

    ok(emulation_open(&emulation, &s->compiled.cubin, s->compiled.kernel, &s->compiled.code,
                      &s->variant.launch, &options, &err),
       &err);
    ok(emulate_blocks(out, emulation, position, 1, &err), &err);
    assert_int_equal(out->end, EMULATE_DONE);
    emulation_close(emulation);
}

static void check_within(uint64_t found, uint64_t wanted, double share)
{
    if (fabs((double)found - (double)wanted) > share * (double)wanted)
        fail_msg("%llu is not within %g of %llu", (unsigned long long)found, share,
                 (unsigned long long)wanted);
}

/* Loaded addresses in a loop are sampled: it is said, costs little, and what is counted is what executing
 * everything counts; instructions exactly so. */
static void samples_loaded_addresses(void **state)
{
    struct emulate_result full, sampled;
    uint64_t sectors[2] = {0};
    struct subject s;

    subject_open(&s, 6, "ROUNDS=10");
    emulate_block(&full, &s, EMULATE_FULL);
    emulate_block(&sampled, &s, EMULATE_SLICED);
    assert_true(sampled.wandered && !full.wandered);
    assert_true(sampled.executed < full.executed / 10);
    for (size_t i = 0; i < full.instruction_count; i++) {
        const struct emulate_count *a = &sampled.blocks[0].counts[i], *b = &full.blocks[0].counts[i];

        assert_int_equal(a->issued, b->issued);
        assert_int_equal(a->requests, b->requests);
        sectors[0] += a->sectors;
        sectors[1] += b->sectors;
    }
    check_within(sectors[0], sectors[1], 0.02);
    check_within(sampled.blocks[0].read.sectors, full.blocks[0].read.sectors, 0.2);
    emulate_result_release(&full);
    emulate_result_release(&sampled);
    subject_close(&s);
}

/* Blocks that are known to end, but take more to execute than is left: those that were executed stand for them. */
static void dear_blocks_are_left_out(void **state)
{
    const struct analyze_options options = {.warm = true, .budget = 1 << 18};
    struct analysis *e = calloc(1, sizeof *e);

    assert_non_null(e);
    read_kind(e, 8, &options);
    if (!e->predicted)
        fail_msg("%s", e->reason);
    assert_true(e->emulation.work_error > 0);
    analysis_release(e);
    free(e);
}

/* Where following one block's way takes long, few blocks are followed. */
static void long_ways_are_followed_of_few_blocks(void **state)
{
    const struct analyze_options options = {.warm = true};
    struct analysis *e = calloc(1, sizeof *e);

    assert_non_null(e);
    read_kind(e, 9, &options);
    if (!e->predicted)
        fail_msg("%s", e->reason);
    assert_in_range(e->emulation.executed, 1, 4 * EXPECT_BUDGET);
    analysis_release(e);
    free(e);
}

/* A block that takes longer than all may is executed all the same, and others are told apart from it. */
static void one_block_is_executed_however_long(void **state)
{
    const struct analyze_options options = {.warm = true};
    struct analysis *e = calloc(1, sizeof *e);

    assert_non_null(e);
    read_kind(e, 10, &options);
    if (!e->predicted)
        fail_msg("%s", e->reason);
    assert_in_range(e->emulation.executed, EXPECT_BUDGET, 12 * EXPECT_BUDGET);
    assert_int_equal(e->emulation.block_count, 1);
    if (e->emulation.work_error > 0.1)
        fail_msg("the work may be off by %g", e->emulation.work_error);
    analysis_release(e);
    free(e);
}

/* Whether its atomics meet those of others is seen at the beginning of another. */
static void one_dear_block_meets_others(void **state)
{
    const struct analyze_options options = {.warm = true};
    struct analysis *e = calloc(1, sizeof *e);

    assert_non_null(e);
    read_kind(e, 11, &options);
    if (!e->predicted)
        fail_msg("%s", e->reason);
    assert_int_equal(e->emulation.block_count, 1);
    if (fabs(e->emulation.contended - 0.5) > 0.1)
        fail_msg("%g of the additions meet", e->emulation.contended);
    analysis_release(e);
    free(e);
}

/* Which of eight lengths a block of a kind has. */
static unsigned kind_of_length(struct emulation *emulation, int kind, uint64_t block)
{
    struct err err = {0};
    uint32_t place = (uint32_t)block, number;

    if (kind == 12)
        ok(emulation_read(&place, emulation, 0, block, 1, &err), &err);
    ok(emulation_read(&number, emulation, 0, place % (1 << 20), 1, &err), &err);
    return kind == 12 ? number % 8 : number % 8 != 0;
}

/* What all blocks of a kind issue, if those of a length issue alike. */
static double issued_by_length(const struct subject *s, int kind)
{
    const struct emulate_options options = {.mode = EMULATE_SLICED};
    unsigned positions[8][3] = {0}, found = 0;
    double blocks[8] = {0}, issued = 0;
    struct emulation *emulation;
    struct emulate_result out;
    struct err err = {0};

    ok(emulation_open(&emulation, &s->compiled.cubin, s->compiled.kernel, &s->compiled.code,
                      &s->variant.launch, &options, &err),
       &err);
    for (unsigned b = 0; b < s->variant.launch.grid[0]; b++) {
        const unsigned k = kind_of_length(emulation, kind, b);

        found += !blocks[k]++;
        positions[k][0] = b;
    }
    assert_int_equal(found, kind == 12 ? 8 : 2);
    ok(emulate_blocks(&out, emulation, (const unsigned(*)[3])positions, found, &err), &err);
    assert_int_equal(out.end, EMULATE_DONE);
    for (unsigned k = 0; k < found; k++)
        issued += blocks[k] * (double)out.blocks[k].issued;
    emulate_result_release(&out);
    emulation_close(emulation);
    return issued;
}

/* Few blocks are looked at where one takes long; how long the others' loops are is foreseen of many. Those of kind 13 that are
 * looked at are all of one length. */
static void lengths_are_foreseen(int kind)
{
    const struct analyze_options options = {.warm = true};
    struct analysis *e = calloc(1, sizeof *e);
    double counted = 0, truth;
    struct subject s;
    struct err err = {0};

    assert_non_null(e);
    subject_open(&s, kind, NULL);
    truth = issued_by_length(&s, kind);
    ok(analyze(e, &machine, &s.compiled.cubin, s.compiled.kernel, &s.variant.launch, &options, &err), &err);
    if (!e->predicted)
        fail_msg("%s", e->reason);
    for (size_t b = 0; b < e->emulation.block_count; b++)
        counted += e->emulation.blocks[b].weight * (double)e->emulation.blocks[b].issued;
    printf("counted %g times, give or take %g\n", counted / truth, e->emulation.work_error);
    if (fabs(counted / truth - 1) > 0.1 || fabs(counted / truth - 1) > e->emulation.work_error ||
        e->emulation.work_error > 0.5)
        fail_msg("counted %g times, give or take %g", counted / truth, e->emulation.work_error);
    analysis_release(e);
    free(e);
    subject_close(&s);
}

static void loaded_lengths_are_foreseen(void **state)
{
    lengths_are_foreseen(12);
}

static void odd_lengths_are_foreseen(void **state)
{
    lengths_are_foreseen(13);
}

/* Where it takes so long that to tell others apart would take seconds, it stands for all, and that is said. */
static void a_very_long_block_stands_alone(void **state)
{
    const struct analyze_options options = {.warm = true};
    struct analysis *e = calloc(1, sizeof *e);

    assert_non_null(e);
    read_set(e, 10, "ROUNDS=3000", &options);
    if (!e->predicted)
        fail_msg("%s", e->reason);
    assert_in_range(e->emulation.executed, 4 * EXPECT_BUDGET, EMULATE_FIRST_TIMES * EXPECT_BUDGET);
    assert_int_equal(e->emulation.block_count, 1);
    assert_true(e->emulation.work_error >= 0.9);
    analysis_release(e);
    free(e);
}

static void a_time_limit_is_named(void **state)
{
    const struct analyze_options options = {.warm = true, .core_limit_s = 1e-9};
    struct analysis *e = calloc(1, sizeof *e);

    assert_non_null(e);
    read_kind(e, 0, &options);
    assert_false(e->predicted);
    assert_int_equal(e->emulation.end, EMULATE_TIME);
    assert_non_null(strstr(e->reason, "out of time: time limit of 1e-09 s of a core reached"));
    analysis_release(e);
    free(e);
}

/* The middle block's end where the thread sleeps for longer than either limit before it executes anything. */
static enum emulate_end end_after_sleep(const struct emulate_options *options)
{
    const struct timespec pause = {.tv_sec = 1, .tv_nsec = 500000000};
    const unsigned position[1][3] = {{0}};
    struct emulate_result out;
    struct emulation *emulation;
    struct err err = {0};
    struct subject s;
    enum emulate_end end;

    subject_open(&s, 6, "ROUNDS=10");
    ok(emulation_open(&emulation, &s.compiled.cubin, s.compiled.kernel, &s.compiled.code, &s.variant.launch,
                      options, &err),
       &err);
    assert_int_equal(nanosleep(&pause, NULL), 0);
    ok(emulate_blocks(&out, emulation, position, 1, &err), &err);
    end = out.end;
    emulate_result_release(&out);
    emulation_close(emulation);
    subject_close(&s);
    return end;
}

/* A thread that waits for a core spends nothing: only the limit by the wall clock ends it. */
static void waiting_spends_no_core_time(void **state)
{
    const struct emulate_options core = {.mode = EMULATE_SLICED, .core_limit_s = 1};
    const struct emulate_options wall = {.mode = EMULATE_SLICED, .wall_limit_s = 1};

    assert_int_equal(end_after_sleep(&core), EMULATE_DONE);
    assert_int_equal(end_after_sleep(&wall), EMULATE_TIME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(none_takes_long),
                                       cmocka_unit_test(samples_loaded_addresses),
                                       cmocka_unit_test(dear_blocks_are_left_out),
                                       cmocka_unit_test(long_ways_are_followed_of_few_blocks),
                                       cmocka_unit_test(one_block_is_executed_however_long),
                                       cmocka_unit_test(one_dear_block_meets_others),
                                       cmocka_unit_test(loaded_lengths_are_foreseen),
                                       cmocka_unit_test(odd_lengths_are_foreseen),
                                       cmocka_unit_test(a_very_long_block_stands_alone),
                                       cmocka_unit_test(a_time_limit_is_named),
                                       cmocka_unit_test(waiting_spends_no_core_time)};
    struct device device;
    struct err err = {0};
    int failed;

    device_init(&device);
    if (device_load(&device, "nvidia-h200", "model/device/profiles", &err) ||
        machine_init(&machine, &device, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    failed = run_group("slow", tests, sizeof tests / sizeof *tests);
    machine_release(&machine);
    device_release(&device);
    return failed;
}
