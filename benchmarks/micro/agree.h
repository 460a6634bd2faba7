/* Whether two calibrations of one GPU say the same. */
#ifndef MICRO_AGREE_H
#define MICRO_AGREE_H

#include "base/err.h"
#include "model/device/device.h"

#include <stddef.h>

/* A line for each value that differs: latencies, throughputs and operations by more than 2 % (and by more
 * than a hundredth of a cycle), capacities (unit B) by more than 5 %, and whatever only one of the two knows, but for
 * what is measured only where all was asked for.
 * `*compared` counts the values that both know. The text is the caller's to free, "" when all agree.
 * ERR_MEMORY. */
int calibrate_differences(char **out, size_t *compared, const struct device *first,
                          const struct device *second, struct err *err);

#endif
