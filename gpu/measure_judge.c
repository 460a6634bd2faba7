#include "gpu/measure_judge.h"

#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

const double measure_clock_tolerance = 0.01;
static const double warm_up_s = 30e-3; /* at most this long is spent until the clock settles */
static const double sampling_s = 2;    /* spent on what does not settle */
static const double behind = 0.02;     /* what is this much slower than another does not win */
/* And this long at a limit of power, which the clock meets in steps, the last about 0.1 s after the first launch, also on a
 * GPU that rested for 10 ms only. */
static const double limited_s = 150e-3;

double measure_clock(const struct stamp *before, const struct stamp *after, unsigned sm_count)
{
    double *clocks = malloc((sm_count + 1) * sizeof *clocks), clock = 0;
    unsigned sm, n = 0;

    for (sm = 0; clocks && sm < sm_count; sm++)
        if (before[sm].ns && after[sm].ns > before[sm].ns && after[sm].cycles > before[sm].cycles)
            clocks[n++] =
                1e9 * (double)(after[sm].cycles - before[sm].cycles) / (double)(after[sm].ns - before[sm].ns);
    if (n)
        clock = stats_median(clocks, n);
    free(clocks);
    return clock;
}

bool measure_keep(bool *kept, const double *clock_hz, size_t count)
{
    double settled = stats_median(clock_hz, count), limit = measure_clock_tolerance * settled;
    size_t near = 0, i;
    double *distance;

    for (i = 0; i < count; i++) {
        kept[i] = fabs(clock_hz[i] - settled) <= limit;
        near += kept[i];
    }
    if (2 * near >= count)
        return false;
    distance = malloc(count * sizeof *distance);
    if (!distance)
        return true;
    for (i = 0; i < count; i++)
        distance[i] = fabs(clock_hz[i] - settled);
    limit = stats_median(distance, count);
    for (i = 0; i < count; i++)
        kept[i] = distance[i] <= limit;
    free(distance);
    return true;
}

bool measure_slowed(double clock_hz, double clock_top_hz)
{
    return clock_hz < (1 - 2 * measure_clock_tolerance) * clock_top_hz;
}

bool measure_warms(double spent_s, double previous_hz, double clock_hz, double clock_top_hz)
{
    if (clock_hz > 0 && measure_slowed(clock_hz, clock_top_hz))
        return spent_s < limited_s;
    return spent_s < warm_up_s && fabs(clock_hz - previous_hz) > measure_clock_tolerance * clock_hz;
}

bool measure_hopeless(const double *samples_s, const double *clock_hz, size_t count, double clock_top_hz,
                      double give_up_s)
{
    for (size_t i = 0; i < count; i++) {
        double slowed = clock_hz[i] > 0 && clock_hz[i] < clock_top_hz ? clock_hz[i] / clock_top_hz : 1;

        if (samples_s[i] * slowed <= give_up_s)
            return false;
    }
    return count >= 2 && give_up_s > 0;
}

bool measure_settled(const double *samples_s, const double *clock_hz, size_t count, double clock_top_hz,
                     const struct protocol *protocol)
{
    const struct stats_interval interval = stats_median_interval(samples_s, count);
    const double width = (interval.high - interval.low) / stats_median(samples_s, count);

    if (count >= protocol->samples_min && width <= protocol->interval)
        return true;
    return count >= MEASURE_BEHIND && width <= behind &&
           measure_hopeless(samples_s, clock_hz, count, clock_top_hz, (1 + behind) * protocol->rival_s);
}

unsigned measure_most(const struct protocol *protocol, double expected_s)
{
    const double most = sampling_s / fmax(expected_s, 1e-9);

    if (most >= protocol->samples_max)
        return protocol->samples_max;
    return most > protocol->samples_min ? (unsigned)most : protocol->samples_min;
}
