#include "tuner/remote/pace.h"

#include <math.h>

static const double difference_most = 0.03;

double pace_difference(const struct gpu_pace *pace, const struct gpu_pace *than)
{
    double arithmetic, memory;

    if (!(pace->arithmetic_s > 0 && than->arithmetic_s > 0 && pace->memory_s > 0 && than->memory_s > 0))
        return 0;
    arithmetic = pace->arithmetic_s / than->arithmetic_s - 1;
    memory = pace->memory_s / than->memory_s - 1;
    return fabs(arithmetic) > fabs(memory) ? arithmetic : memory;
}

bool pace_is_off(const struct gpu_pace *pace, const struct gpu_pace *than)
{
    return fabs(pace_difference(pace, than)) > difference_most;
}

static size_t agreeing(const struct gpu_pace *paces, size_t count, size_t with)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        n += !pace_is_off(&paces[i], &paces[with]);
    return n;
}

struct gpu_pace pace_usual(const struct gpu_pace *paces, size_t count)
{
    size_t best = 0, most = 0;

    for (size_t i = 0; i < count; i++) {
        const size_t n = agreeing(paces, count, i);

        if (n < most || (n == most && pace_difference(&paces[i], &paces[best]) >= 0))
            continue;
        best = i;
        most = n;
    }
    return count ? paces[best] : (struct gpu_pace){0};
}
