/* How long does a launch take? The timing protocol.
 *
 * A time is that of one launch in a back-to-back stream of them: samples of short kernels are graphs of many
 * launches, and what starting a graph, a launch, or an event pair inside a graph adds is measured once with
 * an empty kernel and subtracted. Kernels that change their buffers, and cold ones, are timed one by one:
 * each launch between two events, its buffers restored and the L2 flushed before the first. */
#ifndef GPU_MEASURE_H
#define GPU_MEASURE_H

#include "gpu/buffers.h"
#include "gpu/trial.h"

enum { MEASURE_GRAPH = 128, MEASURE_PAIRS = 24, MEASURE_BATCH = 8 };

/* The tools of measuring, kept by a worker. */
struct measurer {
    struct buffers *buffers; /* borrowed */
    gpu_event events[2 * MEASURE_PAIRS];
    gpu_address stamps; /* struct stamp [2 * MEASURE_BATCH][SMs] */
    struct stamp *stamps_read;
    gpu_address flush; /* twice the L2; 0 until a cold trial needs it */
    double direct_excess_s, graph_excess_s, pair_excess_s;
    double clock_top_hz; /* the highest clock seen */
    struct nvml *nvml;   /* null until somebody asks for power or energy */
};

int measurer_open(struct measurer *out, struct buffers *buffers, struct err *err);
void measurer_relax(struct measurer *measurer); /* frees what takes much memory and is soon made again */
void measurer_close(struct measurer *measurer);

/* Opens measurer->nvml where it is not open yet. ERR_MISSING: there is no NVML. */
int measurer_nvml(struct measurer *measurer, struct err *err);

/* A kernel with its launch, bound and ready. */
struct subject {
    gpu_function function;
    const struct launch *launch;
    const struct binding *binding;
};

int subject_launch(const struct subject *subject, struct gpu *gpu, struct err *err);

/* Called before work that must end within `within_s`, or else the kernel hangs: the deadline of the first
 * launch, and 20 times what the work should take. */
typedef int measure_promise(void *context, double within_s, struct err *err);

/* Times a kernel that has been launched once already. Fills the trial's samples, time, clock and flags. */
int measure(struct trial *trial, struct measurer *measurer, const struct subject *subject,
            const struct protocol *protocol, measure_promise *promise, void *context, struct err *err);

#endif
