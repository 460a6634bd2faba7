#include "baselines/littles_law.h"

#include <math.h>

void littles_measure(struct littles_sample *out, const struct littles_item *items, size_t n, double first,
                     double last)
{
    double latencies = 0, inside = 0;
    size_t i;

    *out = (struct littles_sample){0};
    for (i = 0; i < n; i++) {
        if (items[i].end < first || items[i].start > last)
            continue;
        inside += fmin(items[i].end, last) - fmax(items[i].start, first);
        if (items[i].start >= first && items[i].end <= last) {
            latencies += items[i].end - items[i].start;
            out->whole++;
        } else {
            out->cut++;
        }
    }
    if (out->whole)
        out->mean_latency = latencies / (double)out->whole;
    out->throughput = (double)out->whole / (last - first);
    out->mean_concurrency = inside / (last - first);
}

double littles_concurrency(double latency, double throughput)
{
    return latency * throughput;
}

double littles_throughput(double concurrency, double latency)
{
    return concurrency / latency;
}

double littles_latency(double concurrency, double throughput)
{
    return concurrency / throughput;
}

double littles_rate_per_sm(double per_second, double clock_hz, double sms, double per_item)
{
    return per_second / clock_hz / sms / per_item;
}

double littles_needed_warps(double instructions, double per_warp)
{
    return instructions / per_warp;
}

double littles_warps_as_instructions(const struct littles_class *classes, size_t n, double warps)
{
    double slowest = 0;
    size_t i;

    for (i = 0; i < n; i++)
        slowest =
            fmax(slowest, classes[i].count * fmax(classes[i].latency / warps, 1 / classes[i].throughput));
    return slowest;
}
