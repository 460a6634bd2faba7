/* Work on the one stream: run at once on the virtual clock, or kept as a graph; and the events between. */
#include "fake_op.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#undef cuEventElapsedTime /* the worker uses the symbol that every driver has */
CUresult cuEventElapsedTime(float *ms, CUevent from, CUevent to);

struct fake_event {
    uint64_t now_ns, done_ns; /* on the virtual clock; on the wall's, when it is paced */
};

struct graph {
    struct fake_op *ops;
    size_t count;
};

static struct graph *capturing;
static bool timing; /* the last thing done was an event: a launch in a graph then pays for the pair */

/* How its clock behaves, read once: a look at the environment for each launch took a tenth of some tests' time. */
static struct {
    const char *limited, *burst, *warms;
    double slow; /* 0: not read yet, which needs the GPU's number */
} told;

__attribute__((constructor)) static void read_told(void)
{
    told.limited = getenv("FAKE_LIMITED");
    told.burst = getenv("FAKE_BURST");
    told.warms = getenv("FAKE_WARMS");
}

/* When the clock falls: after 10 ms with FAKE_LIMITED, after so many launches of test kernels with FAKE_WARMS, after the last of a
 * burst with FAKE_BURST; else never. */
uint64_t fake_cool_ns(void)
{
    if (told.limited)
        return 10000000;
    return fake.warm_since_ns ? fake.warm_since_ns : UINT64_MAX;
}

/* FAKE_BURST=FROM-TO: launches of test kernels from one to the other take two thirds of their time. */
static double burst(void)
{
    unsigned from, to;

    if (!told.burst || sscanf(told.burst, "%u-%u", &from, &to) != 2)
        return 1;
    if (!fake.warm_since_ns && fake.launches > to)
        fake.warm_since_ns = fake.now_ns;
    return fake.launches >= from && fake.launches <= to ? 1 / 1.5 : 1;
}

/* FAKE_SLOW: how many times as long kernels run as on others of its kind, for each GPU. Of one that is warm, half as long
 * again. */
static double slowness(void)
{
    size_t length;
    const char *word = told.slow > 0 ? NULL : fake_word("FAKE_SLOW", fake.ordinal, &length);

    if (!(told.slow > 0))
        told.slow = word ? strtod(word, NULL) : 1;
    if (told.warms && !fake.warm_since_ns && fake.launches > strtoul(told.warms, NULL, 10))
        fake.warm_since_ns = fake.now_ns;
    return told.slow * (told.warms && fake.warm_since_ns ? 1.5 : 1) * burst();
}

static void run_launch(struct fake_op *op, bool in_graph)
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

static double watts_of(const struct fake_op *op)
{
    return op->kind == OP_LAUNCH && !strcmp(op->kernel->name, "hot") ? FAKE_HOT_WATTS : FAKE_WATTS;
}

static void run_op(struct fake_op *op, bool in_graph)
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

CUresult fake_queue(struct fake_op op)
{
    struct fake_op *larger;

    if (fake.broken)
        return (CUresult)fake.broken;
    if (!capturing) {
        run_op(&op, false);
        return CUDA_SUCCESS;
    }
    larger = aligned_alloc(_Alignof(struct fake_op), (capturing->count + 1) * sizeof *larger);
    if (!larger)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (capturing->count) /* realloc() would not keep the alignment */
        memcpy(larger, capturing->ops, capturing->count * sizeof *larger);
    free(capturing->ops);
    capturing->ops = larger;
    capturing->ops[capturing->count++] = op;
    return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    *stream = (CUstream)&fake;
    return CUDA_SUCCESS;
}

CUresult cuStreamDestroy(CUstream stream)
{
    return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream)
{
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
    return fake.hangs ? CUDA_ERROR_NOT_READY : (CUresult)fake.broken;
}

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode)
{
    capturing = calloc(1, sizeof *capturing);
    return capturing ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
    *graph = (CUgraph)capturing;
    capturing = NULL;
    return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph graph, unsigned long long flags)
{
    *out = (CUgraphExec)graph; /* the executable graph takes it over */
    return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph)
{
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
    return fake_queue((struct fake_op){.kind = OP_EVENT, .event = (struct fake_event *)event});
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
