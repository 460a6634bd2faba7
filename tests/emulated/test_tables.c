/* Tables in constant memory: what counts is which lines are read, not how long the table is declared. */
#include "check.h"
#include "gpu/compile.h"
#include "model/predict/analyze.h"
#include "model/sass/arch/geometry.h"

#include <stdio.h>

enum { N = 8388608, THREADS = 64, LINE_FLOATS = CONSTANT_LINE / 4, SKIPPED = 77 };

static struct compiler *compiler;

struct subject {
    struct compile_result compiled;
    struct cubin cubin;
    const struct cubin_kernel *kernel;
    struct argument arguments[4];
    struct launch launch;
    int32_t count;
};

static void ok(int rc, const struct err *err)
{
    if (rc)
        fail_msg("%s", err->text);
}

static struct argument buffer(char *name, uint64_t count, enum role role)
{
    return (struct argument){.kind = ARGUMENT_BUFFER,
                             .name = name,
                             .type = ELEMENT_FLOAT32,
                             .count = count,
                             .role = role,
                             .fill = {.kind = FILL_CONSTANT, .a = 1}};
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
    ok(compile_cubin(&s->compiled, compiler, &request, &err), &err);
    if (s->compiled.outcome != OUTCOME_OK)
        fail_msg("%s", s->compiled.diagnostic);
    ok(cubin_init(&s->cubin, s->compiled.cubin, s->compiled.cubin_bytes, "tables", &err), &err);
    ok(cubin_find(&s->kernel, &s->cubin, s->compiled.entry, &err), &err);
    launch_init(&s->launch);
    s->launch.grid[0] = N / THREADS;
    s->launch.block[0] = THREADS;
    s->launch.arguments = s->arguments;
    s->launch.argument_count = 4;
    s->arguments[0] = buffer("out", N, ROLE_OUT);
    s->arguments[1] = buffer("in", N + THREADS, ROLE_IN);
    s->arguments[2] = (struct argument){
        .kind = ARGUMENT_SCALAR, .bytes = (unsigned char *)&s->count, .size = sizeof s->count};
    s->arguments[3] = buffer("weight", 25, ROLE_IN);
    s->arguments[3].kind = ARGUMENT_SYMBOL;
    ok(launch_prepare(&s->launch, &err), &err);
}

static void subject_close(struct subject *s)
{
    cubin_release(&s->cubin);
    compile_result_release(&s->compiled);
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
    ok(analyze(out, &machine, &s->cubin, s->kernel, &s->launch, &options, &err), &err);
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
    subject_close(&s);
    return found;
}

static void the_declared_length_changes_nothing(void **state)
{
    bool doubtful;
    const double exact = estimate(25, 24, &doubtful);

    (void)state;
    assert_false(doubtful);
    check_near(estimate(289, 24, &doubtful), exact, 1e-6 * exact);
    check_near(estimate(4096, 24, &doubtful), exact, 1e-6 * exact);
    assert_false(doubtful);
}

/* Past what is kept of a table the warps may keep in step or not. */
static void a_long_walk_is_doubted(void **state)
{
    bool doubtful;

    (void)state;
    assert_true(estimate(4096, 288, &doubtful) > 3 * estimate(4096, 64, &doubtful));
    estimate(4096, 288, &doubtful);
    assert_true(doubtful);
}

/* What an LDC of 32 places costs is not modelled. */
static void lanes_that_read_many_places_are_named(void **state)
{
    struct analysis out;
    struct subject s;

    (void)state;
    subject_open(&s, "scattered", 25, 3);
    expect_of(&out, &s);
    assert_true(out.prediction.assumptions & PREDICT_ASSUMED_CONSTANTS);
    analysis_release(&out);
    subject_close(&s);
}

/* The lines of an extrapolated loop are those of an executed one. */
static void lines_and_moves_are_counted(void **state)
{
    static const enum emulate_mode modes[] = {EMULATE_FULL, EMULATE_SLICED};
    static const unsigned first[1][3] = {{0}};
    enum { COUNT = 1000 };
    struct subject s;
    struct sass_code code;
    struct err err = {0};

    (void)state;
    subject_open(&s, "weighted", 4096, COUNT);
    ok(sass_read(&code, s.kernel, &err), &err);
    for (int m = 0; m < 2; m++) {
        const struct emulate_options options = {.mode = modes[m]};
        struct emulation *emulation;
        struct emulate_result result;
        uint64_t lines = 0, moves = 0;

        ok(emulation_open(&emulation, &s.cubin, s.kernel, &code, &s.launch, &options, &err), &err);
        ok(emulate_blocks(&result, emulation, first, 1, &err), &err);
        assert_int_equal(result.end, EMULATE_DONE);
        for (size_t i = 0; i < code.count; i++) {
            lines += result.blocks[0].touches[i].table_lines;
            moves += result.blocks[0].touches[i].table_moves;
        }
        assert_int_equal(lines, (COUNT + LINE_FLOATS - 1) / LINE_FLOATS);
        assert_int_equal(moves, lines);
        emulate_result_release(&result);
        emulation_close(emulation);
    }
    sass_release(&code);
    subject_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_declared_length_changes_nothing),
        cmocka_unit_test(a_long_walk_is_doubted),
        cmocka_unit_test(lanes_that_read_many_places_are_named),
        cmocka_unit_test(lines_and_moves_are_counted),
    };
    struct err err = {0};
    int failed;

    if (compiler_open(&compiler, NULL, getenv("OCCUTUNE_TEST_CACHE"), &err)) {
        fprintf(stderr, "skipped: %s\n", err.text);
        return SKIPPED;
    }
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    compiler_close(compiler);
    return failed;
}
