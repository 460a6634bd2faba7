/* The worker as a process, on the pretended driver of tests/fake: how it starts, what it says of its GPU, and
 * how it ends with its controller and without it. */
#include "worker_fixture.h"

#include "base/clock.h"

#include "gpu/message.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_describe(void **state)
{
    struct setup *setup = *state;
    struct device device;
    struct err err = {0};
    int count;

    assert_int_equal(worker_describe(&device, setup->worker, &err), 0);
    assert_string_equal(device.name, "Pretended GPU");
    assert_int_equal(device.sm, 90);
    assert_int_equal(device.limits.sm_count, 4);
    assert_int_equal(device.limits.memory_bytes, 1 << 30);
    assert_string_equal(device.driver, "13.0");
    device_release(&device);
    assert_int_equal(worker_devices(setup->worker), 1);
    assert_int_equal(worker_device_count(&count, NULL, &err), 0);
    assert_int_equal(count, 1);
}

/* A GPU that others keep to themselves can be described; who then needs it learns why he cannot have it,
 * again and again. */
static void test_no_context(void **state)
{
    const struct code code = code_of("copy");
    struct protocol protocol;
    struct launch launch;
    struct worker *worker;
    struct device device;

    protocol_init(&protocol);
    make_copy_launch(&launch, N);
    setenv("FAKE_NO_CONTEXT", "1", 1);
    worker = open_worker();
    unsetenv("FAKE_NO_CONTEXT");
    assert_int_equal(worker_describe(&device, worker, NULL), 0);
    assert_string_equal(device.name, "Pretended GPU");
    device_release(&device);
    for (int k = 0; k < 2; k++) {
        struct err err = {0};

        assert_int_equal(worker_trial(&trial, worker, &code, &launch, NULL, &protocol, &err), ERR_GPU);
        expect_text(err.text, "context: ");
    }
    worker_close(worker);
    launch_release(&launch);
}

static void test_no_device(void **state)
{
    struct worker *worker;
    struct err err = {0};
    int count;

    assert_int_equal(worker_open(&worker, 5, NULL, &err), ERR_MISSING);
    expect_text(err.text, "no CUDA device 5: there is 1");
    err_clear(&err);
    setenv("FAKE_NO_DEVICE", "1", 1);
    assert_int_equal(worker_open(&worker, 0, NULL, &err), ERR_MISSING);
    expect_text(err.text, "no CUDA device");
    assert_int_equal(worker_device_count(&count, NULL, NULL), 0);
    assert_int_equal(count, 0);
    unsetenv("FAKE_NO_DEVICE");
    err_clear(&err);
    assert_int_equal(worker_open(&worker, 0, "/nowhere/occutune-worker", &err), ERR_MISSING);
    expect_text(err.text, "/nowhere/occutune-worker");
    err_clear(&err);
    assert_int_equal(worker_device_count(&count, "/bin/true", &err), ERR_SYSTEM);
    expect_text(err.text, "the worker that counts the GPUs did not start");
}

/* The process that has `parent` for its parent; 0 when there is none. */
static pid_t child_of(pid_t parent)
{
    DIR *directory = opendir("/proc");
    struct dirent *entry;
    pid_t found = 0;

    while (directory && !found && (entry = readdir(directory))) {
        char path[300];
        long ppid = 0;
        FILE *file;

        snprintf(path, sizeof path, "/proc/%.200s/stat", entry->d_name);
        file = atoi(entry->d_name) > 0 ? fopen(path, "r") : NULL;
        if (!file)
            continue;
        if (fscanf(file, "%*d (%*[^)]) %*c %ld", &ppid) == 1 && ppid == (long)parent)
            found = (pid_t)atoi(entry->d_name);
        fclose(file);
    }
    closedir(directory);
    return found;
}

/* A controller that is killed while its kernel hangs leaves no worker behind. */
static void test_no_orphan(void **state)
{
    struct setup *setup;
    pid_t controller = fork(), worker = 0;

    if (!controller) {
        void *own;

        set_up(&own);
        setup = own;
        setup->protocol.deadline_s = 60;
        try_entry(setup, "hang");
        _exit(0);
    }
    for (int i = 0; i < 200 && !worker; i++) {
        usleep(20000);
        worker = child_of(controller);
    }
    assert_true(worker > 0);
    usleep(300000); /* into the hang */
    kill(controller, SIGKILL);
    waitpid(controller, NULL, 0);
    for (int i = 0; i < 100 && !kill(worker, 0); i++) {
        char path[64], status = 0;
        FILE *file;

        snprintf(path, sizeof path, "/proc/%d/stat", (int)worker);
        file = fopen(path, "r");
        if (file) {
            if (fscanf(file, "%*d (%*[^)]) %c", &status) != 1)
                status = 'Z';
            fclose(file);
        }
        if (status == 'Z') /* ended; whoever adopted it has not looked yet */
            return;
        usleep(20000);
    }
    assert_int_not_equal(kill(worker, 0), 0);
}

/* Ctrl-C at a terminal goes to a process group: the worker is in another than its controller. */
static void test_own_process_group(void **state)
{
    pid_t worker = child_of(getpid());

    assert_true(worker > 0);
    assert_int_equal(getpgid(worker), worker);
    assert_int_not_equal(getpgid(0), worker);
}

/* A worker killed from outside between two trials is replaced unseen. */
static void test_killed_while_idle(void **state)
{
    struct setup *setup = *state;
    pid_t worker = child_of(getpid());

    assert_true(worker > 0);
    kill(worker, SIGKILL);
    usleep(50000);
    expect_recovery(setup);
}

/* One that is stopped is as little the trial's doing as one that is killed. */
static void test_stopped_while_idle(void **state)
{
    struct setup *setup = *state;
    const double begin = clock_wall_s();
    pid_t worker = child_of(getpid());

    assert_true(worker > 0);
    kill(worker, SIGSTOP);
    expect_recovery(setup);
    assert_true(clock_wall_s() - begin < PATIENCE_STOPPED_S + 5);
    assert_int_not_equal(kill(worker, 0), 0); /* and is not left behind */
}

/* A code larger than a socket holds blocks whoever sends it to a process that does not read. */
static void test_stopped_with_large_code(void **state)
{
    struct setup *setup = *state;
    const size_t size = 1 << 22;
    unsigned char *bytes = calloc(1, size);
    const struct code code = {bytes, size, "copy"};

    assert_non_null(bytes);
    expect_recovery(setup); /* from here on it has 30 s for its first word, rather than 120 */
    kill(child_of(getpid()), SIGSTOP);
    assert_int_equal(try_code(setup, &code, &setup->launch, NULL), OUTCOME_OK);
    free(bytes);
}

static void test_stopped_at_work(void **state)
{
    char path[] = "/tmp/occutune-stops-XXXXXX";
    struct setup *setup = *state;

    close(mkstemp(path));
    setenv("FAKE_STOPS", path, 1);
    worker_close(setup->worker);
    setup->worker = open_worker();
    assert_int_equal(try_entry(setup, "stops"), OUTCOME_OK);
    assert_int_not_equal(access(path, F_OK), 0);
    unsetenv("FAKE_STOPS");
    worker_close(setup->worker);
    setup->worker = open_worker();
    assert_int_equal(try_entry(setup, "stops"), OUTCOME_RUNTIME);
    expect_text(trial.message, "stopped by a signal, again and again");
    expect_recovery(setup);
}

/* NVML takes its time to start: while the context is made, not when it is asked for. */
static void test_nvml_ahead(void **state)
{
    struct setup *setup = *state;
    struct device device;
    struct power power;
    double copy_s, before_s;
    struct err err = {0};

    worker_close(setup->worker);
    setenv("OCCUTUNE_NVML", getenv("OCCUTUNE_CUDA_DRIVER"), 1);
    setenv("FAKE_NVML_S", "0.4", 1);
    setup->worker = open_worker();
    check_ok(worker_describe(&device, setup->worker, &err), &err);
    device_release(&device);
    check_ok(worker_copy(&copy_s, 1, setup->worker, 1024, &err), &err); /* waits for the context */
    before_s = clock_wall_s();
    check_ok(worker_power(&power, setup->worker, 0, &err), &err);
    assert_true(clock_wall_s() - before_s < 0.2);
    unsetenv("FAKE_NVML_S");
    unsetenv("OCCUTUNE_NVML");
}

/* Elements that the host makes go to the GPU from page-locked memory; where there is none, from any. */
static void test_staging(void **state)
{
    struct setup *setup = *state;
    const int n = 300000;

    launch_release(&setup->launch);
    make_copy_launch(&setup->launch, n);
    setup->protocol.deadline_s = 30; /* the pretended GPU is slow */
    setup->launch.arguments[0].fill = (struct fill){.kind = FILL_EXPRESSION, .expression = strdup("i % 100")};
    setenv("FAKE_LOCKED", "1000000", 1);
    worker_close(setup->worker);
    setup->worker = open_worker();
    assert_int_equal(try_entry(setup, "copy"), OUTCOME_OK);
    unsetenv("FAKE_LOCKED");
    setenv("FAKE_NO_STAGING", "1", 1);
    worker_close(setup->worker);
    setup->worker = open_worker();
    assert_int_equal(try_entry(setup, "copy"), OUTCOME_OK);
    unsetenv("FAKE_NO_STAGING");
}

/* A trial finds the buffers that were made ahead: the file that filled one need not be there any more. */
static void test_filled_ahead(void **state)
{
    static const char header[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (1000,), }";
    struct setup *setup = *state;
    char path[] = "/tmp/occutune-fill-XXXXXX";
    const unsigned short length = 118;
    FILE *file = fdopen(mkstemp(path), "wb");
    struct json *launch;
    float zeros[N] = {0};

    assert_non_null(file);
    fwrite("\223NUMPY\1\0", 1, 8, file);
    fwrite(&length, 2, 1, file);
    fprintf(file, "%-117s\n", header);
    fwrite(zeros, 1, sizeof zeros, file);
    fclose(file);
    setup->launch.arguments[0].fill = (struct fill){.kind = FILL_FILE, .path = strdup(path), .content = 1};
    launch = launch_to_json(&setup->launch);
    worker_fill(setup->worker, launch);
    js_free(launch);
    unlink(path);
    assert_int_equal(try_entry(setup, "copy"), OUTCOME_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_worker(test_describe),
        cmocka_unit_test(test_no_device),
        cmocka_unit_test(test_no_orphan),
        with_worker(test_killed_while_idle),
        with_worker(test_stopped_while_idle),
        with_worker(test_stopped_with_large_code),
        with_worker(test_stopped_at_work),
        with_worker(test_own_process_group),
        cmocka_unit_test(test_no_context),
        with_worker(test_nvml_ahead),
        with_worker(test_staging),
        with_worker(test_filled_ahead),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
