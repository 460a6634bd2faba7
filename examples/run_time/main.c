/* Scales vectors of two sizes in a CUDA context of its own, with the configuration that was tuned for this
 * GPU.
 *
 *   scale SPEC [DECISION]...      Exit status 77: there is no GPU. */
#include <cuda.h>
#include <occutune.h>

#include <stdio.h>
#include <stdlib.h>

static const float factor = 3;

static void check(CUresult result, const char *what)
{
    const char *text = NULL;

    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorString(result, &text);
    fprintf(stderr, "scale: %s: %s\n", what, text ? text : "unknown error");
    exit(1);
}

static void say(void *context, const char *text)
{
    (void)context;
    fprintf(stderr, "scale: %s\n", text);
}

static void open_context(void)
{
    CUdevice device;
    CUcontext context;
    int count = 0;

    if (cuInit(0) != CUDA_SUCCESS || cuDeviceGetCount(&count) != CUDA_SUCCESS || !count) {
        fprintf(stderr, "scale: skipped, there is no GPU\n");
        exit(77);
    }
    check(cuDeviceGet(&device, 0), "device");
    check(cuDevicePrimaryCtxRetain(&context, device), "context");
    check(cuCtxSetCurrent(context), "context");
}

/* Decisions that cannot be used are said and left out: the kernel works without. */
static occutune_kernel *open_kernel(const char *spec, char **paths, int count)
{
    occutune_decision **decisions = calloc((size_t)count + 1, sizeof *decisions);
    struct occutune_options options;
    struct occutune_error error = {0};
    occutune_kernel *kernel;
    size_t used = 0, d;

    if (!decisions)
        exit(1);
    for (int i = 0; i < count; i++) {
        if (occutune_load(&decisions[used], paths[i], &error))
            say(NULL, error.text);
        else
            used++;
    }
    occutune_options_init(&options);
    options.message = say;
    if (occutune_kernel_open(&kernel, spec, decisions, used, &options, &error)) {
        say(NULL, error.text);
        exit(1);
    }
    for (d = 0; d < used; d++)
        occutune_free(decisions[d]);
    free(decisions);
    return kernel;
}

/* Asks for the launch each time: that costs a microsecond. */
static void scale(occutune_kernel *kernel, CUdeviceptr x, CUdeviceptr y, int n, CUstream stream)
{
    void *arguments[] = {&x, &y, &n};
    struct occutune_launch launch;
    struct occutune_error error;
    CUdeviceptr symbol;
    size_t bytes;

    if (occutune_kernel_get(&launch, kernel, &(double){n}, &error)) {
        say(NULL, error.text);
        exit(1);
    }
    check(cuModuleGetGlobal(&symbol, &bytes, launch.module, "factor"), "factor");
    check(cuMemcpyHtoDAsync(symbol, &factor, bytes, stream), "factor");
    check(cuLaunchKernel(launch.function, launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0],
                         launch.block[1], launch.block[2], launch.shared_dynamic_bytes, stream, arguments,
                         NULL),
          "launch");
    printf("n = %d: %s", n, launch.configuration);
}

static int run(occutune_kernel *kernel, int n, CUstream stream)
{
    const size_t bytes = (size_t)n * sizeof(float);
    float *host = malloc(bytes);
    CUdeviceptr x, y;
    int i, wrong = 0;

    if (!host)
        exit(1);
    for (i = 0; i < n; i++)
        host[i] = (float)(i % 1000);
    check(cuMemAlloc(&x, bytes), "memory");
    check(cuMemAlloc(&y, bytes), "memory");
    check(cuMemcpyHtoDAsync(x, host, bytes, stream), "upload");
    scale(kernel, x, y, n, stream);
    check(cuMemcpyDtoHAsync(host, y, bytes, stream), "download");
    check(cuStreamSynchronize(stream), "kernel");
    for (i = 0; i < n; i++)
        wrong += host[i] != factor * (float)(i % 1000);
    check(cuMemFree(x), "memory");
    check(cuMemFree(y), "memory");
    free(host);
    printf(": %s\n", wrong ? "wrong" : "right");
    return wrong != 0;
}

int main(int argc, char **argv)
{
    occutune_kernel *kernel;
    CUstream stream;
    int failed;

    if (argc < 2) {
        fprintf(stderr, "usage: scale SPEC [DECISION]...\n");
        return 2;
    }
    open_context();
    check(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "stream");
    kernel = open_kernel(argv[1], argv + 2, argc - 2);
    failed = run(kernel, 65536, stream) | run(kernel, 1048576, stream);
    occutune_kernel_close(kernel);
    check(cuStreamDestroy(stream), "stream");
    return failed;
}
