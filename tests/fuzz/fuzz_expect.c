/* Predicts every kernel of any bytes as a cubin, launched with a buffer for each parameter of 8 bytes and
 * zeros for the others. It ends within its budget and its memory, with finite times or a reason. */
#include "fuzz.h"

#include "model/predict/analyze.h"

#include <math.h>
#include <stdlib.h>

enum { BUDGET = 4000, ARGUMENTS = 16, COUNT = 4096 };

static struct machine *the_machine(void)
{
    static struct device device;
    static struct machine machine;
    static bool ready;

    if (!ready && (device_read(&device, FUZZ_PROFILE, NULL) || machine_init(&machine, &device, NULL)))
        abort();
    ready = true;
    return &machine;
}

static void make_launch(struct launch *out, struct argument *arguments, const struct cubin_kernel *kernel)
{
    static unsigned char zeros[ARGUMENTS * 8];
    static char name[] = "a";

    launch_init(out);
    out->grid[0] = 6;
    out->block[0] = 64;
    out->arguments = arguments;
    for (size_t k = 0; k < kernel->parameter_count && k < ARGUMENTS; k++) {
        const size_t size = kernel->parameters[k].bytes;

        arguments[k] = size == 8 ? (struct argument){.kind = ARGUMENT_BUFFER,
                                                     .name = name,
                                                     .type = ELEMENT_FLOAT32,
                                                     .count = COUNT,
                                                     .role = ROLE_INOUT,
                                                     .fill = {.kind = FILL_UNIFORM, .seed = 1, .b = 1}}
                                 : (struct argument){.kind = ARGUMENT_SCALAR,
                                                     .bytes = zeros,
                                                     .size = size < sizeof zeros ? size : sizeof zeros};
        out->argument_count++;
    }
}

static void check(const struct analysis *out)
{
    if (!out->predicted ? !out->reason[0]
                        : !(out->prediction.estimate_s > 0) || !isfinite(out->prediction.estimate_s))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct analyze_options options = {.warm = true, .account = true, .budget = BUDGET};
    struct argument arguments[ARGUMENTS];
    struct cubin cubin;

    if (cubin_init(&cubin, bytes, size, "fuzz.cubin", NULL))
        return 0;
    for (size_t k = 0; k < cubin.kernel_count && k < 3; k++) {
        struct analysis out;
        struct launch launch;

        make_launch(&launch, arguments, &cubin.kernels[k]);
        if (!launch_prepare(&launch, NULL)) {
            if (!analyze(&out, the_machine(), &cubin, &cubin.kernels[k], &launch, &options, NULL))
                check(&out);
            analysis_release(&out);
        }
    }
    cubin_release(&cubin);
    return 0;
}
