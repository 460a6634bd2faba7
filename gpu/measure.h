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

/* Which samples count: those within 1 % of the clock at which the variant settled (the median clock), and at
 * least the nearer half; true when that half had to be filled up with others, because the clock never
 * settled. */
bool measure_keep(bool *kept, const double *clock_hz, size_t count);

/* Whether a warm-up that has gone on so long goes on: while the clock rises, and, where power limits it, until it has
 * fallen. */
bool measure_warms(double spent_s, double previous_hz, double clock_hz, double clock_top_hz);

/* Is the clock lower than the highest seen by more than two settled clocks may differ? */
bool measure_slowed(double clock_hz, double clock_top_hz);

/* Would every one of at least two samples be slower than `give_up_s` even at the highest clock? A GPU that
 * has idled is slow at first, and that is no variant's fault. */
bool measure_hopeless(const double *samples_s, const double *clock_hz, size_t count, double clock_top_hz,
                      double give_up_s);

/* Is the median known well enough? To the protocol's interval; to 2 %, of five samples at least, where all are slower than
 * the rival by more than that at the highest clock: such a variant does not win, and is not worth more. */
bool measure_settled(const double *samples_s, const double *clock_hz, size_t count, double clock_top_hz,
                     const struct protocol *protocol);

/* The median clock of the SMs that were stamped both before and after; 0 when none was. */
double measure_clock(const struct stamp *before, const struct stamp *after, unsigned sm_count);

#endif
