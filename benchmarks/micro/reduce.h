/* From time stamps to numbers: pure functions over what the kernels write.
 *
 * A calibrated value is the median over its runs; a run is the time of one SM (latencies: the median of its
 * 32 samples). The spread is the interquartile range of the runs, of which there are at least 25. Lemeire et
 * al. quotes 1.96 standard deviations instead; clock stamps are not normally distributed (one late sample
 * would triple it), so quartiles are used, and where the report quotes a 95 % interval it is the bootstrap
 * interval of the median. */
#ifndef MICRO_REDUCE_H
#define MICRO_REDUCE_H

#include "base/err.h"
#include "model/device/device.h"

#include <stddef.h>
#include <stdint.h>

enum { REDUCE_RUNS_MIN = 25 };

/* The value of runs; `higher` says which extreme is the best. ERR_FORMAT when there are none or one is not
 * finite. */
int reduce_runs(struct device_value *out, const double *runs, size_t count, bool higher, const char *origin,
                struct err *err);

/* Medians of each block's 32 samples, divided by `steps`, into out[blocks]. */
void reduce_samples(double *out, const int64_t *samples, size_t blocks, double steps);

/* What each warp writes: when it began, start and stop of the timed part, and its SM with its block above it. */
struct span {
    int64_t enter, start, stop;
    uint64_t place;
};
enum { SPAN_NUMBERS = 4 };

/* One SM's part of a launch. A barrier stands before the timed part, and what stamps of warps see of it is
 * when each arrives: the part begins with the last. Blocks do not wait for each other, and the schedulers
 * favour some, so for several blocks only the whole of their lives can be timed. */
struct sm_time {
    unsigned sm;
    unsigned warps;        /* that ran on it */
    unsigned blocks, most; /* thread blocks that ran on it, and most at one time */
    double cycles;         /* of the timed part: last start to last stop. One block only; else NaN */
    double lifetime;       /* from the first beginning to the last stop */
};

/* Groups spans by SM; at most `capacity` SMs. Returns how many. */
size_t reduce_spans(struct sm_time *out, size_t capacity, const struct span *spans, size_t count);

/* The largest measured x up to which y stays within 5 % of `plateau`; 0 when it never does. */
double reduce_fits(const double *x, const double *y, size_t count, double plateau);

#endif
