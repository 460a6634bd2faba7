/* Tables in constant memory: what counts is which lines are read, not how long the table is declared. */
#include "compiled.h"
#include "model/predict/analyze.h"
#include "model/sass/arch/geometry.h"

#include <stdio.h>

enum { N = 8388608, THREADS = 64, LINE_FLOATS = CONSTANT_LINE / 4 };

struct subject {
    struct compiled compiled;
    struct argument arguments[4];
    struct launch launch;
    int32_t count;
};

static struct argument ones(const char *name, uint64_t count, enum role role)
{
    struct argument argument = buffer_of(name, ELEMENT_FLOAT32, count);

    argument.role = role;
    argument.fill = (struct fill){.kind = FILL_CONSTANT, .a = 1};
    return argument;
}

/* A kernel over the first `count` of `declared` values, whose lanes may read `places` of them at a time. */
static void subject_open_at(struct subject *s, const char *name, int declared, int count, int places)
{
    char option[32], second[32];
    const char *options[] = {option, second};
    const struct compile_request request = {.source_path = "tests/emulated/tables.cu",
                                            .name = name,
                                            .arch = "sm_90",
                                            .options = options,
                                            .option_count = 2,
                                            .deadline_s = 120};
    struct err err = {0};

    snprintf(option, sizeof option, "-DDECLARED=%d", declared);
    snprintf(second, sizeof second, "-DPLACES=%d", places);
    *s = (struct subject){.count = count};
    compiled_open(&s->compiled, &request);
    launch_init(&s->launch);
    s->launch.grid[0] = N / THREADS;
    s->launch.block[0] = THREADS;
    s->launch.arguments = s->arguments;
    s->launch.argument_count = 4;
    s->arguments[0] = ones("out", N, ROLE_OUT);
    s->arguments[1] = ones("in", N + THREADS, ROLE_IN);
    s->arguments[2] = scalar_of(&s->count);
    s->arguments[3] = ones("weight", 25, ROLE_IN);
    s->arguments[3].kind = ARGUMENT_SYMBOL;
    ok(launch_prepare(&s->launch, &err), &err);
}

static void subject_open(struct subject *s, const char *name, int declared, int count)
{
    subject_open_at(s, name, declared, count, 1);
}

/* On a GPU of which it is known what different addresses of a request cost, or not, with a budget of instructions or, 0, the
 * usual one. */
static void expect_on(struct analysis *out, const struct subject *s, bool known, uint64_t budget)
{
    struct machine machine;
    struct device profile;
    const struct analyze_options options = {.warm = true, .budget = budget};
    struct err err = {0};

    device_init(&profile);
    ok(device_load(&profile, "nvidia-h200", "model/device/profiles", &err), &err);
    profile.values[DEVICE_CONSTANT_ADDRESS].known &= known;
    profile.values[DEVICE_CONSTANT_ADDRESS_LATENCY].known &= known;
    ok(machine_init(&machine, &profile, &err), &err);
    ok(analyze(out, &machine, &s->compiled.cubin, s->compiled.kernel, &s->launch, &options, &err), &err);
    if (!out->predicted)
        fail_msg("%s", out->reason);
    machine_release(&machine);
    device_release(&profile);
}

static void expect_of(struct analysis *out, const struct subject *s)
{
    expect_on(out, s, true, 0);
}

static double estimate(int declared, int count, bool *doubtful)
{
    struct analysis out;
    struct subject s;
    double found;

    subject_open(&s, "weighted", declared, count);
    expect_of(&out, &s);
    found = out.prediction.estimate_s;
    *doubtful = out.prediction.assumptions & PREDICT_ASSUMED_TABLES;
    assert_false(out.prediction.assumptions & PREDICT_ASSUMED_CONSTANTS);
    analysis_release(&out);
    compiled_close(&s.compiled);
    return found;
}

static void the_declared_length_changes_nothing(void **state)
{
    bool doubtful;
    const double exact = estimate(25, 24, &doubtful);

    assert_false(doubtful);
    check_near(estimate(289, 24, &doubtful), exact, 1e-6 * exact);
    check_near(estimate(4096, 24, &doubtful), exact, 1e-6 * exact);
    assert_false(doubtful);
}

/* Past what is kept of a table the warps may keep in step or not. */
static void a_long_walk_is_doubted(void **state)
{
    bool doubtful;

    assert_true(estimate(4096, 288, &doubtful) > 3 * estimate(4096, 64, &doubtful));
    estimate(4096, 288, &doubtful);
    assert_true(doubtful);
}

/* The farther apart the two ways are the less the estimate between them is trusted. */
static void two_ways_cost_confidence(void **state)
{
    struct analysis out;
    struct subject s;

    subject_open(&s, "weighted", 4096, 288);
    expect_of(&out, &s);
    assert_true(out.apart_s > 1.5 * out.in_step_s);
    assert_true(out.prediction.confidence > 0);
    assert_true(out.prediction.confidence < out.in_step_s / out.apart_s / 2); /* it has other doubts */
    analysis_release(&out);
    compiled_close(&s.compiled);
}

static double estimate_of_lanes(const char *name, int declared, int count, bool *doubtful)
{
    struct analysis out;
    struct subject s;
    double found;

    subject_open(&s, name, declared, count);
    expect_of(&out, &s);
    found = out.prediction.estimate_s;
    *doubtful = out.prediction.assumptions & PREDICT_ASSUMED_CONSTANTS;
    analysis_release(&out);
    compiled_close(&s.compiled);
    return found;
}

/* At random in 32 KB instead of 256 bytes most lines are not in the first cache; how many is an estimate, and said. To walk
 * through as much takes no longer: its lines are read by all warps. */
static void tables_that_do_not_fit_miss(void **state)
{
    bool fits, misses, walks;
    const double near = estimate_of_lanes("wandering", 64, 400, &fits),
                 far = estimate_of_lanes("wandering", 8192, 400, &misses),
                 few = estimate_of_lanes("walking", 8192, 40, &walks),
                 many = estimate_of_lanes("walking", 8192, 4000, &walks);

    assert_false(fits);
    assert_true(misses);
    assert_true(far > 5 * near);
    check_near(many, 100 * few, 30 * few);
}

/* Different addresses that the first block's loads from constant memory name, and their requests. */
static void count_places(uint64_t out[2], const struct subject *s, enum emulate_mode mode, bool skip)
{
    static const unsigned first[1][3] = {{0}};
    const struct emulate_options options = {.mode = mode, .skip_constants = skip};
    struct emulation *emulation;
    struct emulate_result result;
    struct err err = {0};

    ok(emulation_open(&emulation, &s->compiled.cubin, s->compiled.kernel, &s->compiled.code, &s->launch,
                      &options, &err),
       &err);
    ok(emulate_blocks(&result, emulation, first, 1, &err), &err);
    assert_int_equal(result.end, EMULATE_DONE);
    out[0] = out[1] = 0;
    for (size_t i = 0; i < s->compiled.code.count; i++)
        if (s->compiled.code.instructions[i].op == SASS_LDC) {
            out[0] += result.blocks[0].counts[i].wavefronts;
            out[1] += result.blocks[0].counts[i].requests;
        }
    emulate_result_release(&result);
    emulation_close(emulation);
}

/* In a loop that is extrapolated and where a loaded value says the place, as if all were executed. */
static void places_are_counted(void **state)
{
    static const int places[] = {1, 8, 32};
    enum { STEPS = 100, WARPS = THREADS / 32 };

    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        for (int sliced = 0; sliced < 2; sliced++) {
            const enum emulate_mode mode = sliced ? EMULATE_SLICED : EMULATE_FULL;
            struct subject s;
            uint64_t found[2];

            subject_open_at(&s, "places", 256, STEPS, places[k]);
            count_places(found, &s, mode, false);
            assert_int_equal(found[1], STEPS * 8 * WARPS);
            assert_int_equal(found[0], found[1] * (uint64_t)places[k]);
            count_places(found, &s, mode, true);
            assert_int_equal(found[1], 0);
            compiled_close(&s.compiled);
            subject_open_at(&s, "loaded", 256, 3, places[k]);
            count_places(found, &s, mode, false);
            assert_int_equal(found[1], WARPS);
            assert_int_equal(found[0], WARPS * (uint64_t)places[k]);
            compiled_close(&s.compiled);
        }
}

/* By their addresses, not by the words that they lie in. */
static void bytes_have_places_of_their_own(void **state)
{
    struct subject s;
    uint64_t found[2];

    subject_open_at(&s, "narrow", 256, 3, 32);
    count_places(found, &s, EMULATE_SLICED, false);
    assert_int_equal(found[0], found[1] * 32);
    assert_int_equal(found[1], THREADS / 32);
    compiled_close(&s.compiled);
}

/* Of a loop that is not even, and long, only some periods are executed. */
static void places_that_wander_are_sampled(void **state)
{
    enum { STEPS = 4000 };
    struct subject s;
    uint64_t all[2], found[2];

    subject_open(&s, "wandering", 64, STEPS);
    count_places(all, &s, EMULATE_FULL, false);
    count_places(found, &s, EMULATE_SLICED, false);
    assert_int_equal(all[1], STEPS * THREADS / 32);
    assert_int_equal(found[1], all[1]);
    assert_true(all[0] > 20 * all[1]);
    check_near((double)found[0], (double)all[0], 0.1 * (double)all[0]);
    compiled_close(&s.compiled);
}

static void estimate_at(struct prediction *out, int places, bool known)
{
    struct analysis found;
    struct subject s;

    subject_open_at(&s, "places", 256, 64, places);
    expect_on(&found, &s, known, 0);
    *out = found.prediction;
    analysis_release(&found);
    compiled_close(&s.compiled);
}

static void each_place_takes_its_time(void **state)
{
    struct prediction one, eight, all, unknown;

    estimate_at(&one, 1, true);
    estimate_at(&eight, 8, true);
    estimate_at(&all, 32, true);
    estimate_at(&unknown, 32, false);
    assert_true(eight.estimate_s > 3 * one.estimate_s);
    check_near(all.estimate_s, 4 * eight.estimate_s, 0.2 * all.estimate_s);
    assert_int_equal(all.limiter, RESOURCE_CONSTANT_PORT);
    assert_true(all.bound_s > 0.9 * all.estimate_s);
    assert_false(all.assumptions & PREDICT_ASSUMED_ONE_PLACE);
    assert_true(unknown.estimate_s <= one.estimate_s);
    assert_true(unknown.assumptions & PREDICT_ASSUMED_ONE_PLACE);
}

/* Where the place decides nothing else it is no reason to refuse: one is assumed, and said. */
static void a_place_that_cannot_be_known_is_said(void **state)
{
    struct analysis out;
    struct subject s;

    subject_open(&s, "multiplied", 25, 3);
    expect_of(&out, &s);
    assert_true(out.prediction.assumptions & PREDICT_ASSUMED_ONE_PLACE);
    assert_true(out.demands.demand.count[RESOURCE_CONSTANT_PORT] >= 1);
    analysis_release(&out);
    compiled_close(&s.compiled);
}

static void a_place_that_takes_too_long_to_follow_is_said(void **state)
{
    struct analysis out;
    struct subject s;

    subject_open(&s, "staged", 25, 10000);
    expect_of(&out, &s);
    assert_false(out.prediction.assumptions & PREDICT_ASSUMED_ONE_PLACE);
    assert_true(out.demands.demand.count[RESOURCE_CONSTANT_PORT] > 20 * 10000);
    analysis_release(&out);
    expect_on(&out, &s, true, 1 << 14);
    assert_true(out.prediction.assumptions & PREDICT_ASSUMED_ONE_PLACE);
    check_near(out.demands.demand.count[RESOURCE_CONSTANT_PORT], 10000, 1e-6);
    analysis_release(&out);
    compiled_close(&s.compiled);
}

/* Lines and moves of all loads from tables by a block. */
static void count_lines(uint64_t out[2], const struct subject *s, enum emulate_mode mode)
{
    const struct emulate_options options = {.mode = mode};
    struct emulate_result result;

    compiled_run(&result, &s->compiled, &s->launch, &options, 1, __func__);
    out[0] = out[1] = 0;
    for (size_t i = 0; i < s->compiled.code.count; i++) {
        out[0] += result.blocks[0].touches[i].table_lines;
        out[1] += result.blocks[0].touches[i].table_moves;
    }
    emulate_result_release(&result);
}

/* The lines of a loop that is extrapolated, or of which some turns are looked at, are those of an executed one. */
static void lines_and_moves_are_counted(void **state)
{
    static const char *const names[] = {"weighted", "gathering"};
    enum { COUNT = 1000 };

    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct subject s;
        uint64_t all[2], found[2];

        subject_open(&s, names[k], 4096, COUNT);
        count_lines(all, &s, EMULATE_FULL);
        count_lines(found, &s, EMULATE_SLICED);
        assert_true(all[0] >= (COUNT + LINE_FLOATS - 1) / LINE_FLOATS);
        assert_int_equal(all[1], all[0]);
        assert_int_equal(found[0], all[0]);
        assert_int_equal(found[1], all[1]);
        compiled_close(&s.compiled);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_declared_length_changes_nothing),
        cmocka_unit_test(a_long_walk_is_doubted),
        cmocka_unit_test(two_ways_cost_confidence),
        cmocka_unit_test(tables_that_do_not_fit_miss),
        cmocka_unit_test(lines_and_moves_are_counted),
        cmocka_unit_test(places_are_counted),
        cmocka_unit_test(bytes_have_places_of_their_own),
        cmocka_unit_test(places_that_wander_are_sampled),
        cmocka_unit_test(each_place_takes_its_time),
        cmocka_unit_test(a_place_that_cannot_be_known_is_said),
        cmocka_unit_test(a_place_that_takes_too_long_to_follow_is_said),
    };

    return run_group("tables", tests, sizeof tests / sizeof *tests);
}
