#include "model/machine/saturation.h"

#include <math.h>

double saturation_two_modes(double warps, double latency_cycles, double bound_cycles)
{
    return fmin(warps / latency_cycles, 1 / bound_cycles);
}

double saturation_corner(double a, double b, double sharpness)
{
    const double low = fmin(a, b), high = fmax(a, b);

    return low * pow(1 + pow(low / high, sharpness), -1 / sharpness);
}

static double misfit(const double *warps, const double *throughput, size_t n, double latency_cycles,
                     double peak, double sharpness)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        const double miss = saturation_corner(warps[i] / latency_cycles, peak, sharpness) - throughput[i];

        sum += miss * miss;
    }
    return sum;
}

double saturation_fit_sharpness(const double *warps, const double *throughput, size_t n,
                                double latency_cycles, double peak)
{
    const double golden = 0.61803398874989485;
    double low = 0, high = log(64); /* the misfit has one minimum in the logarithm of the sharpness */

    for (int i = 0; i < 60; i++) {
        const double left = high - golden * (high - low), right = low + golden * (high - low);

        if (misfit(warps, throughput, n, latency_cycles, peak, exp(left)) <
            misfit(warps, throughput, n, latency_cycles, peak, exp(right)))
            high = right;
        else
            low = left;
    }
    return exp((low + high) / 2);
}

double saturation_factor(const struct saturation_curve *curve, double utilisation)
{
    if (curve->n == 0)
        return 1;
    if (utilisation <= curve->utilisation[0])
        return curve->factor[0];
    for (size_t i = 1; i < curve->n; i++)
        if (utilisation < curve->utilisation[i]) {
            const double part = (utilisation - curve->utilisation[i - 1]) /
                                (curve->utilisation[i] - curve->utilisation[i - 1]);

            return curve->factor[i - 1] + part * (curve->factor[i] - curve->factor[i - 1]);
        }
    return curve->factor[curve->n - 1];
}

double saturation_mixed(const struct saturation_mix *mix, double utilisation)
{
    return fmax(saturation_factor(&mix->curve, utilisation),
                1 + mix->weight * (saturation_factor(&mix->other, utilisation) - 1));
}

static double loaded_latency(double throughput, double latency_cycles, const struct saturation_level *levels,
                             size_t n)
{
    for (size_t i = 0; i < n; i++)
        latency_cycles += levels[i].latency_cycles *
                          (saturation_mixed(&levels[i].mix, throughput * levels[i].bound_cycles) - 1);
    return latency_cycles;
}

void saturation_solve(struct saturation *out, double warps, double latency_cycles,
                      const struct saturation_level *levels, size_t n, double corner_cycles, double sharpness)
{
    double low = 0, high = warps / latency_cycles;

    for (size_t i = 0; i < n; i++)
        if (levels[i].bound_cycles > 0)
            high = fmin(high, 1 / levels[i].bound_cycles);
    if (high * loaded_latency(high, latency_cycles, levels, n) > warps)
        for (size_t i = 0; i < 60; i++) { /* occupancy asked for grows with throughput: one crossing */
            const double middle = (low + high) / 2;

            if (middle * loaded_latency(middle, latency_cycles, levels, n) > warps)
                high = middle;
            else
                low = middle;
        }
    out->latency_cycles = loaded_latency(high, latency_cycles, levels, n);
    out->warps_per_cycle = corner_cycles > 0 ? saturation_corner(high, 1 / corner_cycles, sharpness) : high;
}
