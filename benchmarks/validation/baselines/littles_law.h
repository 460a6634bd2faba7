/* Little's law: mean concurrency = mean latency x throughput (Volkov, section 3.1).
 *
 * The items may be instructions (3.2), which sizes a pipe, or warps (3.4), which makes concurrency the
 * occupancy. Quantities are per SM and in SM cycles unless a name says otherwise. */
#ifndef BASELINES_LITTLES_LAW_H
#define BASELINES_LITTLES_LAW_H

#include <stddef.h>

struct littles_item {
    double start, end; /* cycles; end >= start */
};

struct littles_sample {
    double mean_latency;     /* cycles; over the items that lie fully within the interval */
    double throughput;       /* those items per cycle */
    double mean_concurrency; /* items at the same time, cut ones included by the part that lies within */
    size_t whole;            /* items within the interval */
    size_t cut; /* items that start before it or end after it: with any, the law only holds nearly */
};

/* Measures the three quantities of section 3.1 over [first, last], last > first. Items outside are ignored.
 * Without whole items the mean latency is 0. */
void littles_measure(struct littles_sample *out, const struct littles_item *items, size_t n, double first,
                     double last);

/* The law read three ways. latency in cycles and throughput in items per cycle, both > 0 where they divide.
 */
double littles_concurrency(double latency, double throughput);
double littles_throughput(double concurrency, double latency);
double littles_latency(double concurrency, double throughput);

/* A rate of the whole GPU, say bytes per second, as items per cycle per SM, where an item takes `per_item` of
 * it: 211 GB/s at 1.266 GHz on 16 SMs, 128 bytes an instruction, is 0.0814 instructions (3.2). */
double littles_rate_per_sm(double per_second, double clock_hz, double sms, double per_item);

/* Warps needed for a concurrency of `instructions` in flight when each warp keeps `per_warp` of them in
 * flight on average (3.3): 30 loads need 15 warps at 2 loads each, 60 at half a load. */
double littles_needed_warps(double instructions, double per_warp);

/* One kind of instruction for the estimate that confuses warps with instructions. */
struct littles_class {
    double count;      /* executed per warp */
    double latency;    /* cycles */
    double throughput; /* peak, instructions per cycle per SM */
};

/* The estimate that takes the number of warps for the number of instructions in flight, as the CUDA C
 * programming guide does (criticised in 3.3, kept for comparison): each class runs at min(warps / latency,
 * throughput), and the slowest class sets the pace. Cycles per warp per SM; 0 for no classes. */
double littles_warps_as_instructions(const struct littles_class *classes, size_t n, double warps);

#endif
