#include "model/memory/kept.h"

#include <math.h>

double kept_at_random(double bytes, double cache)
{
    const double times = bytes / fmax(cache, 1);
    double h = 0;

    if (times <= 1)
        return 1;
    for (int k = 0; k < 40; k++)
        h = exp(-(1 - h) * times);
    return h;
}
