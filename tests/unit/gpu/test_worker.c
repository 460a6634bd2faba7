/* gpu/worker and all that runs in it, on the pretended driver of tests/fake: outcomes, deadlines, restarts,
 * verification, the timing protocol on a virtual clock. */
#include "worker_fixture.h"

#include <unistd.h>

static void test_right_variant(void **state)
{
    struct setup *setup = *state;

    assert_int_equal(try_entry(setup, "copy"), OUTCOME_OK);
    assert_string_equal(trial.message, "");
    check_near(trial.error_max, 0, 0);
    check_near(trial.time_s, 5.1e-6,
               1e-9); /* the kernel and the gap to the next, nothing of launch or graph */
    check_near(trial.clock_hz, 1.5e9, 1e6);
    assert_int_equal(trial.sample_count, setup->protocol.samples_min);
    assert_int_equal(trial.launches, 99); /* 500 us of 5.1 us each */
    assert_int_equal(trial.discarded, 0);
    assert_false(trial.throttled);
    assert_false(trial.gave_up);
    assert_int_equal(trial.registers, 17);
    assert_int_equal(trial.blocks_per_sm, 8);
}

static void test_cold_and_long(void **state)
{
    struct setup *setup = *state;

    setup->protocol.cache = CACHE_COLD;
    assert_int_equal(try_entry(setup, "copy"), OUTCOME_OK);
    check_near(trial.time_s, 5.1e-6, 1e-9);
    setup->protocol.cache = CACHE_WARM;
    assert_int_equal(try_entry(setup, "slow"), OUTCOME_OK);
    check_near(trial.time_s, 50.0001e-3, 1e-7);
    assert_int_equal(trial.launches, 1);
}

/* The second launch on the same buffer would take 1 us: every timed launch must see what the first saw. */
static void test_in_place(void **state)
{
    struct setup *setup = *state;
    struct code code = code_of("absolute");
    struct reference reference;
    struct launch launch;
    int n = N;

    launch_init(&launch);
    add_buffer(&launch, "a", ELEMENT_FLOAT32, N, ROLE_INOUT);
    launch.arguments[0].fill = (struct fill){.kind = FILL_CONSTANT, .a = -2};
    add_scalar(&launch, &n, sizeof n);
    reference = (struct reference){.code = code, .launch = &launch};
    assert_int_equal(try_code(setup, &code, &launch, &reference), OUTCOME_OK);
    check_near(trial.time_s, 40.1e-6, 1e-9);
    launch_release(&launch);
}

/* A buffer that launches leave as it was is not restored before each: they follow one another, 99 in a sample instead of
 * 24 apart. One that changes only later is timed anew with restoring. */
static void test_unchanged(void **state)
{
    struct setup *setup = *state;
    struct launch launch;
    struct code code;
    int n = N;

    launch_init(&launch);
    add_buffer(&launch, "in", ELEMENT_FLOAT32, N, ROLE_INOUT);
    add_buffer(&launch, "out", ELEMENT_FLOAT32, N, ROLE_INOUT);
    add_scalar(&launch, &n, sizeof n);
    code = code_of("copy");
    assert_int_equal(try_code(setup, &code, &launch, NULL), OUTCOME_OK);
    assert_int_equal(trial.launches, 99);
    check_near(trial.time_s, 5.1e-6, 1e-9);
    code = code_of("race");
    assert_int_equal(try_code(setup, &code, &launch, NULL), OUTCOME_OK);
    assert_int_equal(trial.launches, 24);
    check_near(trial.time_s, 5.1e-6, 1e-9);
    launch_release(&launch);
}

/* What is left in scratch memory, and how much of it there is, decides nothing. */
static void test_scratch(void **state)
{
    struct setup *setup = *state;
    struct code code = code_of("by_way");
    struct launch launches[2];
    struct reference reference = {.code = code, .launch = &launches[1]};
    int n = N;

    for (size_t i = 0; i < 2; i++) {
        launch_init(&launches[i]);
        add_buffer(&launches[i], "in", ELEMENT_FLOAT32, N, ROLE_IN);
        add_buffer(&launches[i], "way", ELEMENT_FLOAT32, (2 - i) * N, ROLE_SCRATCH);
        add_buffer(&launches[i], "out", ELEMENT_FLOAT32, N, ROLE_OUT);
        add_scalar(&launches[i], &n, sizeof n);
    }
    assert_int_equal(try_code(setup, &code, &launches[0], &reference), OUTCOME_OK);
    launch_release(&launches[0]);
    launch_release(&launches[1]);
}

static void test_wide_cluster(void **state)
{
    assert_int_equal(try_entry(*state, "wide"), OUTCOME_OK);
}

static void test_racing(void **state)
{
    struct setup *setup = *state;

    setup->protocol.give_up_s = 1e-3;
    assert_int_equal(try_entry(setup, "slow"), OUTCOME_OK);
    assert_true(trial.gave_up);
    assert_int_equal(trial.sample_count, 2);
}

static void test_wrong_results(void **state)
{
    static const struct {
        const char *entry, *message;
    } cases[] = {{"flip", "out[999]: got "},
                 {"lazy", "out[500]: got nan, expected "},
                 {"beyond", "write past the end of out: byte 4000, which has 4000"},
                 {"before", "write before the start of out: 4 bytes before it"},
                 {"scribble", "in[3]: the kernel changed an input"}};
    struct setup *setup = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(try_entry(setup, cases[i].entry), OUTCOME_WRONG);
        expect_text(trial.message, cases[i].message);
        assert_int_equal(trial.sample_count, 0); /* its time is never believed, so not taken */
        expect_recovery(setup);
    }
}

/* Where the reference writes nothing, no variant passes: the role that lets it is named. */
static void test_unwritten_by_reference(void **state)
{
    struct setup *setup = *state;

    setup->reference.code = code_of("lazy");
    assert_int_equal(try_entry(setup, "lazy"), OUTCOME_WRONG);
    expect_text(trial.message,
                "out[500]: got 1, expected nan, which the reference computes or leaves unwritten: an output "
                "that is not written whole has the role inout");
}

static void test_integers_unwritten_by_reference(void **state)
{
    struct setup *setup = *state;

    for (int i = 0; i < 2; i++) {
        setup->launch.arguments[i].type = ELEMENT_UINT32;
        setup->launch.arguments[i].fill.a = 0;
    }
    setup->reference.code = code_of("lazy");
    assert_int_equal(try_entry(setup, "lazy"), OUTCOME_WRONG);
    expect_text(trial.message, "out[500]: got ");
    expect_text(trial.message, "which the reference computes or leaves unwritten");
    setup->reference.code = code_of("copy");
    assert_int_equal(try_entry(setup, "lazy"), OUTCOME_WRONG);
    expect_text(trial.message, "out[500]: got ");
    assert_null(strstr(trial.message, "unwritten"));
}

/* The largest error is kept of a result that passes: half of the tolerance here. */
static void test_error_within_tolerance(void **state)
{
    struct setup *setup = *state;
    struct code code = code_of("scale");
    struct launch launch;

    make_copy_launch(&launch, N);
    add_constant(&launch, ARGUMENT_SYMBOL, "factor", 1 + 1.0 / 1024);
    setup->protocol.relative = 2.0 / 1024;
    setup->protocol.absolute = 0;
    assert_int_equal(try_code(setup, &code, &launch, &setup->reference), OUTCOME_OK);
    check_near(trial.error_max, 0.5, 1e-3);
    launch_release(&launch);
}

/* Halves below 2^-14 have no hidden bit and the exponent of those above. */
static void test_small_half(void **state)
{
    struct setup *setup = *state;

    for (int i = 0; i < 2; i++) {
        setup->launch.arguments[i].type = ELEMENT_FLOAT16;
        setup->launch.arguments[i].count = 2 * N;
    }
    setup->launch.arguments[0].fill = (struct fill){.kind = FILL_CONSTANT, .a = 3.0 / (1 << 20)};
    setup->protocol.absolute = 0;
    assert_int_equal(try_entry(setup, "flip"), OUTCOME_WRONG);
    expect_text(trial.message, "out[1999]: got ");
    expect_text(trial.message, "expected 2.86102295e-06");
}

static void test_race(void **state)
{
    struct setup *setup = *state;

    expect_recovery(setup); /* the reference is known; launches count from here on in a fresh process */
    assert_int_equal(try_entry(setup, "illegal"), OUTCOME_RUNTIME);
    assert_int_equal(try_entry(setup, "race"), OUTCOME_UNSTABLE);
    expect_text(trial.message, "right at first, then out[5]: got ");
}

static void test_failures(void **state)
{
    static const struct {
        const char *entry;
        enum outcome outcome;
        const char *message;
    } cases[] = {{"hang", OUTCOME_TIMEOUT, "did not end within 0.3 s"},
                 {"crash", OUTCOME_RUNTIME, "the worker was killed by signal 6"},
                 {"illegal", OUTCOME_RUNTIME, "illegal memory access"},
                 {"refused", OUTCOME_LAUNCH, "launch: "},
                 {"nowhere", OUTCOME_LAUNCH, "nowhere: "}};
    struct setup *setup = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(try_entry(setup, cases[i].entry), cases[i].outcome);
        expect_text(trial.message, cases[i].message);
        expect_recovery(setup);
    }
}

static void test_symbol(void **state)
{
    struct setup *setup = *state;
    struct run_buffer out = {.name = "out"}, in = {.name = "in"};
    struct code code = code_of("scale");
    struct err err = {0};

    add_constant(&setup->launch, ARGUMENT_SYMBOL, "factor", 3);
    assert_int_equal(worker_run(&out, 1, setup->worker, &code, &setup->launch, 1, &err), 0);
    assert_int_equal(worker_run(&in, 1, setup->worker, &code, &setup->launch, 1, &err), 0);
    assert_int_equal(out.size, N * sizeof(float));
    for (int i = 0; i < N; i++)
        check_near(((float *)(void *)out.bytes)[i], 3 * ((float *)(void *)in.bytes)[i], 1e-6);
    free(out.bytes);
    free(in.bytes);
}

static void test_copy(void **state)
{
    struct setup *setup = *state;
    double seconds[3] = {-1, -1, -1};
    struct err err = {0};

    assert_int_equal(worker_copy(seconds, 3, setup->worker, 1 << 20, &err), 0);
    for (int i = 0; i < 3; i++)
        assert_true(seconds[i] >= 0);
    assert_int_equal(worker_copy(seconds, 3, setup->worker, UINT64_C(1) << 60, &err), ERR_MEMORY);
    err_clear(&err);
    assert_int_equal(worker_copy(seconds, 1, setup->worker, 4096, &err), 0); /* it goes on */
}

/* The pretended calibration kernel takes 300 us, a launch's gap and an event beside it. */
static void test_pace(void **state)
{
    struct setup *setup = *state;
    struct gpu_pace pace;
    struct err err = {0};

    assert_int_equal(worker_pace(&pace, setup->worker, &err), 0);
    check_near(pace.arithmetic_s, 303.1e-6, 1e-7);
    check_near(pace.memory_s, 303.1e-6, 1e-7);
}

static void test_run_errors(void **state)
{
    struct setup *setup = *state;
    struct run_buffer buffer = {.name = "nobody"};
    struct code code = code_of("copy"), hang = code_of("hang"), illegal = code_of("illegal");
    struct err err = {0};

    assert_int_equal(worker_run(&buffer, 1, setup->worker, &code, &setup->launch, 1, &err), ERR_USAGE);
    expect_text(err.text, "no buffer nobody");
    err_clear(&err);
    buffer.name = "out";
    assert_int_equal(worker_run(&buffer, 1, setup->worker, &hang, &setup->launch, 0.2, &err), ERR_STOPPED);
    expect_text(err.text, "hang: did not end within 0.2 s");
    err_clear(&err);
    assert_int_equal(worker_run(&buffer, 1, setup->worker, &illegal, &setup->launch, 1, &err), ERR_GPU);
    expect_text(err.text, "illegal memory access");
    err_clear(&err);
    assert_int_equal(worker_run(&buffer, 1, setup->worker, &code, &setup->launch, 1, &err), 0);
    free(buffer.bytes);
}

/* What is not the variant's doing is an error. */
static void test_reference_errors(void **state)
{
    struct setup *setup = *state;
    struct code code = code_of("copy");
    struct launch other;
    struct err err = {0};

    setup->reference.code = code_of("hang");
    assert_int_equal(
        worker_trial(&trial, setup->worker, &code, &setup->launch, &setup->reference, &setup->protocol, &err),
        ERR_GPU);
    expect_text(err.text, "the reference: did not end within 0.3 s");
    err_clear(&err);
    make_copy_launch(&other, N / 2);
    setup->reference = (struct reference){.code = code, .launch = &other};
    assert_int_equal(
        worker_trial(&trial, setup->worker, &code, &setup->launch, &setup->reference, &setup->protocol, &err),
        ERR_USAGE);
    expect_text(err.text,
                "out: the reference has 500 float32, the variant 1000 float32: a length that depends on "
                "parameters takes \"compare\"");
    launch_release(&other);
    err_clear(&err);
    setup->launch.arguments[0].count = (uint64_t)1 << 40;
    assert_int_equal(worker_trial(&trial, setup->worker, &code, &setup->launch, NULL, &setup->protocol, &err),
                     ERR_MEMORY);
    expect_text(err.text, "in: the GPU has no memory left");
}

/* Without a reference nothing is compared, but guards and inputs still are. */
static void test_no_reference(void **state)
{
    struct setup *setup = *state;
    struct code code = code_of("flip"), beyond = code_of("beyond");

    assert_int_equal(try_code(setup, &code, &setup->launch, NULL), OUTCOME_OK);
    assert_int_equal(try_code(setup, &beyond, &setup->launch, NULL), OUTCOME_WRONG);
}

static void test_reference_file(void **state)
{
    static const char header[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (1000,), }";
    struct setup *setup = *state;
    struct run_buffer in = {.name = "in"};
    struct code code = code_of("copy");
    const char *names[] = {"out"}, *paths[1];
    char path[] = "/tmp/occutune-reference-XXXXXX";
    unsigned short length = 118;
    struct reference reference = {.names = names, .paths = paths, .file_count = 1};
    struct err err = {0};
    FILE *file = fdopen(mkstemp(path), "wb");

    paths[0] = path;
    assert_non_null(file);
    assert_int_equal(worker_run(&in, 1, setup->worker, &code, &setup->launch, 1, &err), 0);
    fwrite("\223NUMPY\1\0", 1, 8, file);
    fwrite(&length, 2, 1, file);
    fprintf(file, "%-117s\n", header);
    fwrite(in.bytes, 1, in.size, file);
    fclose(file);
    assert_int_equal(try_code(setup, &code, &setup->launch, &reference), OUTCOME_OK);
    code = code_of("flip");
    assert_int_equal(try_code(setup, &code, &setup->launch, &reference), OUTCOME_WRONG);
    unlink(path);
    free(in.bytes);
}

/* A symbol that is smaller than what fills it is the variant's fault, and nothing is written past it. */
static void test_symbol_too_small(void **state)
{
    struct setup *setup = *state;
    struct code code = code_of("scale");

    add_constant(&setup->launch, ARGUMENT_SYMBOL, "factor", 3);
    setup->launch.arguments[3].count = 2;
    assert_int_equal(try_code(setup, &code, &setup->launch, NULL), OUTCOME_LAUNCH);
    expect_text(trial.message, "factor has 1 elements, not 2");
}

/* The launches that plan the samples have twenty times the duration of one and of a sample, beside the deadline. */
static void test_late_hang(void **state)
{
    struct setup *setup = *state;

    expect_recovery(setup);
    assert_int_equal(try_entry(setup, "illegal"), OUTCOME_RUNTIME);
    setup->protocol.samples_max = 7;
    assert_int_equal(try_entry(setup, "late_hang"), OUTCOME_TIMEOUT);
    expect_text(trial.message, "did not end within 0.31");
    expect_recovery(setup);
}

/* A batch of samples has twenty times what it is expected to take, beside the deadline of a launch. */
static void test_hang_while_sampling(void **state)
{
    struct setup *setup = *state;

    expect_recovery(setup);
    assert_int_equal(try_entry(setup, "illegal"), OUTCOME_RUNTIME);
    assert_int_equal(try_entry(setup, "late_slow_hang"), OUTCOME_TIMEOUT);
    expect_text(trial.message, "did not end within 0.7");
}

int main(void)
{
    return RUN_TESTS_EACH(set_up, tear_down, test_right_variant, test_cold_and_long, test_in_place,
                          test_unchanged, test_scratch, test_wide_cluster, test_racing, test_wrong_results,
                          test_unwritten_by_reference, test_integers_unwritten_by_reference,
                          test_error_within_tolerance, test_small_half, test_race, test_failures, test_symbol,
                          test_copy, test_pace, test_run_errors, test_reference_errors, test_no_reference,
                          test_reference_file, test_late_hang, test_hang_while_sampling,
                          test_symbol_too_small);
}
