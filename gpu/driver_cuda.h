/* What driver.c (library, context, device) and driver_work.c (memory, code, the stream) share: the one file
 * that sees cuda.h. Nobody else includes it. */
#ifndef GPU_DRIVER_CUDA_H
#define GPU_DRIVER_CUDA_H

#include "gpu/driver.h"

#include <cuda.h>

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
    X(device_pci, "cuDeviceGetPCIBusId", (char *, int, CUdevice))                                            \
    X(context_retain, "cuDevicePrimaryCtxRetain", (CUcontext *, CUdevice))                                   \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (CUdevice))                                           \
    X(context_set, "cuCtxSetCurrent", (CUcontext))                                                           \
    X(context_current, "cuCtxGetCurrent", (CUcontext *))                                                     \
    X(context_id, "cuCtxGetId", (CUcontext, unsigned long long *))                                           \
    X(context_device, "cuCtxGetDevice", (CUdevice *))                                                        \
    X(alloc, "cuMemAlloc_v2", (CUdeviceptr *, size_t))                                                       \
    X(free, "cuMemFree_v2", (CUdeviceptr))                                                                   \
    X(alloc_host, "cuMemAllocHost_v2", (void **, size_t))                                                    \
    X(free_host, "cuMemFreeHost", (void *))                                                                  \
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
    X(launch_with, "cuLaunchKernelEx", (const CUlaunchConfig *, CUfunction, void **, void **))               \
    X(tensor_map_encode, "cuTensorMapEncodeTiled",                                                           \
      (CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *,       \
       const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,                    \
       CUtensorMapL2promotion, CUtensorMapFloatOOBfill))                                                     \
    X(stream_create, "cuStreamCreate", (CUstream *, unsigned))                                               \
    X(stream_destroy, "cuStreamDestroy_v2", (CUstream))                                                      \
    X(stream_synchronize, "cuStreamSynchronize", (CUstream))                                                 \
    X(stream_capture, "cuStreamBeginCapture_v2", (CUstream, CUstreamCaptureMode))                            \
    X(stream_capture_end, "cuStreamEndCapture", (CUstream, CUgraph *))                                       \
    X(event_create, "cuEventCreate", (CUevent *, unsigned))                                                  \
    X(event_destroy, "cuEventDestroy_v2", (CUevent))                                                         \
    X(event_record, "cuEventRecordWithFlags", (CUevent, CUstream, unsigned))                                 \
    X(event_query, "cuEventQuery", (CUevent))                                                                \
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
    void *staging; /* null until somebody asks for it */
    int device_count;
    unsigned sm_count;
    size_t l2_bytes;
    bool capturing, lost;
};

/* Turns a result into an error; `what` names the call in the user's terms. */
int driver_check(struct gpu *gpu, CUresult result, const char *what, struct err *err);

#endif
