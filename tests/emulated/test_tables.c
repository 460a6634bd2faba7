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

/* A kernel over the first `count` of `declared` values. */
static void subject_open(struct subject *s, const char *name, int declared, int count)
{
    char option[32];
    const char *options[] = {option};
    const struct compile_request request = {.source_path = "tests/emulated/tables.cu",
                                            .name = name,
                                            .arch = "sm_90",
                                            .options = options,
                                            .option_count = 1,
                                            .deadline_s = 120};
    struct err err = {0};

    snprintf(option, sizeof option, "-DDECLARED=%d", declared);
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

static void expect_of(struct analysis *out, const struct subject *s)
{
    struct machine machine;
    struct device profile;
    const struct analyze_options options = {.warm = true};
    struct err err = {0};

    device_init(&profile);
    ok(device_load(&profile, "nvidia-h200", "model/device/profiles", &err), &err);
    ok(machine_init(&machine, &profile, &err), &err);
    ok(analyze(out, &machine, &s->compiled.cubin, s->compiled.kernel, &s->launch, &options, &err), &err);
    if (!out->predicted)
        fail_msg("%s", out->reason);
    machine_release(&machine);
    device_release(&profile);
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

/* What an LDC of 32 places costs is not modelled. */
static void lanes_that_read_many_places_are_named(void **state)
{
    struct analysis out;
    struct subject s;

    subject_open(&s, "scattered", 25, 3);
    expect_of(&out, &s);
    assert_true(out.prediction.assumptions & PREDICT_ASSUMED_CONSTANTS);
    analysis_release(&out);
    compiled_close(&s.compiled);
}

/* The lines of an extrapolated loop are those of an executed one. */
static void lines_and_moves_are_counted(void **state)
{
    static const enum emulate_mode modes[] = {EMULATE_FULL, EMULATE_SLICED};
    static const unsigned first[1][3] = {{0}};
    enum { COUNT = 1000 };
    const struct sass_code *code;
    struct subject s;
    struct err err = {0};

    subject_open(&s, "weighted", 4096, COUNT);
    code = &s.compiled.code;
    for (int m = 0; m < 2; m++) {
        const struct emulate_options options = {.mode = modes[m]};
        struct emulation *emulation;
        struct emulate_result result;
        uint64_t lines = 0, moves = 0;

        ok(emulation_open(&emulation, &s.compiled.cubin, s.compiled.kernel, code, &s.launch, &options, &err),
           &err);
        ok(emulate_blocks(&result, emulation, first, 1, &err), &err);
        assert_int_equal(result.end, EMULATE_DONE);
        for (size_t i = 0; i < code->count; i++) {
            lines += result.blocks[0].touches[i].table_lines;
            moves += result.blocks[0].touches[i].table_moves;
        }
        assert_int_equal(lines, (COUNT + LINE_FLOATS - 1) / LINE_FLOATS);
        assert_int_equal(moves, lines);
        emulate_result_release(&result);
        emulation_close(emulation);
    }
    compiled_close(&s.compiled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_declared_length_changes_nothing),
        cmocka_unit_test(a_long_walk_is_doubted),
        cmocka_unit_test(lanes_that_read_many_places_are_named),
        cmocka_unit_test(lines_and_moves_are_counted),
    };

    return run_group("tables", tests, sizeof tests / sizeof *tests);
}
