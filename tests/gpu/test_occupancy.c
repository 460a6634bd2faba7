/* The occupancy calculator against the driver's own answer, over more than 10,000 combinations of registers,
 * static and dynamic shared memory, block, barriers and carve-out. */
#include "check.h"

#include "gpu/compile.h"
#include "gpu/driver.h"
#include "model/sass/cubin.h"
#include "model/machine/occupancy.h"

static struct compiler *compiler;
static struct gpu *gpu;
static struct device device;

static int open_all(void **state)
{
    struct err err = {0};
    int count = 0;

    if (gpu_count(&count, &err) || count == 0 || compiler_open(&compiler, NULL, NULL, &err)) {
        print_message("skipped: %s\n", err.code ? err.text : "there is no GPU");
        exit(77);
    }
    if (gpu_open(&gpu, 0, &err) || gpu_describe(&device, gpu, &err)) {
        print_error("%s\n", err.text);
        return -1;
    }
    return 0;
}

static int close_all(void **state)
{
    gpu_close(gpu);
    compiler_close(compiler);
    device_release(&device);
    return 0;
}

struct kernel {
    struct compile_result compiled;
    struct cubin_resources resources;
};

static void compile(struct kernel *out, unsigned registers, unsigned barriers, unsigned shared)
{
    char options[3][32], arch[16];
    const char *const list[] = {options[0], options[1], options[2]};
    const struct compile_request request = {.source_path = "tests/gpu/occupancy.cu",
                                            .name = "occupancy",
                                            .options = list,
                                            .option_count = 3,
                                            .arch = arch,
                                            .deadline_s = 60};
    const struct cubin_kernel *found = NULL;
    struct cubin cubin;
    struct err err = {0};

    snprintf(arch, sizeof arch, "sm_%u", device.sm);
    snprintf(options[0], sizeof options[0], "-DREGISTERS=%u", registers);
    snprintf(options[1], sizeof options[1], "-DBARRIERS=%u", barriers);
    snprintf(options[2], sizeof options[2], "-DSHARED=%u", shared);
    if (compile_cubin(&out->compiled, compiler, &request, &err) || out->compiled.outcome != OUTCOME_OK ||
        cubin_init(&cubin, out->compiled.cubin, out->compiled.cubin_bytes, "occupancy.cu", &err) ||
        cubin_find(&found, &cubin, "occupancy", &err))
        fail_msg("%s%s", err.text, out->compiled.diagnostic ? out->compiled.diagnostic : "");
    out->resources = found->resources;
    cubin_release(&cubin);
}

static void compare(const struct kernel *kernel, gpu_function function, const struct launch *launch)
{
    const struct occupancy_block block = occupancy_block_of(launch, &kernel->resources);
    struct function_facts facts;
    struct occupancy occupancy;
    struct err err = {0};

    check_ok(gpu_prepare(&facts, gpu, function, launch, &err), &err);
    occupancy_of(&occupancy, &device.limits, &block);
    if ((int)occupancy.blocks != facts.blocks_per_sm)
        fail_msg("%u threads, %u registers, %u + %u bytes, %u barriers, carve-out %d: %u blocks, the driver "
                 "says %d",
                 block.threads, block.registers, kernel->resources.shared_bytes, launch->shared_bytes,
                 block.barriers, launch->carveout, occupancy.blocks, facts.blocks_per_sm);
}

/* The carve-out sticks to a function, so the driver's choice comes before any preference. */
static size_t sweep(const struct kernel *kernel, gpu_function function)
{
    static const int carveouts[] = {-1, 0, 30, 60, 100};
    const unsigned most = (unsigned)device.limits.shared_per_block_optin - kernel->resources.shared_bytes;
    size_t compared = 0;

    for (size_t c = 0; c < sizeof carveouts / sizeof *carveouts; c++)
        for (unsigned threads = 32; threads <= 1024; threads += 62)
            for (unsigned part = 0; part <= 6; part++) {
                const struct launch launch = {.grid = {1, 1, 1},
                                              .block = {threads, 1, 1},
                                              .shared_bytes = (unsigned)((uint64_t)most * part * part / 36),
                                              .carveout = carveouts[c]};

                compare(kernel, function, &launch);
                compared++;
            }
    return compared;
}

static void equal_to_the_driver_everywhere(void **state)
{
    static const unsigned registers[] = {8, 24, 40, 64, 100, 150, 220}, barriers[] = {0, 1, 6, 16};
    size_t compared = 0;

    for (size_t r = 0; r < sizeof registers / sizeof *registers; r++)
        for (size_t b = 0; b < sizeof barriers / sizeof *barriers; b++) {
            struct kernel kernel;
            gpu_function function = NULL;
            gpu_module module = NULL;
            struct err err = {0};

            compile(&kernel, registers[r], barriers[b], (unsigned)(b * 1000));
            check_ok(gpu_load(&module, gpu, kernel.compiled.cubin, &err) ||
                         gpu_find_function(&function, gpu, module, "occupancy", &err),
                     &err);
            compared += sweep(&kernel, function);
            gpu_unload(gpu, module);
            compile_result_release(&kernel.compiled);
        }
    print_message("%zu combinations compared\n", compared);
    assert_true(compared >= 10000);
}

int main(void)
{
    return RUN_TESTS_IN(open_all, close_all, equal_to_the_driver_everywhere);
}
