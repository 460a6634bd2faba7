#include "fake.h"

#include <cuda.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#undef cuEventElapsedTime /* the worker uses the symbol that every driver has */
CUresult cuEventElapsedTime(float *ms, CUevent from, CUevent to);

struct fake_state fake;

enum op_kind { OP_LAUNCH, OP_COPY, OP_SET, OP_EVENT };

struct op {
    enum op_kind kind;
    const struct fake_kernel *kernel;
    unsigned blocks;
    _Alignas(64) unsigned char parameters[FAKE_PARAMETERS][FAKE_PARAMETER_BYTES];
    struct fake_launch how;
    void *to;
    const void *from;
    size_t bytes;
    unsigned char byte;
    struct fake_event *event;
};

struct fake_event {
    uint64_t now_ns, done_ns; /* on the virtual clock; on the wall's, when it is paced */
};

struct graph {
    struct op *ops;
    size_t count;
};

static _Thread_local CUcontext current;
static struct graph *capturing;
static bool timing; /* the last thing done was an event: a launch in a graph then pays for the pair */

/* FAKE_SLOW: how many times as long kernels run as on others of its kind, for each GPU. */
static double slowness(void)
{
    size_t length;
    const char *word = fake_word("FAKE_SLOW", fake.ordinal, &length);

    return word ? strtod(word, NULL) : 1;
}

static void run_launch(struct op *op, bool in_graph)
{
    void *parameters[FAKE_PARAMETERS];

    for (unsigned k = 0; k < FAKE_PARAMETERS; k++)
        parameters[k] = op->parameters[k];
    fake.how = op->how;
    if (strncmp(op->kernel->name, "occ_", 4))
        fake.launches++;
    fake.now_ns += (uint64_t)((double)op->kernel->duration_ns * slowness()) + FAKE_GAP_NS;
    fake.now_ns += !in_graph ? FAKE_LAUNCH_NS : timing ? FAKE_PAIR_NS : 0;
    for (unsigned k = 0; k < (op->kernel->each_block ? op->blocks : 1); k++) {
        fake.block = k;
        op->kernel->run(parameters);
    }
}

uint64_t fake_wall_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* What was queued takes as long on the wall's clock, behind what was queued before. */
static void pace(uint64_t took_ns, double watts)
{
    const uint64_t now = fake_wall_ns();

    fake.busy_until_ns = (fake.busy_until_ns > now ? fake.busy_until_ns : now) + took_ns;
    fake.queued_joules += watts * 1e-9 * (double)took_ns;
    fake.watts = watts;
}

static double watts_of(const struct op *op)
{
    return op->kind == OP_LAUNCH && !strcmp(op->kernel->name, "hot") ? FAKE_HOT_WATTS : FAKE_WATTS;
}

static void run_op(struct op *op, bool in_graph)
{
    const uint64_t before = fake.now_ns;

    switch (op->kind) {
    case OP_LAUNCH:
        run_launch(op, in_graph);
        break;
    case OP_COPY:
        fake.now_ns += FAKE_COPY_NS;
        memcpy(op->to, op->from, op->bytes);
        break;
    case OP_SET:
        fake.now_ns += FAKE_COPY_NS;
        memset(op->to, op->byte, op->bytes);
        break;
    case OP_EVENT:
        *op->event = (struct fake_event){fake.now_ns, fake.busy_until_ns};
        break;
    }
    if (fake.paced && fake.now_ns > before)
        pace(fake.now_ns - before, watts_of(op));
    timing = op->kind == OP_EVENT;
}

/* Runs now, or becomes a node of the graph being captured. */
static CUresult queue(struct op op)
{
    struct op *larger;

    if (fake.broken)
        return (CUresult)fake.broken;
    if (!capturing) {
        run_op(&op, false);
        return CUDA_SUCCESS;
    }
    larger = aligned_alloc(_Alignof(struct op), (capturing->count + 1) * sizeof *larger);
    if (!larger)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (capturing->count) /* realloc() would not keep the alignment */
        memcpy(larger, capturing->ops, capturing->count * sizeof *larger);
    free(capturing->ops);
    capturing->ops = larger;
    capturing->ops[capturing->count++] = op;
    return CUDA_SUCCESS;
}

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
    (void)device;
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

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    (void)stream;
    return queue((struct op){.kind = OP_COPY, .to = (void *)to, .from = from, .bytes = bytes});
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    (void)stream;
    return queue((struct op){.kind = OP_COPY, .to = to, .from = (void *)from, .bytes = bytes});
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    (void)stream;
    return queue((struct op){.kind = OP_COPY, .to = (void *)to, .from = (void *)from, .bytes = bytes});
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char byte, size_t bytes, CUstream stream)
{
    (void)stream;
    return queue((struct op){.kind = OP_SET, .to = (void *)to, .byte = byte, .bytes = bytes});
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
    (void)module;
    __atomic_sub_fetch(&fake.modules, 1, __ATOMIC_RELAXED);
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    (void)module;
    *function = (CUfunction)fake_find(name);
    return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuModuleGetGlobal(CUdeviceptr *pointer, size_t *bytes, CUmodule module, const char *name)
{
    static char any[65536];

    (void)module;
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
    (void)function;
    fake.wide |= attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED && value;
    return value > 227 * 1024 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads,
                                                     size_t shared)
{
    (void)function;
    (void)shared;
    *blocks = 2048 / threads;
    return CUDA_SUCCESS;
}

static size_t parameter_bytes(char letter)
{
    return letter == 'i' ? 4 : letter == 's' ? 24 : letter == 't' ? sizeof(CUtensorMap) : 8;
}

static CUresult launch(CUfunction function, unsigned blocks, const struct fake_launch *how, void **parameters)
{
    struct op op = {
        .kind = OP_LAUNCH, .kernel = (const struct fake_kernel *)function, .blocks = blocks, .how = *how};

    if (!strcmp(op.kernel->name, "refused"))
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    if (cluster_of(function) > 8 && !fake.wide)
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    for (size_t i = 0; op.kernel->parameters[i]; i++)
        memcpy(op.parameters[i], parameters[i], parameter_bytes(op.kernel->parameters[i]));
    return queue(op);
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

    (void)extra;
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

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    (void)flags;
    *stream = (CUstream)&fake;
    return CUDA_SUCCESS;
}

CUresult cuStreamDestroy(CUstream stream)
{
    (void)stream;
    return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream)
{
    (void)stream;
    while (fake.hangs)
        pause();
    return (CUresult)fake.broken;
}

CUresult cuCtxSynchronize(void)
{
    return cuStreamSynchronize(NULL);
}

CUresult cuStreamQuery(CUstream stream)
{
    (void)stream;
    return fake.hangs ? CUDA_ERROR_NOT_READY : (CUresult)fake.broken;
}

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode)
{
    (void)stream;
    (void)mode;
    capturing = calloc(1, sizeof *capturing);
    return capturing ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
    (void)stream;
    *graph = (CUgraph)capturing;
    capturing = NULL;
    return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph graph, unsigned long long flags)
{
    (void)flags;
    *out = (CUgraphExec)graph; /* the executable graph takes it over */
    return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph)
{
    (void)graph;
    return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec exec)
{
    struct graph *graph = (struct graph *)exec;

    free(graph->ops);
    free(graph);
    return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
    struct graph *graph = (struct graph *)exec;

    (void)stream;
    if (fake.broken)
        return (CUresult)fake.broken;
    fake.now_ns += FAKE_GRAPH_NS;
    if (fake.paced)
        pace(FAKE_GRAPH_NS, FAKE_WATTS);
    timing = false;
    for (size_t i = 0; i < graph->count; i++)
        run_op(&graph->ops[i], true);
    return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    (void)flags;
    *event = (CUevent)calloc(1, sizeof(struct fake_event));
    return *event ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuEventDestroy(CUevent event)
{
    free(event);
    return CUDA_SUCCESS;
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags)
{
    (void)stream;
    (void)flags;
    return queue((struct op){.kind = OP_EVENT, .event = (struct fake_event *)event});
}

CUresult cuEventElapsedTime(float *ms, CUevent from, CUevent to)
{
    *ms = (float)(((struct fake_event *)to)->now_ns - ((struct fake_event *)from)->now_ns) * 1e-6f;
    return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent event)
{
    if (fake.broken)
        return (CUresult)fake.broken;
    return fake.paced && ((struct fake_event *)event)->done_ns > fake_wall_ns() ? CUDA_ERROR_NOT_READY
                                                                                : CUDA_SUCCESS;
}
