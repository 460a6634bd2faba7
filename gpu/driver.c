#include "gpu/driver_cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static int load_driver(struct driver *driver, struct err *err)
{
    const char *named = getenv("OCCUTUNE_CUDA_DRIVER");
    const char *path = named && *named ? named : "libcuda.so.1";
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CUresult result;

    if (!library)
        return err_set(err, ERR_MISSING, "no CUDA driver: %s", dlerror());
#define LOAD(field, symbol, parameters)                                                                      \
    *(void **)&driver->field = dlsym(library, symbol);                                                       \
    if (!driver->field)                                                                                      \
        return err_set(err, ERR_MISSING, "%s has no %s: CUDA 12 or newer is needed", path, symbol);
    FUNCTIONS(LOAD)
#undef LOAD
    result = driver->init(0);
    if (result == CUDA_ERROR_NO_DEVICE)
        return err_set(err, ERR_MISSING, "no CUDA device");
    if (result)
        return err_set(err, ERR_MISSING, "the CUDA driver does not start (error %d)", (int)result);
    return 0;
}

/* Errors after which every call in the context fails. */
static bool breaks_context(CUresult result)
{
    switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_UNKNOWN:
        return true;
    default:
        return false;
    }
}

int driver_check(struct gpu *gpu, CUresult result, const char *what, struct err *err)
{
    const char *name = NULL, *text = NULL;

    if (!result)
        return 0;
    if (breaks_context(result))
        gpu->lost = true;
    gpu->driver.error_name(result, &name);
    gpu->driver.error_string(result, &text);
    return err_set(err, result == CUDA_ERROR_OUT_OF_MEMORY ? ERR_MEMORY : ERR_GPU, "%s: %s (%s)", what,
                   text ? text : "unknown error", name ? name : "?");
}

int gpu_count(int *out, struct err *err)
{
    struct driver driver;
    struct err local = {0};

    *out = 0;
    if (load_driver(&driver, &local))
        return local.code == ERR_MISSING ? 0 : err_set(err, (enum err_code)local.code, "%s", local.text);
    return driver.device_count(out) ? err_set(err, ERR_GPU, "the CUDA driver does not count its devices") : 0;
}

static uint64_t attribute(const struct gpu *gpu, CUdevice_attribute which)
{
    int value = 0;

    return gpu->driver.device_attribute(&value, which, gpu->device) || value < 0 ? 0 : (uint64_t)value;
}

static int find_device(struct gpu *gpu, int device, struct err *err)
{
    const int *count = &gpu->device_count;

    if (gpu->driver.device_count(&gpu->device_count) || device < 0 || device >= *count)
        return err_set(err, ERR_MISSING, "no CUDA device %d: there %s %d", device, *count == 1 ? "is" : "are",
                       *count);
    if (driver_check(gpu, gpu->driver.device_get(&gpu->device, device), "device", err))
        return err ? err->code : ERR_GPU;
    gpu->sm_count = (unsigned)attribute(gpu, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    gpu->l2_bytes = attribute(gpu, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    return 0;
}

int gpu_find(struct gpu **out, int device, struct err *err)
{
    struct gpu *gpu = calloc(1, sizeof *gpu);
    int rc;

    *out = NULL;
    if (!gpu)
        return err_memory(err);
    rc = load_driver(&gpu->driver, err);
    if (!rc)
        rc = find_device(gpu, device, err);
    if (rc)
        gpu_close(gpu);
    else
        *out = gpu;
    return rc;
}

int gpu_start(struct gpu *gpu, struct err *err)
{
    if (driver_check(gpu, gpu->driver.context_retain(&gpu->context, gpu->device), "context", err) ||
        driver_check(gpu, gpu->driver.context_set(gpu->context), "context", err) ||
        driver_check(gpu, gpu->driver.stream_create(&gpu->stream, CU_STREAM_NON_BLOCKING), "stream", err)) {
        gpu_stop(gpu);
        return err ? err->code : ERR_GPU;
    }
    return 0;
}

void gpu_stop(struct gpu *gpu)
{
    if (gpu->staging)
        gpu->driver.free_host(gpu->staging);
    gpu->staging = NULL;
    if (gpu->stream)
        gpu->driver.stream_destroy(gpu->stream);
    if (gpu->context)
        gpu->driver.context_release(gpu->device);
    gpu->stream = NULL;
    gpu->context = NULL;
}

int gpu_open(struct gpu **out, int device, struct err *err)
{
    int rc = gpu_find(out, device, err);

    if (rc)
        return rc;
    rc = gpu_start(*out, err);
    if (rc) {
        gpu_close(*out);
        *out = NULL;
    }
    return rc;
}

int gpu_context(uint64_t *out, const struct gpu *gpu, struct err *err)
{
    CUcontext context = NULL;
    unsigned long long id = 0;

    *out = 0;
    if (gpu->driver.context_current(&context) || !context)
        return err_set(
            err, ERR_USAGE,
            "no CUDA context is current on this thread: call cuCtxSetCurrent, or cudaSetDevice and "
            "cudaFree(0), first");
    if (gpu->driver.context_id(context, &id))
        return err_set(err, ERR_USAGE, "the CUDA context that is current was destroyed");
    *out = id;
    return 0;
}

int gpu_attach(struct gpu **out, struct err *err)
{
    struct gpu *gpu = calloc(1, sizeof *gpu);
    uint64_t id;
    int rc;

    *out = NULL;
    if (!gpu)
        return err_memory(err);
    rc = load_driver(&gpu->driver, err);
    if (!rc)
        rc = gpu_context(&id, gpu, err);
    if (!rc)
        rc = driver_check(gpu, gpu->driver.context_device(&gpu->device), "device", err);
    if (rc)
        gpu_close(gpu);
    else
        *out = gpu;
    return rc;
}

void gpu_close(struct gpu *gpu)
{
    if (!gpu)
        return;
    gpu_stop(gpu);
    free(gpu);
}

bool gpu_lost(const struct gpu *gpu)
{
    return gpu->lost;
}

int gpu_devices(const struct gpu *gpu)
{
    return gpu->device_count;
}

unsigned gpu_sm_count(const struct gpu *gpu)
{
    return gpu->sm_count;
}

int gpu_pci(char *out, size_t size, struct gpu *gpu, struct err *err)
{
    *out = '\0';
    return driver_check(gpu, gpu->driver.device_pci(out, (int)size, gpu->device),
                        "the device's place on the bus", err);
}

bool gpu_is_exclusive(const struct gpu *gpu)
{
    return attribute(gpu, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE) == CU_COMPUTEMODE_EXCLUSIVE_PROCESS;
}

uint64_t gpu_clock_hz(const struct gpu *gpu)
{
    return 1000 * attribute(gpu, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
}

void *gpu_stream(const struct gpu *gpu)
{
    return gpu->stream;
}

size_t gpu_l2_bytes(const struct gpu *gpu)
{
    return gpu->l2_bytes;
}

/* The limits that the driver knows, by the attribute that says them. */
static void describe_limits(struct device_limits *limits, const struct gpu *gpu)
{
    const struct {
        uint64_t *limit;
        CUdevice_attribute attribute;
        uint64_t unit;
    } known[] = {
        {&limits->sm_count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 1},
        {&limits->warp_size, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1},
        {&limits->blocks_per_sm, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 1},
        {&limits->threads_per_block, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1},
        {&limits->registers_per_sm, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 1},
        {&limits->registers_per_block, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 1},
        {&limits->shared_per_sm, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 1},
        {&limits->shared_per_block, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 1},
        {&limits->shared_per_block_optin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 1},
        {&limits->shared_reserved, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1},
        {&limits->l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 1},
        {&limits->constant_bytes, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 1},
        {&limits->memory_bus_bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 1},
        {&limits->sm_clock_hz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1000},
        {&limits->memory_clock_hz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 1000},
        {&limits->block_x_max, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1},
        {&limits->block_y_max, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1},
        {&limits->block_z_max, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 1},
        {&limits->grid_x_max, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 1},
        {&limits->grid_y_max, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 1},
        {&limits->grid_z_max, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 1},
    };
    uint64_t threads = attribute(gpu, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint64_t value = attribute(gpu, known[i].attribute);

        if (value || known[i].attribute == CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK)
            *known[i].limit = value * known[i].unit;
    }
    if (threads && limits->warp_size)
        limits->warps_per_sm = threads / limits->warp_size;
}

int gpu_describe(struct device *out, const struct gpu *gpu, struct err *err)
{
    size_t memory = 0;
    int version = 0, rc;

    device_init(out);
    out->sm = (unsigned)(10 * attribute(gpu, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                         attribute(gpu, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
    rc = device_limits_of(&out->limits, out->sm, err);
    if (rc)
        return rc;
    gpu->driver.device_name(out->name, sizeof out->name, gpu->device);
    gpu->driver.driver_version(&version);
    snprintf(out->driver, sizeof out->driver, "%d.%d", version / 1000, version % 1000 / 10);
    describe_limits(&out->limits, gpu);
    if (!gpu->driver.device_memory(&memory, gpu->device))
        out->limits.memory_bytes = memory;
    return 0;
}
