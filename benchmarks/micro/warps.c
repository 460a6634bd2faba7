/* Whether the schedulers are fair.
 *
 * Isolates: chains of dependent FFMA in 1 to 32 warps of a block, the time of each warp for itself.
 *
 * Unit: cycles per FFMA of a warp.
 *
 * Expected: the latency as long as the pipe is not full, then in proportion to the warps; the same for every
 * warp of an SM if the schedulers are fair (Wong et al., section on the pipeline).
 *
 * Profile: curves warp_latency, warp_latency_spread. */
#include "micro/micro.h"
#include "micro/operations.h"

#include "base/stats.h"

#include <stdlib.h>

enum { PASSES = 64 };
static const unsigned counts[] = {1, 2, 4, 8, 12, 16, 20, 24, 28, 32};
enum { POINTS = sizeof counts / sizeof *counts };

/* Mean, and largest less smallest, over the warps of one block. */
static void of_block(double *mean, double *spread, const struct span *spans, unsigned warps)
{
    const double steps = (double)PASSES * OPERATION_LENGTH;
    double least = 0, most = 0, sum = 0;

    for (unsigned w = 0; w < warps; w++) {
        const double cycles = (double)(spans[w].stop - spans[w].start) / steps;

        least = w == 0 || cycles < least ? cycles : least;
        most = cycles > most ? cycles : most;
        sum += cycles;
    }
    *mean = sum / warps;
    *spread = most - least;
}

/* Medians over the SMs. */
static int point(double *mean, double *spread, const struct micro *micro, const struct micro_code *code,
                 unsigned warps, struct err *err)
{
    double *means = calloc(micro->sms, sizeof *means), *spreads = calloc(micro->sms, sizeof *spreads);
    struct span *spans = NULL;
    struct call call;
    int rc;

    call_init(&call, micro->sms, 32 * warps, 0);
    call_in(&call, "in", 8192);
    call_sink(&call, "sink", micro);
    call_spans(&call, micro);
    call_int(&call, PASSES);
    call.failed |= !means || !spreads;
    rc = call_run((void **)&spans, micro, code, &call, "spans", err);
    for (unsigned b = 0; rc == 0 && b < micro->sms; b++)
        of_block(&means[b], &spreads[b], spans + (size_t)b * warps, warps);
    if (rc == 0) {
        *mean = stats_median(means, micro->sms);
        *spread = stats_median(spreads, micro->sms);
    }
    free(spans);
    free(spreads);
    free(means);
    return rc;
}

static int warp_latency(const struct micro *micro, struct err *err)
{
    struct device_curve *curves = micro->device->curves;
    double x[POINTS], mean[POINTS], spread[POINTS];
    struct micro_code code;
    int rc = operation_compile(&code, micro, operation_find(DEVICE_OP_FFMA), "saturated", 1, err);

    if (rc)
        return rc;
    for (size_t i = 0; rc == 0 && i < POINTS; i++) {
        x[i] = counts[i];
        rc = point(&mean[i], &spread[i], micro, &code, counts[i], err);
    }
    if (rc == 0)
        rc = device_curve_set(&curves[DEVICE_CURVE_WARP_LATENCY], x, mean, POINTS, "arithmetic saturated",
                              err);
    if (rc == 0)
        rc = device_curve_set(&curves[DEVICE_CURVE_WARP_LATENCY_SPREAD], x, spread, POINTS,
                              "arithmetic saturated", err);
    micro_code_release(&code);
    return rc;
}

int micro_warps(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"warp_latency", warp_latency, true}};

    return micro_parts(micro, parts, 1, err);
}
