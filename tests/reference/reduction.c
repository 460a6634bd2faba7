#include "reference.h"

void reference_reduction(int n, const float *a, float *total)
{
    double sum = *total;

    for (int i = 0; i < n; i++)
        sum += a[i];
    *total = (float)sum;
}
