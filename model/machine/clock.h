/* The clock that the SMs keep: less than the highest where tensor cores work, and less still at the power limit.
 *
 * Work of tensor cores lowers the clock, far from the power limit too, and hardly by how much they work. The power limit
 * leaves the clock f at which
 *
 *     (share + warps * their share + issue * instructions a cycle) (f / tensor_hz)^exponent
 *         + l2 * bytes/s from L2 + dram * bytes/s of DRAM = 1:
 *
 * the power of tensor cores goes with their share of the time, less for products of single warps than for those of warp groups,
 * and that power of the clock, that of what warps issue beside them with instructions a cycle and the same; a byte takes the same
 * energy at any clock, as L2 and DRAM have clocks and voltages of their own. All of it comes from products of random factors with
 * and without bulk copies, and arithmetic, beside them (benchmarks/micro/power.c), so that it holds for data as random, and
 * after the tenth of a second that the limiter takes. */
#ifndef MODEL_CLOCK_H
#define MODEL_CLOCK_H

#include "model/device/device.h"

#include <stdbool.h>

struct clock_limits {
    /* 0 where they are not known: */
    double boost_hz;  /* highest clock where tensor cores work */
    double tensor_hz; /* what the power limit leaves to products alone, on all SMs all of the time */
    double warps; /* power of products of single warps by that of as long of warp groups'; 1 where unknown */
    double l2, dram; /* share of the power limit that a byte a second takes */
    double issue;    /* that a warp instruction a cycle takes, at tensor_hz */
    double exponent; /* of the clock in the power of the SMs */
};

/* What a kernel does, per cycle of the SMs. */
struct clock_load {
    double tensor_share; /* of the time that tensor cores work, on all SMs, at products of warp groups ... */
    double warp_share;   /* ... and at those of single warps */
    double issued;       /* warp instructions, of the whole GPU, a cycle */
    double l2_bytes, dram_bytes; /* the same */
};

/* From a profile; of what it lacks nothing is known. */
void clock_limits_init(struct clock_limits *out, const struct device *device, double exponent);

/* The clock under a load, `full_hz` at most; tells whether the power limit, not the tensor cores, makes it lower. */
double clock_under(bool *power_limited, const struct clock_limits *limits, const struct clock_load *load,
                   double full_hz);

#endif
