#include "tuner/cli/explain.h"

#include <string.h>

#define ELSEWHERE "as on " /* how such an origin begins: device.h */

static bool is_elsewhere(const char *origin)
{
    return !strncmp(origin, ELSEWHERE, sizeof ELSEWHERE - 1);
}

size_t explained_elsewhere(const char **names, const struct device *device)
{
    size_t count = 0;

    for (size_t v = 0; v < DEVICE_VALUE_COUNT; v++)
        if (device->values[v].known && is_elsewhere(device->values[v].origin))
            names[count++] = device_value_info((enum device_value_id)v)->name;
    for (size_t c = 0; c < DEVICE_CURVE_COUNT; c++)
        if (device->curves[c].count && is_elsewhere(device->curves[c].origin))
            names[count++] = device_curve_info((enum device_curve_id)c)->name;
    return count;
}
