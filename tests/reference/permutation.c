#include "reference.h"

void reference_permutation(int n, const int *c, const float *b, float *a)
{
    for (int i = 0; i < n; i++)
        a[i] = b[c[i]];
}
