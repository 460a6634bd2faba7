#include "tuner/cli/explain.h"

#include <string.h>

static const char *const values[] = {
#define DEVICE_VALUE(id, key, ...) [DEVICE_##id] = key,
#include "model/device/device.def"
#undef DEVICE_VALUE
};

static const char *const curves[] = {
#define DEVICE_CURVE(id, key, ...) [DEVICE_CURVE_##id] = key,
#include "model/device/device.def"
#undef DEVICE_CURVE
};

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
            names[count++] = values[v];
    for (size_t c = 0; c < DEVICE_CURVE_COUNT; c++)
        if (device->curves[c].count && is_elsewhere(device->curves[c].origin))
            names[count++] = curves[c];
    return count;
}
