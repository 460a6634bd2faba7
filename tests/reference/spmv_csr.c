#include "reference.h"

void reference_spmv_csr(int rows, const int *start, const int *column, const float *value, const float *x,
                        float *y)
{
    for (int row = 0; row < rows; row++) {
        double sum = 0;

        for (int k = start[row]; k < start[row + 1]; k++)
            sum += (double)value[k] * x[column[k]];
        y[row] = (float)sum;
    }
}
