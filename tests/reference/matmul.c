#include "reference.h"

void reference_matmul(int M, int N, int K, const float *A, const float *B, float *C)
{
    for (int row = 0; row < M; row++) {
        for (int column = 0; column < N; column++) {
            double sum = 0;

            for (int k = 0; k < K; k++)
                sum += (double)A[row * K + k] * B[k * N + column];
            C[row * N + column] = (float)sum;
        }
    }
}
