#include "gpu/driver.h"

#include <cuda.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The functions used: field, symbol in the library, parameters. The symbols are written out because cuda.h
 * renames functions to whatever version it prefers, and an older driver may not have that. */
#define FUNCTIONS(X)                                                                                         \
    X(init, "cuInit", (unsigned))                                                                            \
    X(driver_version, "cuDriverGetVersion", (int *))                                                         \
    X(error_name, "cuGetErrorName", (CUresult, const char **))                                               \
    X(error_string, "cuGetErrorString", (CUresult, const char **))                                           \
    X(device_count, "cuDeviceGetCount", (int *))                                                             \
    X(device_get, "cuDeviceGet", (CUdevice *, int))                                                          \
    X(device_name, "cuDeviceGetName", (char *, int, CUdevice))                                               \
    X(device_attribute, "cuDeviceGetAttribute", (int *, CUdevice_attribute, CUdevice))                       \
    X(device_memory, "cuDeviceTotalMem_v2", (size_t *, CUdevice))                                            \
    X(context_retain, "cuDevicePrimaryCtxRetain", (CUcontext *, CUdevice))                                   \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (CUdevice))                                           \
    X(context_set, "cuCtxSetCurrent", (CUcontext))                                                           \
    X(context_current, "cuCtxGetCurrent", (CUcontext *))                                                     \
    X(context_id, "cuCtxGetId", (CUcontext, unsigned long long *))                                           \
    X(context_device, "cuCtxGetDevice", (CUdevice *))                                                        \
    X(alloc, "cuMemAlloc_v2", (CUdeviceptr *, size_t))                                                       \
    X(free, "cuMemFree_v2", (CUdeviceptr))                                                                   \
    X(upload, "cuMemcpyHtoDAsync_v2", (CUdeviceptr, const void *, size_t, CUstream))                         \
    X(download, "cuMemcpyDtoHAsync_v2", (void *, CUdeviceptr, size_t, CUstream))                             \
    X(copy, "cuMemcpyDtoDAsync_v2", (CUdeviceptr, CUdeviceptr, size_t, CUstream))                            \
    X(set, "cuMemsetD8Async", (CUdeviceptr, unsigned char, size_t, CUstream))                                \
    X(module_load, "cuModuleLoadData", (CUmodule *, const void *))                                           \
    X(module_unload, "cuModuleUnload", (CUmodule))                                                           \
    X(module_function, "cuModuleGetFunction", (CUfunction *, CUmodule, const char *))                        \
    X(module_global, "cuModuleGetGlobal_v2", (CUdeviceptr *, size_t *, CUmodule, const char *))              \
    X(function_attribute, "cuFuncGetAttribute", (int *, CUfunction_attribute, CUfunction))                   \
    X(function_set, "cuFuncSetAttribute", (CUfunction, CUfunction_attribute, int))                           \
    X(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor", (int *, CUfunction, int, size_t))            \
    X(launch, "cuLaunchKernel",                                                                              \
      (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **,  \
       void **))                                                                                             \
    X(stream_create, "cuStreamCreate", (CUstream *, unsigned))                                               \
    X(stream_destroy, "cuStreamDestroy_v2", (CUstream))                                                      \
    X(stream_synchronize, "cuStreamSynchronize", (CUstream))                                                 \
    X(stream_capture, "cuStreamBeginCapture_v2", (CUstream, CUstreamCaptureMode))                            \
    X(stream_capture_end, "cuStreamEndCapture", (CUstream, CUgraph *))                                       \
    X(event_create, "cuEventCreate", (CUevent *, unsigned))                                                  \
    X(event_destroy, "cuEventDestroy_v2", (CUevent))                                                         \
    X(event_record, "cuEventRecordWithFlags", (CUevent, CUstream, unsigned))                                 \
    X(event_elapsed, "cuEventElapsedTime", (float *, CUevent, CUevent))                                      \
    X(graph_instantiate, "cuGraphInstantiateWithFlags", (CUgraphExec *, CUgraph, unsigned long long))        \
    X(graph_destroy, "cuGraphDestroy", (CUgraph))                                                            \
    X(graph_launch, "cuGraphLaunch", (CUgraphExec, CUstream))                                                \
    X(graph_exec_destroy, "cuGraphExecDestroy", (CUgraphExec))

struct driver {
#define FIELD(field, symbol, parameters) CUresult(*field) parameters;
    FUNCTIONS(FIELD)
#undef FIELD
};

struct gpu {
    struct driver driver;
    CUdevice device;
    CUcontext context;
    CUstream stream;
    unsigned sm_count;
    size_t l2_bytes;
    bool capturing, lost;
};

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

/* Turns a result into an error; `what` names the call in the user's terms. */
static int check(struct gpu *gpu, CUresult result, const char *what, struct err *err)
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

static int open_context(struct gpu *gpu, int device, struct err *err)
{
    int count = 0;

    if (gpu->driver.device_count(&count) || device < 0 || device >= count)
        return err_set(err, ERR_MISSING, "no CUDA device %d: there %s %d", device, count == 1 ? "is" : "are",
                       count);
    if (check(gpu, gpu->driver.device_get(&gpu->device, device), "device", err) ||
        check(gpu, gpu->driver.context_retain(&gpu->context, gpu->device), "context", err) ||
        check(gpu, gpu->driver.context_set(gpu->context), "context", err) ||
        check(gpu, gpu->driver.stream_create(&gpu->stream, CU_STREAM_NON_BLOCKING), "stream", err))
        return err ? err->code : ERR_GPU;
    gpu->sm_count = (unsigned)attribute(gpu, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    gpu->l2_bytes = attribute(gpu, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    return 0;
}

int gpu_open(struct gpu **out, int device, struct err *err)
{
    struct gpu *gpu = calloc(1, sizeof *gpu);
    int rc;

    *out = NULL;
    if (!gpu)
        return err_memory(err);
    rc = load_driver(&gpu->driver, err);
    if (!rc)
        rc = open_context(gpu, device, err);
    if (rc)
        gpu_close(gpu);
    else
        *out = gpu;
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
        rc = check(gpu, gpu->driver.context_device(&gpu->device), "device", err);
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
    if (gpu->stream)
        gpu->driver.stream_destroy(gpu->stream);
    if (gpu->context)
        gpu->driver.context_release(gpu->device);
    free(gpu);
}

bool gpu_lost(const struct gpu *gpu)
{
    return gpu->lost;
}

unsigned gpu_sm_count(const struct gpu *gpu)
{
    return gpu->sm_count;
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
    size_t i;

    for (i = 0; i < sizeof known / sizeof *known; i++) {
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

int gpu_alloc(gpu_address *out, struct gpu *gpu, size_t bytes, struct err *err)
{
    CUdeviceptr pointer = 0;
    CUresult result = gpu->driver.alloc(&pointer, bytes ? bytes : 1);

    *out = pointer;
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        return err_set(err, ERR_MEMORY, "the GPU has no room for %zu bytes", bytes);
    return check(gpu, result, "allocation", err);
}

void gpu_free(struct gpu *gpu, gpu_address address)
{
    if (address)
        gpu->driver.free(address);
}

int gpu_upload(struct gpu *gpu, gpu_address to, const void *from, size_t bytes, struct err *err)
{
    int rc = check(gpu, gpu->driver.upload(to, from, bytes, gpu->stream), "upload", err);

    return rc ? rc : gpu_synchronize(gpu, err);
}

int gpu_download(void *to, struct gpu *gpu, gpu_address from, size_t bytes, struct err *err)
{
    int rc = check(gpu, gpu->driver.download(to, from, bytes, gpu->stream), "download", err);

    return rc ? rc : gpu_synchronize(gpu, err);
}

int gpu_copy(struct gpu *gpu, gpu_address to, gpu_address from, size_t bytes, struct err *err)
{
    return bytes ? check(gpu, gpu->driver.copy(to, from, bytes, gpu->stream), "copy", err) : 0;
}

int gpu_set(struct gpu *gpu, gpu_address to, unsigned char byte, size_t bytes, struct err *err)
{
    return bytes ? check(gpu, gpu->driver.set(to, byte, bytes, gpu->stream), "memset", err) : 0;
}

int gpu_load(gpu_module *out, struct gpu *gpu, const void *image, struct err *err)
{
    return check(gpu, gpu->driver.module_load((CUmodule *)out, image), "loading the code", err);
}

void gpu_unload(struct gpu *gpu, gpu_module module)
{
    if (module)
        gpu->driver.module_unload(module);
}

int gpu_find_function(gpu_function *out, struct gpu *gpu, gpu_module module, const char *name,
                      struct err *err)
{
    return check(gpu, gpu->driver.module_function((CUfunction *)out, module, name), name, err);
}

int gpu_find_symbol(gpu_address *out, size_t *bytes, struct gpu *gpu, gpu_module module, const char *name,
                    struct err *err)
{
    CUdeviceptr pointer = 0;
    int rc = check(gpu, gpu->driver.module_global(&pointer, bytes, module, name), name, err);

    *out = pointer;
    return rc;
}

/* Clusters of more than 8 thread blocks run only where they are asked for. A driver that does not know
 * clusters has no kernel with one. */
static int allow_cluster(struct gpu *gpu, gpu_function function, struct err *err)
{
    static const CUfunction_attribute dimensions[] = {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
                                                      CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT,
                                                      CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH};
    int blocks = 1, n, i;

    for (i = 0; i < 3; i++) {
        if (gpu->driver.function_attribute(&n, dimensions[i], function))
            return 0;
        blocks *= n;
    }
    if (blocks <= 8)
        return 0;
    return check(gpu,
                 gpu->driver.function_set(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
                 "allowing a cluster of more than 8 thread blocks", err);
}

int gpu_prepare(struct function_facts *out, struct gpu *gpu, gpu_function function,
                const struct launch *launch, struct err *err)
{
    const struct driver *driver = &gpu->driver;
    int threads = (int)launch_threads(launch);

    if (allow_cluster(gpu, function, err))
        return err ? err->code : ERR_GPU;
    if (launch->shared_bytes &&
        check(gpu,
              driver->function_set(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                   (int)launch->shared_bytes),
              "opting in to dynamic shared memory", err))
        return err ? err->code : ERR_GPU;
    if (launch->carveout >= 0 &&
        check(gpu,
              driver->function_set(function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                                   launch->carveout),
              "preferring a carve-out", err))
        return err ? err->code : ERR_GPU;
    if (check(gpu, driver->function_attribute(&out->registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function),
              "registers", err) ||
        check(gpu,
              driver->function_attribute(&out->shared_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function),
              "shared memory", err) ||
        check(gpu,
              driver->function_attribute(&out->local_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function),
              "local memory", err) ||
        check(gpu, driver->occupancy(&out->blocks_per_sm, function, threads, launch->shared_bytes),
              "occupancy", err))
        return err ? err->code : ERR_GPU;
    return 0;
}

int gpu_launch(struct gpu *gpu, gpu_function function, const unsigned grid[3], const unsigned block[3],
               unsigned shared_bytes, void **parameters, struct err *err)
{
    return check(gpu,
                 gpu->driver.launch(function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                    shared_bytes, gpu->stream, parameters, NULL),
                 "launch", err);
}

int gpu_synchronize(struct gpu *gpu, struct err *err)
{
    return check(gpu, gpu->driver.stream_synchronize(gpu->stream), "the kernel failed", err);
}

int gpu_event_create(gpu_event *out, struct gpu *gpu, struct err *err)
{
    return check(gpu, gpu->driver.event_create((CUevent *)out, CU_EVENT_DEFAULT), "event", err);
}

void gpu_event_free(struct gpu *gpu, gpu_event event)
{
    if (event)
        gpu->driver.event_destroy(event);
}

int gpu_record(struct gpu *gpu, gpu_event event, struct err *err)
{
    unsigned flags = gpu->capturing ? CU_EVENT_RECORD_EXTERNAL : CU_EVENT_RECORD_DEFAULT;

    return check(gpu, gpu->driver.event_record(event, gpu->stream, flags), "recording an event", err);
}

int gpu_elapsed(double *seconds, struct gpu *gpu, gpu_event from, gpu_event to, struct err *err)
{
    float ms = 0;
    int rc = check(gpu, gpu->driver.event_elapsed(&ms, from, to), "reading an event", err);

    *seconds = 1e-3 * (double)ms;
    return rc;
}

int gpu_capture(struct gpu *gpu, struct err *err)
{
    int rc = check(gpu, gpu->driver.stream_capture(gpu->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                   "capturing a graph", err);

    gpu->capturing = !rc;
    return rc;
}

int gpu_capture_end(gpu_graph *out, struct gpu *gpu, struct err *err)
{
    CUgraph graph = NULL;
    int rc = check(gpu, gpu->driver.stream_capture_end(gpu->stream, &graph), "capturing a graph", err);

    gpu->capturing = false;
    *out = NULL;
    if (!rc)
        rc = check(gpu, gpu->driver.graph_instantiate((CUgraphExec *)out, graph, 0), "building a graph", err);
    if (graph)
        gpu->driver.graph_destroy(graph);
    return rc;
}

int gpu_run_graph(struct gpu *gpu, gpu_graph graph, struct err *err)
{
    return check(gpu, gpu->driver.graph_launch(graph, gpu->stream), "running a graph", err);
}

void gpu_graph_free(struct gpu *gpu, gpu_graph graph)
{
    if (graph)
        gpu->driver.graph_exec_destroy(graph);
}
