/* Memory, code, and what is queued on the stream. */
#include "gpu/driver_cuda.h"

#include <string.h>

int gpu_alloc(gpu_address *out, struct gpu *gpu, size_t bytes, struct err *err)
{
    CUdeviceptr pointer = 0;
    CUresult result = gpu->driver.alloc(&pointer, bytes ? bytes : 1);

    *out = pointer;
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        return err_set(err, ERR_MEMORY, "the GPU has no memory left for %zu bytes", bytes);
    return driver_check(gpu, result, "allocation", err);
}

void gpu_free(struct gpu *gpu, gpu_address address)
{
    if (address)
        gpu->driver.free(address);
}

int gpu_upload(struct gpu *gpu, gpu_address to, const void *from, size_t bytes, struct err *err)
{
    int rc = driver_check(gpu, gpu->driver.upload(to, from, bytes, gpu->stream), "upload", err);

    return rc ? rc : gpu_synchronize(gpu, err);
}

void *gpu_staging(struct gpu *gpu)
{
    if (!gpu->staging && gpu->driver.alloc_host(&gpu->staging, GPU_STAGING_BYTES))
        gpu->staging = NULL;
    return gpu->staging;
}

int gpu_download(void *to, struct gpu *gpu, gpu_address from, size_t bytes, struct err *err)
{
    int rc = driver_check(gpu, gpu->driver.download(to, from, bytes, gpu->stream), "download", err);

    return rc ? rc : gpu_synchronize(gpu, err);
}

int gpu_copy(struct gpu *gpu, gpu_address to, gpu_address from, size_t bytes, struct err *err)
{
    return bytes ? driver_check(gpu, gpu->driver.copy(to, from, bytes, gpu->stream), "copy", err) : 0;
}

int gpu_set(struct gpu *gpu, gpu_address to, unsigned char byte, size_t bytes, struct err *err)
{
    return bytes ? driver_check(gpu, gpu->driver.set(to, byte, bytes, gpu->stream), "memset", err) : 0;
}

int gpu_load(gpu_module *out, struct gpu *gpu, const void *image, struct err *err)
{
    return driver_check(gpu, gpu->driver.module_load((CUmodule *)out, image), "loading the code", err);
}

void gpu_unload(struct gpu *gpu, gpu_module module)
{
    if (module)
        gpu->driver.module_unload(module);
}

int gpu_find_function(gpu_function *out, struct gpu *gpu, gpu_module module, const char *name,
                      struct err *err)
{
    return driver_check(gpu, gpu->driver.module_function((CUfunction *)out, module, name), name, err);
}

int gpu_find_symbol(gpu_address *out, size_t *bytes, struct gpu *gpu, gpu_module module, const char *name,
                    struct err *err)
{
    CUdeviceptr pointer = 0;
    int rc = driver_check(gpu, gpu->driver.module_global(&pointer, bytes, module, name), name, err);

    *out = pointer;
    return rc;
}

enum { CLUSTER_PORTABLE = 8 };

/* Clusters of more than 8 thread blocks run only where they are asked for. A driver that does not know
 * clusters has no kernel with one. */
static int allow_cluster(struct gpu *gpu, gpu_function function, const struct launch *launch, struct err *err)
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
    if (blocks <= CLUSTER_PORTABLE && launch_cluster_blocks(launch) <= CLUSTER_PORTABLE)
        return 0;
    return driver_check(
        gpu, gpu->driver.function_set(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
        "allowing a cluster of more than 8 thread blocks", err);
}

int gpu_prepare(struct function_facts *out, struct gpu *gpu, gpu_function function,
                const struct launch *launch, struct err *err)
{
    const struct driver *driver = &gpu->driver;
    int threads = (int)launch_threads(launch);

    if (allow_cluster(gpu, function, launch, err))
        return err ? err->code : ERR_GPU;
    if (launch->shared_bytes &&
        driver_check(gpu,
                     driver->function_set(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                          (int)launch->shared_bytes),
                     "opting in to dynamic shared memory", err))
        return err ? err->code : ERR_GPU;
    if (launch->carveout >= 0 &&
        driver_check(gpu,
                     driver->function_set(function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                                          launch->carveout),
                     "preferring a carve-out", err))
        return err ? err->code : ERR_GPU;
    if (driver_check(gpu, driver->function_attribute(&out->registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function),
                     "registers", err) ||
        driver_check(
            gpu,
            driver->function_attribute(&out->shared_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function),
            "shared memory", err) ||
        driver_check(
            gpu, driver->function_attribute(&out->local_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function),
            "local memory", err) ||
        driver_check(gpu, driver->occupancy(&out->blocks_per_sm, function, threads, launch->shared_bytes),
                     "occupancy", err))
        return err ? err->code : ERR_GPU;
    return 0;
}

/* Whether the driver takes a type, an interleave, ... by the number that launch/tensor_map.h gives it. */
#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), "tensor_map.h counts as cuda.h does")
SAME(TENSOR_UINT8, CU_TENSOR_MAP_DATA_TYPE_UINT8);
SAME(TENSOR_BFLOAT16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
SAME(TENSOR_TFLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ);
SAME(TENSOR_INTERLEAVE_32, CU_TENSOR_MAP_INTERLEAVE_32B);
SAME(TENSOR_SWIZZLE_128, CU_TENSOR_MAP_SWIZZLE_128B);
SAME(TENSOR_L2_256, CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
SAME(TENSOR_FILL_NAN, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);

int gpu_tensor_map(unsigned char *out, struct gpu *gpu, const struct tensor_map *map, gpu_address address,
                   struct err *err)
{
    cuuint64_t dimensions[TENSOR_RANK_MOST], strides[TENSOR_RANK_MOST];
    CUtensorMap encoded;
    int rc;

    for (unsigned d = 0; d < map->rank; d++) {
        dimensions[d] = map->dimensions[d];
        strides[d] = map->strides[d];
    }
    rc = driver_check(gpu,
                      gpu->driver.tensor_map_encode(
                          &encoded, (CUtensorMapDataType)map->type, map->rank, (void *)(uintptr_t)address,
                          dimensions, strides + 1, map->box, map->element_strides,
                          (CUtensorMapInterleave)map->interleave, (CUtensorMapSwizzle)map->swizzle,
                          (CUtensorMapL2promotion)map->l2, (CUtensorMapFloatOOBfill)map->fill),
                      "making the tensor map", err);
    if (!rc)
        memcpy(out, &encoded, TENSOR_MAP_BYTES);
    return rc;
}

enum { ATTRIBUTES_MOST = 3 };

static unsigned launch_attributes(CUlaunchAttribute out[ATTRIBUTES_MOST], const struct launch *launch)
{
    unsigned count = 0;

    memset(out, 0, ATTRIBUTES_MOST * sizeof *out);
    if (launch_cluster_blocks(launch) > 1) {
        out[count].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        out[count].value.clusterDim.x = launch->cluster[0];
        out[count].value.clusterDim.y = launch->cluster[1];
        out[count++].value.clusterDim.z = launch->cluster[2];
    }
    if (launch->cooperative) {
        out[count].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        out[count++].value.cooperative = 1;
    }
    if (launch->programmatic) {
        out[count].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
        out[count++].value.programmaticStreamSerializationAllowed = 1;
    }
    return count;
}

int gpu_launch(struct gpu *gpu, gpu_function function, const struct launch *launch, void **parameters,
               struct err *err)
{
    const unsigned *grid = launch->grid, *block = launch->block;
    CUlaunchAttribute attributes[ATTRIBUTES_MOST];
    const CUlaunchConfig config = {.gridDimX = grid[0],
                                   .gridDimY = grid[1],
                                   .gridDimZ = grid[2],
                                   .blockDimX = block[0],
                                   .blockDimY = block[1],
                                   .blockDimZ = block[2],
                                   .sharedMemBytes = launch->shared_bytes,
                                   .hStream = gpu->stream,
                                   .attrs = attributes,
                                   .numAttrs = launch_attributes(attributes, launch)};

    if (config.numAttrs)
        return driver_check(gpu, gpu->driver.launch_with(&config, function, parameters, NULL), "launch", err);
    return driver_check(gpu,
                        gpu->driver.launch(function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                           launch->shared_bytes, gpu->stream, parameters, NULL),
                        "launch", err);
}

int gpu_synchronize(struct gpu *gpu, struct err *err)
{
    return driver_check(gpu, gpu->driver.stream_synchronize(gpu->stream), "the kernel failed", err);
}

int gpu_event_create(gpu_event *out, struct gpu *gpu, struct err *err)
{
    return driver_check(gpu, gpu->driver.event_create((CUevent *)out, CU_EVENT_DEFAULT), "event", err);
}

void gpu_event_free(struct gpu *gpu, gpu_event event)
{
    if (event)
        gpu->driver.event_destroy(event);
}

int gpu_record(struct gpu *gpu, gpu_event event, struct err *err)
{
    unsigned flags = gpu->capturing ? CU_EVENT_RECORD_EXTERNAL : CU_EVENT_RECORD_DEFAULT;

    return driver_check(gpu, gpu->driver.event_record(event, gpu->stream, flags), "recording an event", err);
}

int gpu_elapsed(double *seconds, struct gpu *gpu, gpu_event from, gpu_event to, struct err *err)
{
    float ms = 0;
    int rc = driver_check(gpu, gpu->driver.event_elapsed(&ms, from, to), "reading an event", err);

    *seconds = 1e-3 * (double)ms;
    return rc;
}

int gpu_event_done(bool *done, struct gpu *gpu, gpu_event event, struct err *err)
{
    const CUresult result = gpu->driver.event_query(event);

    *done = result == CUDA_SUCCESS;
    return result == CUDA_ERROR_NOT_READY ? 0 : driver_check(gpu, result, "the kernel failed", err);
}

int gpu_capture(struct gpu *gpu, struct err *err)
{
    int rc = driver_check(gpu, gpu->driver.stream_capture(gpu->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                          "capturing a graph", err);

    gpu->capturing = !rc;
    return rc;
}

int gpu_capture_end(gpu_graph *out, struct gpu *gpu, struct err *err)
{
    CUgraph graph = NULL;
    int rc = driver_check(gpu, gpu->driver.stream_capture_end(gpu->stream, &graph), "capturing a graph", err);

    gpu->capturing = false;
    *out = NULL;
    if (!rc)
        rc = driver_check(gpu, gpu->driver.graph_instantiate((CUgraphExec *)out, graph, 0),
                          "building a graph", err);
    if (graph)
        gpu->driver.graph_destroy(graph);
    return rc;
}

int gpu_run_graph(struct gpu *gpu, gpu_graph graph, struct err *err)
{
    return driver_check(gpu, gpu->driver.graph_launch(graph, gpu->stream), "running a graph", err);
}

void gpu_graph_free(struct gpu *gpu, gpu_graph graph)
{
    if (graph)
        gpu->driver.graph_exec_destroy(graph);
}
