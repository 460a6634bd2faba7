#include "fake_op.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct fake_state fake;

static _Thread_local CUcontext current;

/* FAKE_CONTEXTS: a file that gets a byte for each context. */
static void note_context(void)
{
    const char *path = getenv("FAKE_CONTEXTS");
    FILE *file = path ? fopen(path, "a") : NULL;

    if (file) {
        fputc('.', file);
        fclose(file);
    }
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    if (getenv("FAKE_NO_CONTEXT"))
        return CUDA_ERROR_DEVICE_UNAVAILABLE;
    if (getenv("FAKE_CONTEXT_S")) /* how long it takes */
        sleep((unsigned)atoi(getenv("FAKE_CONTEXT_S")));
    fake.ordinal = device;
    fake.contexts++;
    note_context();
    *context = (CUcontext)&fake;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    current = context;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    *context = current;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext context, unsigned long long *id)
{
    *id = (uintptr_t)context;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    *device = 0;
    return current ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuMemAlloc(CUdeviceptr *pointer, size_t bytes)
{
    void *memory = bytes > (size_t)1 << 30 ? NULL : aligned_alloc(256, (bytes + 255) / 256 * 256);

    *pointer = (CUdeviceptr)memory;
    return memory ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemFree(CUdeviceptr pointer)
{
    free((void *)pointer);
    return CUDA_SUCCESS;
}

/* FAKE_NO_STAGING: no memory of the host can be page-locked. */
CUresult cuMemAllocHost(void **pointer, size_t bytes)
{
    *pointer = getenv("FAKE_NO_STAGING") ? NULL : malloc(bytes);
    if (!*pointer)
        return CUDA_ERROR_OUT_OF_MEMORY;
    fake.locked = *pointer;
    fake.locked_bytes = bytes;
    return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void *pointer)
{
    free(pointer);
    return CUDA_SUCCESS;
}

/* FAKE_LOCKED: of more than so many bytes at once only page-locked memory is uploaded. */
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    const char *most = getenv("FAKE_LOCKED");
    const size_t at = (size_t)((const char *)from - fake.locked);

    if (most && bytes > strtoul(most, NULL, 10) && (!fake.locked || at + bytes > fake.locked_bytes))
        return CUDA_ERROR_INVALID_VALUE;
    return fake_queue((struct fake_op){.kind = OP_COPY, .to = (void *)to, .from = from, .bytes = bytes});
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return fake_queue((struct fake_op){.kind = OP_COPY, .to = to, .from = (void *)from, .bytes = bytes});
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return fake_queue(
        (struct fake_op){.kind = OP_COPY, .to = (void *)to, .from = (void *)from, .bytes = bytes});
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char byte, size_t bytes, CUstream stream)
{
    return fake_queue((struct fake_op){.kind = OP_SET, .to = (void *)to, .byte = byte, .bytes = bytes});
}

/* FAKE_LOAD_S: how long it takes to load code, by the clock on the wall. */
CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    const char *seconds = getenv("FAKE_LOAD_S");

    if (!current)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (seconds)
        usleep((useconds_t)(1e6 * strtod(seconds, NULL)));
    __atomic_add_fetch(&fake.modules, 1, __ATOMIC_RELAXED);
    *module = (CUmodule)image;
    return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module)
{
    __atomic_sub_fetch(&fake.modules, 1, __ATOMIC_RELAXED);
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    *function = (CUfunction)fake_find(name);
    return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuModuleGetGlobal(CUdeviceptr *pointer, size_t *bytes, CUmodule module, const char *name)
{
    static char any[65536];

    if (strcmp(name, "factor")) {
        *pointer = (CUdeviceptr)any;
        *bytes = sizeof any;
        return getenv("FAKE_ANY_KERNEL") ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
    }
    *pointer = (CUdeviceptr)&fake.factor;
    *bytes = sizeof fake.factor;
    return CUDA_SUCCESS;
}

/* Thread blocks of a cluster, all in a row; 0: none. */
static int cluster_of(CUfunction function)
{
    return strcmp(((const struct fake_kernel *)function)->name, "wide") ? 0 : 16;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    switch ((int)attribute) {
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = 17;
        break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
        *value = cluster_of(function);
        break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        *value = cluster_of(function) != 0;
        break;
    default:
        *value = 0;
    }
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    fake.wide |= attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED && value;
    return value > 227 * 1024 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads,
                                                     size_t shared)
{
    *blocks = 2048 / threads;
    return CUDA_SUCCESS;
}

static size_t parameter_bytes(char letter)
{
    return letter == 'i' ? 4 : letter == 's' ? 24 : letter == 't' ? sizeof(CUtensorMap) : 8;
}

static CUresult launch(CUfunction function, unsigned blocks, const struct fake_launch *how, void **parameters)
{
    struct fake_op op = {
        .kind = OP_LAUNCH, .kernel = (const struct fake_kernel *)function, .blocks = blocks, .how = *how};

    if (!strcmp(op.kernel->name, "refused"))
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    if (cluster_of(function) > 8 && !fake.wide)
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    for (size_t i = 0; op.kernel->parameters[i]; i++)
        memcpy(op.parameters[i], parameters[i], parameter_bytes(op.kernel->parameters[i]));
    return fake_queue(op);
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream stream, void **parameters, void **extra)
{
    const struct fake_launch how = {.cluster = {1, 1, 1}};

    (void)grid_y, (void)grid_z, (void)block_x, (void)block_y, (void)block_z;
    (void)shared, (void)stream, (void)extra;
    return launch(function, grid_x, &how, parameters);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra)
{
    struct fake_launch how = {.cluster = {1, 1, 1}};

    for (unsigned k = 0; k < config->numAttrs; k++) {
        const CUlaunchAttribute *attribute = &config->attrs[k];

        if (attribute->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
            how.cluster[0] = attribute->value.clusterDim.x;
            how.cluster[1] = attribute->value.clusterDim.y;
            how.cluster[2] = attribute->value.clusterDim.z;
        } else if (attribute->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
            how.cooperative = attribute->value.cooperative != 0;
        else if (attribute->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
            how.programmatic = attribute->value.programmaticStreamSerializationAllowed != 0;
        else
            return CUDA_ERROR_INVALID_VALUE;
    }
    if (config->gridDimX % how.cluster[0] || config->gridDimY % how.cluster[1] ||
        config->gridDimZ % how.cluster[2])
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    if (how.cluster[0] * how.cluster[1] * how.cluster[2] > 8 && !fake.wide)
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    return launch(function, config->gridDimX, &how, parameters);
}
