#include "reference.h"

#include <math.h>

void reference_abs_inplace(int n, float *a)
{
    for (int i = 0; i < n; i++)
        a[i] = fabsf(a[i]);
}
