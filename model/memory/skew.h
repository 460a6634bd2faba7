/* How fast the thread blocks of an SM drift apart. */
#ifndef MODEL_MEMORY_SKEW_H
#define MODEL_MEMORY_SKEW_H

#include "model/machine/residency.h"
#include "model/machine/throughput.h"

/* Blocks that begin together end together where latency limits them: nobody waits for another. Where units of
 * the SM limit them they compete, and not all are served alike: the first ends as soon as it would alone,
 * after `latency_cycles`, the last with the wave. Returns the share of a wave between the two ends, 0 to
 * below 1; 0 in the latency-bound mode. `capacity` as for throughput_bound(). */
double skew_share(const struct demand *demand, const struct capacity capacity[RESOURCE_COUNT],
                  const struct residency *residency, double latency_cycles);

#endif
