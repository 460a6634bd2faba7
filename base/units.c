#include "base/units.h"

#include <math.h>
#include <stdio.h>

static void put(char out[UNITS_BYTES], double value, const char *unit)
{
    if (isnan(value))
        snprintf(out, UNITS_BYTES, "none");
    else if (value < 1e-3)
        snprintf(out, UNITS_BYTES, "%.4g u%s", value * 1e6, unit);
    else if (value < 1)
        snprintf(out, UNITS_BYTES, "%.4g m%s", value * 1e3, unit);
    else
        snprintf(out, UNITS_BYTES, "%.4g %s", value, unit);
}

void units_time(char out[UNITS_BYTES], double seconds)
{
    put(out, seconds, "s");
}

void units_energy(char out[UNITS_BYTES], double joules)
{
    put(out, joules, "J");
}
