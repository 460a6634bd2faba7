/* The worker on a real GPU: known durations, in-place kernels, kernels that hang or write where they must
 * not, every element type, the carve-out, and what a trial costs beyond the kernel's own runs. */
#include "trial_setup.h"

#include "base/clock.h"

#include "gpu/compile.h"

enum { N = 100000 };

static struct compiler *compiler;
static struct worker *worker;
static struct device device;
static struct protocol protocol;

/* Compiles a kernel of trial.cu; the caller releases. */
static void compile(struct compile_result *out, const char *name)
{
    char arch[16];
    struct compile_request request = {
        .source_path = "tests/gpu/trial.cu", .name = name, .arch = arch, .deadline_s = 60};
    struct err err = {0};

    snprintf(arch, sizeof arch, "sm_%u", device.sm);
    check_ok(compile_cubin(out, compiler, &request, &err), &err);
    if (out->outcome != OUTCOME_OK)
        fail_msg("%s", out->diagnostic);
}

static struct code code_of(const struct compile_result *result)
{
    return (struct code){result->cubin, result->cubin_bytes, result->entry};
}

/* One trial of a kernel with the copy kernel as reference. */
static enum outcome try_copy(struct trial *out, const char *name, const struct launch *launch)
{
    struct compile_result variant, plain;
    struct launch every = *launch; /* the same arguments, a thread for each element */
    struct reference reference = {.launch = &every};
    struct code code;
    enum outcome outcome;

    every.block[0] = 32;
    every.grid[0] = (unsigned)(launch->arguments[0].count + 31) / 32;
    compile(&variant, name);
    compile(&plain, "copy");
    code = code_of(&variant);
    reference.code = code_of(&plain);
    outcome = try_variant(out, worker, &code, launch, &reference, &protocol);
    compile_result_release(&variant);
    compile_result_release(&plain);
    return outcome;
}

static void expect_recovery(void)
{
    struct launch launch;
    struct trial trial;

    make_copy_launch(&launch, N);
    assert_int_equal(try_copy(&trial, "copy", &launch), OUTCOME_OK);
    trial_release(&trial);
    launch_release(&launch);
}

/* Times `name` (buffer, cycles), without a reference. */
static void time_spin(struct trial *out, const char *name, enum role role, long long cycles)
{
    struct compile_result variant;
    struct launch launch;
    struct code code;

    compile(&variant, name);
    code = code_of(&variant);
    launch_init(&launch);
    add_buffer(&launch, "out", ELEMENT_FLOAT32, 1, role);
    launch.arguments[0].fill = (struct fill){.kind = FILL_CONSTANT, .a = -1};
    add_scalar(&launch, &cycles, sizeof cycles);
    if (try_variant(out, worker, &code, &launch, NULL, &protocol) != OUTCOME_OK)
        fail_msg("%s", out->message);
    launch_release(&launch);
    compile_result_release(&variant);
}

static void check_spin(const char *name, enum role role)
{
    static const long long cycles[] = {0, 4000, 40000, 400000, 4000000};
    double none = 0;

    for (size_t i = 0; i < sizeof cycles / sizeof *cycles; i++) {
        struct trial trial;
        double wanted;

        time_spin(&trial, name, role, cycles[i]);
        wanted = (double)cycles[i] / trial.clock_hz;
        none = i ? none : trial.time_s;
        print_message(
            "%s %s: %lld cycles, %.3f us at %.0f MHz: timed %.3f us, %zu samples of %u, %zu dropped%s\n",
            name, protocol.cache == CACHE_COLD ? "cold" : "warm", cycles[i], 1e6 * wanted,
            1e-6 * trial.clock_hz, 1e6 * trial.time_s, trial.sample_count, trial.launches, trial.discarded,
            trial.throttled ? ", throttled" : "");
        check_near(trial.time_s, wanted + none, 0.01 * wanted + 0.5e-6);
        trial_release(&trial);
    }
}

static void test_known_duration(void **state)
{
    check_spin("spin", ROLE_OUT);
    protocol.cache = CACHE_COLD;
    check_spin("spin", ROLE_OUT);
    protocol.cache = CACHE_WARM;
}

static void test_in_place(void **state)
{
    check_spin("spin_once", ROLE_INOUT);
}

static void test_hangs(void **state)
{
    static const struct {
        const char *name;
        int threads;
        enum outcome outcome;
    } cases[] = {{"endless", 32, OUTCOME_TIMEOUT},
                 {"barrier_lock", 64, OUTCOME_TIMEOUT},
                 {"lane_lock", 32, OUTCOME_OK}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double start = clock_wall_s();
        struct launch launch;
        struct trial trial;

        protocol.deadline_s = 1;
        make_copy_launch(&launch, cases[i].threads);
        launch.block[0] = (unsigned)cases[i].threads;
        assert_int_equal(try_copy(&trial, cases[i].name, &launch), cases[i].outcome);
        print_message("%s: %s %s, %.2f s\n", cases[i].name, outcome_text(trial.outcome), trial.message,
                      clock_wall_s() - start);
        trial_release(&trial);
        launch_release(&launch);
        protocol.deadline_s = 10;
        expect_recovery();
        print_message("with a fresh worker: %.2f s\n", clock_wall_s() - start);
    }
}

static void test_wrong_doing(void **state)
{
    static const struct {
        const char *name;
        enum outcome outcome;
        const char *message;
    } cases[] = {{"illegal", OUTCOME_RUNTIME, "illegal memory access"},
                 {"beyond", OUTCOME_WRONG, "write past the end of out: byte 400000"},
                 {"before", OUTCOME_WRONG, "write before the start of out: 12 bytes before it"},
                 {"scribble", OUTCOME_WRONG, "in[3]: the kernel changed an input"}};
    struct launch launch;

    make_copy_launch(&launch, N);
    launch.grid[0]++;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial trial;

        assert_int_equal(try_copy(&trial, cases[i].name, &launch), cases[i].outcome);
        expect_text(trial.message, cases[i].message);
        trial_release(&trial);
        expect_recovery();
    }
    launch.block[0] = 2048;
    {
        struct trial trial;

        assert_int_equal(try_copy(&trial, "copy", &launch), OUTCOME_LAUNCH);
        trial_release(&trial);
    }
    launch_release(&launch);
}

/* Tries the kernel flip on elements of one type; `at` below 0 flips nothing. */
static enum outcome try_flip(struct trial *out, const struct compile_result *kernel, enum element_type type,
                             int at, int bit)
{
    int bytes = (int)(N * element_size(type)), never = -1;
    struct code code = code_of(kernel);
    struct launch launch, plain;
    struct reference reference = {.code = code, .launch = &plain};
    enum outcome outcome;

    launch_init(&launch);
    launch.block[0] = 256;
    launch.grid[0] = (unsigned)(bytes + 255) / 256;
    add_buffer(&launch, "in", type, N, ROLE_IN);
    add_buffer(&launch, "out", type, N, ROLE_OUT);
    add_scalar(&launch, &bytes, sizeof bytes);
    add_scalar(&launch, &at, sizeof at);
    add_scalar(&launch, &bit, sizeof bit);
    plain = launch;
    plain.arguments = calloc(ARGUMENTS_MAX, sizeof *plain.arguments);
    memcpy(plain.arguments, launch.arguments, ARGUMENTS_MAX * sizeof *plain.arguments);
    plain.arguments[3].bytes = (unsigned char *)&never;
    outcome = try_variant(out, worker, &code, &launch, &reference, &protocol);
    free(plain.arguments);
    launch_release(&launch);
    return outcome;
}

static void test_every_type(void **state)
{
    struct compile_result kernel;

    compile(&kernel, "flip");
    protocol.samples_min = protocol.samples_max = 2;
    for (int type = 0; type < ELEMENT_TYPE_COUNT; type++) {
        int size = (int)element_size((enum element_type)type), last = N * size - 1, k;
        bool real = type >= ELEMENT_FLOAT16;
        const struct {
            int at, bit;
        } flips[] = {{0 + size - 1, 5}, {N / 3 * size + size - 1, 4}, {last, real ? 6 : 7}};
        struct trial trial;

        assert_int_equal(try_flip(&trial, &kernel, (enum element_type)type, -1, 0), OUTCOME_OK);
        check_near(trial.error_max, 0, 0);
        trial_release(&trial);
        for (k = 0; k < 3; k++) {
            char place[40];

            if (try_flip(&trial, &kernel, (enum element_type)type, flips[k].at, flips[k].bit) !=
                OUTCOME_WRONG)
                fail_msg("%s: flip %d of byte %d was not seen", element_text((enum element_type)type),
                         flips[k].bit, flips[k].at);
            snprintf(place, sizeof place, "out[%d]: got ", flips[k].at / size);
            expect_text(trial.message, place);
            trial_release(&trial);
        }
    }
    protocol_init(&protocol);
    compile_result_release(&kernel);
}

/* The most blocks resident on one SM, counted by the blocks themselves, at a carve-out. */
static unsigned count_resident(int carveout, int *driver_says)
{
    struct run_buffer peak = {.name = "peak"};
    struct compile_result kernel;
    struct launch launch;
    struct trial trial;
    struct code code;
    struct err err = {0};
    unsigned most = 0, sm;

    compile(&kernel, "resident");
    code = code_of(&kernel);
    launch_init(&launch);
    launch.grid[0] = (unsigned)device.limits.sm_count * 32;
    launch.block[0] = 64;
    launch.shared_bytes = 15 * 1024;
    launch.carveout = carveout;
    add_buffer(&launch, "now", ELEMENT_UINT32, 1024, ROLE_INOUT);
    launch.arguments[0].fill = (struct fill){.kind = FILL_CONSTANT};
    add_buffer(&launch, "peak", ELEMENT_UINT32, 1024, ROLE_OUT);
    check_ok(worker_run(&peak, 1, worker, &code, &launch, 10, &err), &err);
    for (sm = 0; sm < 1024; sm++)
        most = ((unsigned *)(void *)peak.bytes)[sm] > most ? ((unsigned *)(void *)peak.bytes)[sm] : most;
    assert_int_equal(try_variant(&trial, worker, &code, &launch, NULL, &protocol), OUTCOME_OK);
    *driver_says = trial.blocks_per_sm;
    trial_release(&trial);
    free(peak.bytes);
    launch_release(&launch);
    compile_result_release(&kernel);
    return most;
}

/* 15 KiB and the reserved 1 KiB a block: as many blocks as 16 KiB go into the carve-out. */
static void test_carveout(void **state)
{
    static const int percent[] = {-1, 10, 25, 50, 75, 100};
    unsigned resident[6];

    for (size_t i = 0; i < 6; i++) {
        int driver_says;

        resident[i] = count_resident(percent[i], &driver_says);
        print_message("carve-out %d %%: %u blocks resident, the driver says %d\n", percent[i], resident[i],
                      driver_says);
    }
    if (device.sm != 90)
        return;                        /* the sizes an SM can be set to differ */
    assert_int_equal(resident[1], 2);  /* 10 % of 228 KiB: 32 */
    assert_int_equal(resident[2], 4);  /* 25 %: 64 */
    assert_int_equal(resident[3], 8);  /* 50 %: 132 */
    assert_int_equal(resident[4], 12); /* 75 %: 196 */
    assert_int_equal(resident[5], 14); /* 228 */
}

/* What is read back of a buffer that no launch has changed. */
static void expect_fill(const struct code *code, const struct fill *fill, enum element_type type)
{
    struct run_buffer buffer = {.name = "in"};
    static unsigned char wanted[8 * N];
    struct launch launch;
    struct err err = {0};

    make_copy_launch(&launch, 0);
    launch.grid[0] = 1;
    launch.arguments[0].type = type;
    launch.arguments[0].count = N;
    launch.arguments[0].fill = *fill;
    launch.arguments[1].count = 1;
    check_ok(worker_run(&buffer, 1, worker, code, &launch, 10, &err), &err);
    assert_int_equal(fill_read(fill, type, 0, N, wanted, NULL), 0);
    assert_memory_equal(buffer.bytes, wanted, N * element_size(type));
    free(buffer.bytes);
    launch_release(&launch);
}

static void test_fills(void **state)
{
    static const struct fill fills[] = {{.kind = FILL_UNIFORM, .seed = 3, .a = -1, .b = 1},
                                        {.kind = FILL_UNIFORM, .seed = 4, .a = 0, .b = 100},
                                        {.kind = FILL_UNIFORM, .seed = 5, .a = -1e5, .b = 1e5},
                                        {.kind = FILL_CONSTANT, .a = -2.75},
                                        {.kind = FILL_NORMAL, .seed = 6, .a = 10, .b = 2}};
    struct compile_result plain;
    struct code code;
    enum element_type type;

    compile(&plain, "copy");
    code = code_of(&plain);
    for (type = 0; type < ELEMENT_TYPE_COUNT; type++)
        for (size_t i = 0; i < sizeof fills / sizeof *fills; i++)
            expect_fill(&code, &fills[i], type);
    compile_result_release(&plain);
}

static void test_copies(void **state)
{
    static const int megabytes[] = {1, 16, 64, 256};
    struct launch launch;

    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 3; k++) {
            int n = megabytes[i] << 18;
            struct trial trial;

            make_copy_launch(&launch, n);
            launch.grid[0] = (unsigned)(n / 4 + 255) / 256;
            assert_int_equal(try_copy(&trial, "copy4", &launch), OUTCOME_OK);
            print_message("copy of %d MiB: %.3f us, %.0f GB/s, %zu samples of %u, %zu dropped, %.0f MHz\n",
                          megabytes[i], 1e6 * trial.time_s, 8e-9 * n / trial.time_s, trial.sample_count,
                          trial.launches, trial.discarded, 1e-6 * trial.clock_hz);
            trial_release(&trial);
            launch_release(&launch);
        }
}

/* What a trial costs beyond the kernel's own runs, seen from the controller. */
static void test_overhead(void **state)
{
    enum { TRIALS = 50 };
    struct compile_result kernel;
    double wall = 0, own = 0, verify = 0, benchmark = 0, total = 0, times[TRIALS];
    struct reference reference;
    struct launch launch;
    struct code code;
    int n = 1024, i;

    compile(&kernel, "product");
    code = code_of(&kernel);
    launch_init(&launch);
    launch.grid[0] = launch.grid[1] = (unsigned)n / 32;
    launch.block[0] = launch.block[1] = 32;
    add_buffer(&launch, "a", ELEMENT_FLOAT32, (uint64_t)n * n, ROLE_IN);
    add_buffer(&launch, "b", ELEMENT_FLOAT32, (uint64_t)n * n, ROLE_IN);
    add_buffer(&launch, "c", ELEMENT_FLOAT32, (uint64_t)n * n, ROLE_OUT);
    add_scalar(&launch, &n, sizeof n);
    reference = (struct reference){.code = code, .launch = &launch};
    for (i = -1; i < TRIALS; i++) {
        double start = clock_wall_s();
        struct trial trial;

        assert_int_equal(try_variant(&trial, worker, &code, &launch, &reference, &protocol), OUTCOME_OK);
        if (i >= 0) {
            wall += clock_wall_s() - start;
            own += trial.kernel_s;
            verify += trial.verify_s;
            benchmark += trial.benchmark_s;
            total += trial.total_s;
            times[i] = trial.time_s;
        }
        trial_release(&trial);
    }
    print_message(
        "a trial: %.2f ms, of it the kernel %.2f ms, overhead %.2f ms (in the worker: verify %.2f, benchmark "
        "%.2f, all %.2f ms)\n",
        1e3 * wall / TRIALS, 1e3 * own / TRIALS, 1e3 * (wall - own) / TRIALS, 1e3 * verify / TRIALS,
        1e3 * benchmark / TRIALS, 1e3 * total / TRIALS);
    for (i = 0; i < TRIALS; i += 7)
        print_message("%.3f us ", 1e6 * times[i]);
    print_message("\n");
    assert_true((wall - own) / TRIALS < 5e-3);
    launch_release(&launch);
    compile_result_release(&kernel);
}

/* Whatever is missing is said; 77 tells ctest that nothing was tested. */
static int open_all(void)
{
    struct err err = {0};

    if (compiler_open(&compiler, NULL, NULL, &err) || worker_open(&worker, 0, NULL, &err) ||
        worker_describe(&device, worker, &err)) {
        fprintf(stderr, "%s: %s\n", err.code == ERR_MISSING ? "SKIPPED" : "failed", err.text);
        compiler_close(compiler);
        return err.code == ERR_MISSING ? 77 : 1;
    }
    return 0;
}

int main(void)
{
    int failed = open_all();

    if (failed)
        return failed;
    protocol_init(&protocol);
    failed = RUN_TESTS(test_known_duration, test_in_place, test_wrong_doing, test_every_type, test_fills,
                       test_carveout, test_copies, test_overhead, test_hangs);
    worker_close(worker);
    compiler_close(compiler);
    device_release(&device);
    return failed;
}
