#include "baselines/pipeline.h"

#include <math.h>

double pipeline_cycles(const struct pipeline_class *classes, size_t n, double warps)
{
    double busy[2] = {0, 0}, chain = 0;

    for (size_t i = 0; i < n; i++) {
        busy[classes[i].memory != 0] += warps * classes[i].count * classes[i].issue;
        chain += classes[i].dependent * classes[i].completion;
    }
    return fmax(fmax(busy[0], busy[1]), chain);
}
