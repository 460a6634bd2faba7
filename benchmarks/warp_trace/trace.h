/* What the recorded warps of a launch say: Little's law (Volkov 3.2), once with warps as items, and achieved
 * occupancy (NVIDIA (profiler)). Times are SM cycles; the clocks of different SMs are never compared. */
#ifndef WARP_TRACE_TRACE_H
#define WARP_TRACE_TRACE_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

enum { WARP_TRACE_WORDS = 2 }; /* of a warp: start | SM << 48, end */

struct warp_span {
    uint64_t start, end;
    unsigned sm;
};

/* Little's law on one SM, over the middle 80 % of the time between its first start and last end. */
struct trace_law {
    size_t whole;               /* warps that start and end within */
    size_t cut;                 /* that the interval cuts */
    double occupancy;           /* mean warps resident, from how many are at each moment */
    double latency, throughput; /* of the whole ones: mean cycles, warps a cycle */
    double cut_occupancy;       /* what the cut ones add: their cycles within over the interval's */
    double error;       /* of latency x throughput + cut_occupancy against occupancy, relative, absolute */
    double plain_error; /* of mean latency x throughput, where every warp that ends within counts whole; NaN
                           where none does */
};

struct trace_sm {
    unsigned sm;
    const struct warp_span *warps; /* by start; part of the trace */
    size_t count;
    uint64_t first, last; /* start and end */
    double occupancy;     /* mean warps resident between them */
    struct trace_law law;
};

struct warp_trace {
    struct warp_span *warps; /* by SM, then by start */
    size_t warp_count;
    struct trace_sm *sms; /* that ran a warp, ascending */
    size_t sm_count;
    double occupancy;                                    /* mean warps resident on an SM while it is active */
    double latency;                                      /* mean, cycles */
    double worst_error, median_error, worst_plain_error; /* over SMs */
};

/* `words[2 * w]` and `[2 * w + 1]` are warp w's. ERR_FORMAT names a warp that left no end or ended before it
 * started; ERR_MEMORY. */
int warp_trace_read(struct warp_trace *out, const uint64_t *words, size_t warps, struct err *err);
void warp_trace_release(struct warp_trace *trace);

#endif
