/* What the GPU can do, per SM cycle. */
#ifndef MODEL_CAPACITIES_H
#define MODEL_CAPACITIES_H

#include "model/machine/clock.h"
#include "model/machine/throughput.h"

/* The two sets differ in trust: `best` is the most ever measured and makes the bound
 * safe, `sustained` makes the estimate right. */
struct capacities {
    struct capacity best[RESOURCE_COUNT];      /* units per cycle of clock_best_hz */
    struct capacity sustained[RESOURCE_COUNT]; /* units per cycle of clock_hz */
    double clock_best_hz;                      /* highest SM clock */
    double clock_hz;                           /* SM clock kept under load */
    struct clock_limits clock;                 /* what tensor cores and the power limit leave of it */
    double launch_s;                           /* fixed cost of a launch; 0 to leave it out */
    double block_dispatch_s; /* time between two thread blocks leaving the dispatcher; 0 likewise */
    double corner_sharpness; /* of the compute pipes, saturation_fit_sharpness(); >= 1 */
};

#endif
