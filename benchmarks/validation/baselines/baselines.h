/* The cheap models and the published ones beside ours, all fed with the same counts, latencies and profile,
 * so that a table can show what each step adds. */
#ifndef BENCHMARKS_VALIDATION_BASELINES_BASELINES_H
#define BENCHMARKS_VALIDATION_BASELINES_BASELINES_H

#include "base/err.h"
#include "model/predict/analyze.h"
#include "model/machine/machine.h"

enum rival {
    RIVAL_OCCUPANCY, /* 1 / theoretical occupancy: an order, not a time */
    RIVAL_ROOFLINE,  /* arithmetic and compulsory DRAM traffic, each at its peak */
    RIVAL_MINIMUM,  /* min(occupancy / latency bound, throughput bound), without saturation, tail or launch */
    RIVAL_GUIDE,    /* the same with warps counted as instructions: every latency in full (CUDA guide) */
    RIVAL_HIDDEN,   /* latency hidden factor (Yuan et al.) */
    RIVAL_PIPELINE, /* pipeline model (Lemeire et al.) */
    RIVAL_MWP_CWP,  /* Hong and Kim */
    RIVAL_COUNT
};

const char *rival_text(enum rival rival); /* "occupancy alone", "roofline", ... */

/* Seconds; NaN where a model cannot say, because the kernel has nothing it needs (MWP/CWP: a global access)
 * or the profile lacks a value. ERR_MEMORY. */
int baselines_of(double out_s[RIVAL_COUNT], const struct analysis *expectation, const struct machine *machine,
                 struct err *err);

#endif
