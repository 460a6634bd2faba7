/* Energy, power and clocks with the pretended driver and its NVML; the arithmetic of gpu/energy. */
#include "gpu/energy.h"
#include "worker_fixture.h"

#include <stdio.h>
#include <unistd.h>

/* What tests/fake/fake.h says of the pretended GPU. */
static const double idle_w = 50, busy_w = 250, hot_w = 650;

static void test_arithmetic(void **state)
{
    const struct energy_window window = {
        .began_s = 10, .ended_s = 12, .began_joules = 100, .ended_joules = 900, .period_s = 1e-3};
    const struct energy_window bare = {
        .began_s = 20, .ended_s = 21, .began_joules = 0, .ended_joules = 100, .period_s = 0.4e-3};

    check_near(energy_power_w(&window), 400, 1e-9);
    check_near(energy_of_launch(&window, NULL, 10), 0.04, 1e-9);
    check_near(energy_of_launch(&window, &bare, 10), 0.036, 1e-9);
    check_near(energy_of_launch(&bare, &window, 10), 0, 0); /* noise is no gain */
}

enum { TRIES = 8 };

/* Where the machine that runs the test is busy with something else, the pretended GPU waits for the host and idles
 * meanwhile, which no real one that is kept busy does: then the trial is made again. */
static void expect_energy(struct setup *setup, const struct code *code, const struct launch *launch,
                          const struct reference *reference, double least_j, double most_j)
{
    int tries;

    trial_release(&trial);
    setup->protocol.energy_s = 0.15;
    for (tries = 0; tries < TRIES && !(trial.energy_j > least_j && trial.energy_j < most_j); tries++) {
        assert_int_equal(try_code(setup, code, launch, reference), OUTCOME_OK);
        assert_true(trial.energy_window_s >= 0.15 && trial.power_w > idle_w);
    }
    if (tries == TRIES && !(trial.energy_j > least_j && trial.energy_j < most_j))
        fail_msg("%s: %g J at %g W, not %g to %g J", code->entry, trial.energy_j, trial.power_w, least_j,
                 most_j);
}

static void test_trial(void **state)
{
    struct setup *setup = *state;
    const struct code copy = code_of("copy"), hot = code_of("hot");

    expect_energy(setup, &copy, &setup->launch, &setup->reference, 0.9 * busy_w * 5e-6,
                  1.15 * busy_w * 5.2e-6);
    expect_energy(setup, &hot, &setup->launch, &setup->reference, 0.9 * hot_w * 4e-6, 1.15 * hot_w * 4.2e-6);
}

static void test_not_asked(void **state)
{
    assert_int_equal(try_entry(*state, "copy"), OUTCOME_OK);
    assert_true(trial.energy_j == 0 && trial.power_w == 0);
}

/* Restoring its buffer takes more than the kernel does, and does not count. */
static void test_isolated(void **state)
{
    struct setup *setup = *state;
    struct code code = code_of("absolute");
    struct launch launch;
    const int n = N;

    launch_init(&launch);
    add_buffer(&launch, "a", ELEMENT_FLOAT32, N, ROLE_INOUT);
    launch.arguments[0].fill = (struct fill){.kind = FILL_CONSTANT, .a = -1}; /* which takes it long */
    add_scalar(&launch, &n, sizeof n);
    expect_energy(setup, &code, &launch, NULL, 0.5 * busy_w * 40e-6, 1.5 * busy_w * 40e-6);
    launch_release(&launch);
}

static void test_idle(void **state)
{
    struct setup *setup = *state;
    struct power power;
    struct err err = {0};

    check_ok(worker_power(&power, setup->worker, 0.2, &err), &err);
    check_near(power.idle_w, idle_w, 0.1 * idle_w);
    assert_true(power.counter_update_s > 0.015 && power.counter_update_s < 0.06);
    check_near(power.limit_w, 700, 1e-9);
    check_near(power.default_limit_w, 750, 1e-9);
    check_near(power.sm_clock_hz, 345e6, 1);
    check_near(power.sm_clock_most_hz, 1500e6, 1);
    assert_true(isnan(power.locked_sm_hz));
    assert_int_equal(worker_power(&power, setup->worker, 0, &err), 0);
    assert_true(isnan(power.idle_w));
}

/* What is missing is said, and is no variant's fault. */
static void test_missing(void **state)
{
    static const struct {
        const char *variable, *value, *text;
    } cases[] = {{"OCCUTUNE_NVML", "/nowhere/libnvidia-ml.so", "no NVML"},
                 {"FAKE_NVML", "none", "NVML does not start: Uninitialized"},
                 {"FAKE_NVML", "uncounted", "no counter of energy: Not Supported"}};
    char before[4096];

    snprintf(before, sizeof before, "%s", getenv("OCCUTUNE_NVML"));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct setup *setup;
        struct power power;
        struct err err = {0};
        struct code code = code_of("copy");
        void *made;

        setenv(cases[k].variable, cases[k].value, 1);
        set_up(&made);
        setup = made;
        setup->protocol.energy_s = 0.15;
        assert_int_equal(worker_power(&power, setup->worker, 0.1, &err), ERR_MISSING);
        expect_text(err.text, cases[k].text);
        err_clear(&err);
        assert_int_equal(worker_trial(&trial, setup->worker, &code, &setup->launch, &setup->reference,
                                      &setup->protocol, &err),
                         ERR_MISSING);
        expect_text(err.text, cases[k].text);
        tear_down(&made);
        unsetenv("FAKE_NVML");
        setenv("OCCUTUNE_NVML", before, 1);
    }
}

/* Clocks ------------------------------------------------------------------- */

static char log_path[] = "/tmp/occutune-clocks-XXXXXX";

static void read_log(char out[512])
{
    FILE *file = fopen(log_path, "r");
    size_t length = file ? fread(out, 1, 511, file) : 0;

    out[length] = '\0';
    if (file)
        fclose(file);
}

/* The log, once it says `wanted`; a few seconds are waited for that. */
static void expect_log(const char *wanted)
{
    char log[512];

    for (int tries = 0; tries < 500; tries++) {
        read_log(log);
        if (!strcmp(log, wanted))
            return;
        usleep(20000);
    }
    fail_msg("the log says \"%s\", not \"%s\"", log, wanted);
}

static struct worker *open_clocked(struct clock_setting clocks)
{
    struct worker *worker;
    struct err err = {0};

    check_ok(worker_open_clocked(&worker, 0, &clocks, NULL, &err), &err);
    return worker;
}

static void test_clocks(void **state)
{
    struct worker *worker;
    struct power power;
    struct err err = {0};

    unlink(log_path);
    worker = open_clocked((struct clock_setting){.sm_mhz = 1200, .memory_mhz = 900});
    expect_log("sm 1200 1200\nmemory 900 900\n");
    assert_int_equal(worker_power(&power, worker, 0, &err), 0);
    check_near(power.locked_sm_hz, 1200e6, 1);
    worker_close(worker);
    expect_log("sm 1200 1200\nmemory 900 900\nsm free\nmemory free\n");
}

/* A worker that is killed lets go of them, and the one that takes its place sets them again. */
static void test_clocks_killed(void **state)
{
    struct worker *worker;
    struct launch launch;
    struct protocol protocol;
    struct code code = code_of("crash");

    unlink(log_path);
    worker = open_clocked((struct clock_setting){.sm_mhz = 1200});
    expect_log("sm 1200 1200\n");
    make_copy_launch(&launch, N);
    protocol_init(&protocol);
    assert_int_equal(try_variant(&trial, worker, &code, &launch, NULL, &protocol), OUTCOME_RUNTIME);
    trial_release(&trial);
    expect_log("sm 1200 1200\nsm free\n");
    code = code_of("copy");
    assert_int_equal(try_variant(&trial, worker, &code, &launch, NULL, &protocol), OUTCOME_OK);
    trial_release(&trial);
    expect_log("sm 1200 1200\nsm free\nsm 1200 1200\n");
    worker_close(worker);
    expect_log("sm 1200 1200\nsm free\nsm 1200 1200\nsm free\n");
    launch_release(&launch);
}

static void test_clocks_refused(void **state)
{
    const struct clock_setting clocks = {.sm_mhz = 1200};
    struct worker *worker;
    struct err err = {0};

    setenv("FAKE_NVML", "refused", 1);
    assert_int_equal(worker_open_clocked(&worker, 0, &clocks, NULL, &err), ERR_USAGE);
    expect_text(err.text, "the SM clock cannot be set to 1200 MHz: Insufficient Permissions");
    unsetenv("FAKE_NVML");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic),
        with_worker(test_trial),
        with_worker(test_not_asked),
        with_worker(test_isolated),
        with_worker(test_idle),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_clocks_killed),
        cmocka_unit_test(test_clocks_refused),
    };

    int descriptor = mkstemp(log_path), failed;

    if (descriptor < 0)
        return 1;
    close(descriptor);
    setenv("FAKE_NVML_LOG", log_path, 1);
    setenv("OCCUTUNE_NVML", getenv("OCCUTUNE_CUDA_DRIVER"), 1);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(log_path);
    return failed;
}
