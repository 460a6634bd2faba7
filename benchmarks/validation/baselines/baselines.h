/* The cheap models and the published ones beside ours, all fed with the same counts, latencies and profile,
 * so that a table can show what each step adds. */
#ifndef BENCHMARKS_VALIDATION_BASELINES_BASELINES_H
#define BENCHMARKS_VALIDATION_BASELINES_BASELINES_H

#include "base/err.h"
#include "model/predict/analyze.h"
#include "model/machine/machine.h"

enum baseline {
    BASELINE_OCCUPANCY, /* 1 / theoretical occupancy: an order, not a time */
    BASELINE_ROOFLINE,  /* arithmetic and compulsory DRAM traffic, each at its peak */
    BASELINE_MINIMUM, /* min(occupancy / latency bound, throughput bound), without saturation, tail or launch */
    BASELINE_GUIDE,   /* the same with warps counted as instructions: every latency in full (CUDA guide) */
    BASELINE_HIDDEN,   /* latency hidden factor (Yuan et al.) */
    BASELINE_PIPELINE, /* pipeline model (Lemeire et al.) */
    BASELINE_MWP_CWP,  /* Hong and Kim */
    BASELINE_COUNT
};

const char *baseline_text(enum baseline baseline); /* "occupancy alone", "roofline", ... */

/* Seconds; NaN where a model cannot say, because the kernel has nothing it needs (MWP/CWP: a global access)
 * or the profile lacks a value. ERR_MEMORY. */
int baselines_of(double out_s[BASELINE_COUNT], const struct analysis *analysis, const struct machine *machine,
                 struct err *err);

#endif
