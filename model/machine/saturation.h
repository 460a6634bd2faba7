/* From bounds to warp throughput: the two modes of Volkov's section 3.5 and the gradual saturation between
 * them. Throughputs are warps per cycle and SM, latencies cycles, occupancy warps per SM. */
#ifndef MODEL_SATURATION_H
#define MODEL_SATURATION_H

#include <stddef.h>

/* min(warps / latency, 1 / bound_cycles): latency-bound, then throughput-bound (3.5). A bound of 0 cycles is
 * no bound. */
double saturation_two_modes(double warps, double latency_cycles, double bound_cycles);

/* A smooth minimum of two positive throughputs, (a^-p + b^-p)^(-1/p): never above either, within 2^(-1/p) of
 * the smaller at the corner; the larger the sharpness p >= 1, the nearer to min(). Infinity is no limit. */
double saturation_corner(double a, double b, double sharpness);

/* The sharpness in [1, 64] with which saturation_corner(warps / latency, peak) comes nearest, by least
 * squares, to n measured points of an occupancy roofline (Lemeire et al., III). n >= 1; all values positive. */
double saturation_fit_sharpness(const double *warps, const double *throughput, size_t n,
                                double latency_cycles, double peak);

/* A loaded-latency curve of a memory level, measured: latency over unloaded latency against its utilisation.
 * The arrays are borrowed; utilisation ascends from about 0 to about 1, factors do not fall below 1. */
struct saturation_curve {
    size_t n; /* 0: latency does not depend on load */
    const double *utilisation;
    const double *factor;
};

/* Linear between points and flat beyond the ends; 1 for an empty curve. */
double saturation_factor(const struct saturation_curve *curve, double utilisation);

/* A level that serves two kinds of accesses of which one delays loads more, as writes do among reads. */
struct saturation_mix {
    struct saturation_curve curve, other; /* of a load beside accesses of either kind alone */
    double weight;                        /* of the delay beside the other one: so much is there */
};

/* By the curve, or by as much of the other one as the weight says, whichever is longer. */
double saturation_mixed(const struct saturation_mix *mix, double utilisation);

/* A memory level that a warp waits for. */
struct saturation_level {
    double latency_cycles; /* the part of the warp's latency bound spent waiting for it, unloaded */
    double bound_cycles;   /* its throughput bound per warp and SM */
    struct saturation_mix mix;
};

struct saturation {
    double warps_per_cycle;
    double latency_cycles; /* mean warp latency under that load, before the corner of the compute pipes */
};

/* Solves warps = throughput x latency(throughput) (Little's law, 3.4) by bisection, where each level's part
 * of `latency_cycles` grows with its utilisation and no level exceeds its bound; then rounds the corner with
 * `corner_cycles`, the tightest bound among resources without a curve (0: none). warps, latency_cycles > 0. */
void saturation_solve(struct saturation *out, double warps, double latency_cycles,
                      const struct saturation_level *levels, size_t n, double corner_cycles,
                      double sharpness);

#endif
