#include "reference.h"

void reference_matmul_volkov(int M, int N, int K, const float *A, const float *B, float *C)
{
    for (int column = 0; column < N; column++) {
        for (int row = 0; row < M; row++) {
            double sum = 0;

            for (int k = 0; k < K; k++)
                sum += (double)A[k * M + row] * B[column * K + k];
            C[column * M + row] = (float)sum;
        }
    }
}
