/* The energy of a launch, and idle power, on a real GPU: compared with NVML read directly, around ten times as many
 * launches that this process makes by itself. */
#include "trial_setup.h"

#include "base/clock.h"

#include "gpu/compile.h"
#include "gpu/driver.h"

#include <dlfcn.h>
#include <unistd.h>

enum { VECTORS = 1 << 24, CHUNK_MS = 50 };
static const double tolerance = 0.03, warm_s = 1, window_s = 6;

static struct compiler *compiler;
static struct worker *worker;
static struct device device;

/* NVML by itself, as any monitor uses it. */
static struct {
    int (*energy)(void *, unsigned long long *);
    int (*power)(void *, unsigned *);
    void *device;
} nvml;

static int open_nvml(void)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    int (*init)(void), (*find)(unsigned, void **);

    if (!library)
        return 77;
    *(void **)&init = dlsym(library, "nvmlInit_v2");
    *(void **)&find = dlsym(library, "nvmlDeviceGetHandleByIndex_v2");
    *(void **)&nvml.energy = dlsym(library, "nvmlDeviceGetTotalEnergyConsumption");
    *(void **)&nvml.power = dlsym(library, "nvmlDeviceGetPowerUsage");
    return init && find && nvml.energy && nvml.power && !init() && !find(0, &nvml.device) ? 0 : 77;
}

static double joules(void)
{
    unsigned long long millijoules = 0;

    assert_int_equal(nvml.energy(nvml.device, &millijoules), 0);
    return 1e-3 * (double)millijoules;
}

static double watts(void)
{
    unsigned milliwatts = 0;

    assert_int_equal(nvml.power(nvml.device, &milliwatts), 0);
    return 1e-3 * milliwatts;
}

static void test_idle(void **state)
{
    struct power power;
    struct err err = {0};
    double began_s, began_j, direct_w;

    check_ok(worker_power(&power, worker, 1.5, &err), &err);
    began_s = clock_wall_s();
    began_j = joules();
    usleep(4000000);
    direct_w = (joules() - began_j) / (clock_wall_s() - began_s);
    print_message("idle: %.2f W, by the counter over 4 s %.2f W, by NVML's power %.2f W; the counter changes "
                  "every %.1f ms\n",
                  power.idle_w, direct_w, watts(), 1e3 * power.counter_update_s);
    check_near(power.idle_w, direct_w, tolerance * direct_w);
}

/* Launches by this process, a chunk after the other. */
struct direct {
    struct gpu *gpu;
    gpu_module module;
    gpu_function function;
    gpu_address in, out;
    struct launch launch;
    int n;
};

static void open_direct(struct direct *d, const struct compile_result *compiled, const struct launch *launch)
{
    float *values = malloc((size_t)VECTORS * 16);
    struct function_facts facts;
    struct err err = {0};

    assert_non_null(values);
    srand(1);
    for (size_t i = 0; i < (size_t)VECTORS * 4; i++)
        values[i] = (float)(2.0 * rand() / RAND_MAX - 1);
    *d = (struct direct){.launch = *launch, .n = VECTORS};
    check_ok(gpu_open(&d->gpu, 0, &err) || gpu_load(&d->module, d->gpu, compiled->cubin, &err) ||
                 gpu_find_function(&d->function, d->gpu, d->module, compiled->entry, &err) ||
                 gpu_prepare(&facts, d->gpu, d->function, &d->launch, &err) ||
                 gpu_alloc(&d->in, d->gpu, (size_t)VECTORS * 16, &err) ||
                 gpu_alloc(&d->out, d->gpu, (size_t)VECTORS * 16, &err) ||
                 gpu_upload(d->gpu, d->in, values, (size_t)VECTORS * 16, &err),
             &err);
    free(values);
}

static void launch_many(struct direct *d, unsigned count)
{
    void *parameters[] = {&d->out, &d->in, &d->n};
    struct err err = {0};

    for (unsigned k = 0; k < count; k++)
        check_ok(gpu_launch(d->gpu, d->function, &d->launch, parameters, &err), &err);
    check_ok(gpu_synchronize(d->gpu, &err), &err);
}

/* Joules of one launch, over `window_s` of them. */
static double direct_energy(struct direct *d, double time_s, double *power_w)
{
    const unsigned chunk = (unsigned)(1e-3 * CHUNK_MS / time_s) + 1;
    double began_s = clock_wall_s(), began_j;
    unsigned long launches = 0;

    while (clock_wall_s() < began_s + warm_s)
        launch_many(d, chunk);
    began_s = clock_wall_s();
    began_j = joules();
    while (clock_wall_s() < began_s + window_s) {
        launch_many(d, chunk);
        launches += chunk;
    }
    *power_w = watts();
    return (joules() - began_j) / (double)launches;
}

static void compile(struct compile_result *out, const char *name)
{
    char arch[16];
    struct compile_request request = {
        .source_path = "tests/gpu/energy.cu", .name = name, .arch = arch, .deadline_s = 60};
    struct err err = {0};

    snprintf(arch, sizeof arch, "sm_%u", device.sm);
    check_ok(compile_cubin(out, compiler, &request, &err), &err);
    if (out->outcome != OUTCOME_OK)
        fail_msg("%s", out->diagnostic);
}

static void compare(const char *name, unsigned blocks)
{
    struct compile_result compiled;
    struct protocol protocol;
    struct launch launch;
    struct trial trial;
    struct direct d;
    struct code code;
    double direct_j, direct_w;
    const int n = VECTORS;

    compile(&compiled, name);
    code = (struct code){compiled.cubin, compiled.cubin_bytes, compiled.entry};
    launch_init(&launch);
    launch.grid[0] = blocks;
    launch.block[0] = 256;
    add_buffer(&launch, "out", ELEMENT_FLOAT32, 4ull * VECTORS, ROLE_OUT);
    add_buffer(&launch, "in", ELEMENT_FLOAT32, 4ull * VECTORS, ROLE_IN);
    add_scalar(&launch, &n, sizeof n);
    protocol_init(&protocol);
    protocol.energy_s = 0.75;
    if (try_variant(&trial, worker, &code, &launch, NULL, &protocol) != OUTCOME_OK)
        fail_msg("%s", trial.message);
    open_direct(&d, &compiled, &launch);
    direct_j = direct_energy(&d, trial.time_s, &direct_w);
    print_message(
        "%s: %.4f us, %.5g mJ a launch at %.1f W over %.2f s; directly over %g s %.5g mJ (%+.2f %%), NVML's "
        "power %.1f W\n",
        name, 1e6 * trial.time_s, 1e3 * trial.energy_j, trial.power_w, trial.energy_window_s, window_s,
        1e3 * direct_j, 100 * (trial.energy_j / direct_j - 1), direct_w);
    check_near(trial.energy_j, direct_j, tolerance * direct_j);
    gpu_close(d.gpu);
    trial_release(&trial);
    launch_release(&launch);
    compile_result_release(&compiled);
}

static void test_memory(void **state)
{
    compare("move", 132 * 16);
}

static void test_compute(void **state)
{
    compare("multiply", 132 * 64);
}

int main(void)
{
    struct err err = {0};
    int failed;

    if (compiler_open(&compiler, NULL, NULL, &err) || worker_open(&worker, 0, NULL, &err) ||
        worker_describe(&device, worker, &err)) {
        fprintf(stderr, "%s: %s\n", err.code == ERR_MISSING ? "SKIPPED" : "failed", err.text);
        compiler_close(compiler);
        return err.code == ERR_MISSING ? 77 : 1;
    }
    failed = open_nvml();
    if (failed)
        fprintf(stderr, "SKIPPED: no NVML\n");
    else
        failed = RUN_TESTS(test_idle, test_memory, test_compute);
    worker_close(worker);
    compiler_close(compiler);
    device_release(&device);
    return failed;
}
