#include "model/memory/skew.h"

#include <math.h>

/* What the blocks of an SM compete for among themselves; L2 and DRAM keep all SMs waiting alike. */
static bool is_of_the_sm(enum resource resource)
{
    return resource <= RESOURCE_L1_TAGS;
}

double skew_share(const struct demand *demand, const struct capacity capacity[RESOURCE_COUNT],
                  const struct residency *residency, double latency_cycles)
{
    const double warps = residency->blocks_per_sm * residency->warps_per_block;
    struct throughput bound;
    double busiest = 0;

    throughput_bound(&bound, demand->count, capacity, residency->sms, 1);
    for (enum resource r = 0; r < RESOURCE_COUNT; r++)
        if (is_of_the_sm(r))
            busiest = fmax(busiest, throughput_bottleneck(&bound, r));
    return busiest > 0 && latency_cycles > 0 ? fmax(1 - latency_cycles / (busiest * warps), 0) : 0;
}
