#include "tuner/predict/pareto.h"

#include <math.h>

struct pareto_metrics pareto_metrics_of(double instructions, double threads, double waits,
                                        double warps_per_block, double blocks_per_sm)
{
    return (struct pareto_metrics){
        .efficiency = 1 / (instructions * threads),
        .utilization = instructions / fmax(waits, 1) *
                       ((warps_per_block - 1) / 2 + (blocks_per_sm - 1) * warps_per_block),
    };
}

static bool dominates(const struct pareto_metrics *a, const struct pareto_metrics *b)
{
    return a->efficiency >= b->efficiency && a->utilization >= b->utilization &&
           (a->efficiency > b->efficiency || a->utilization > b->utilization);
}

void pareto_front(bool *keep, const struct pareto_metrics *metrics, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        keep[i] = true;
        for (size_t k = 0; k < n && keep[i]; k++)
            keep[i] = !dominates(&metrics[k], &metrics[i]);
    }
}
