// C = A B in single precision, row-major, A is M x K, B is K x N: a thread computes one element from global
// memory alone, UNROLL products at a time, and the caches do what they can.
#ifndef BLOCK_X
#define BLOCK_X      32
#define BLOCK_Y      8
#define UNROLL       1
#define COLUMN_MAJOR 0
#define READ_ONLY    1
#endif

__device__ __forceinline__ float load(const float *from)
{
    return READ_ONLY ? __ldg(from) : __ldcg(from);
}

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    matmul_naive(int M, int N, int K, const float *__restrict__ A, const float *__restrict__ B,
                 float *__restrict__ C)
{
    // Blocks that follow each other in x run together: they share rows of A, or, COLUMN_MAJOR, columns of B.
    const int block_row = COLUMN_MAJOR ? blockIdx.x : blockIdx.y,
              block_column = COLUMN_MAJOR ? blockIdx.y : blockIdx.x;
    const int row = block_row * BLOCK_Y + threadIdx.y, column = block_column * BLOCK_X + threadIdx.x;
    if (row >= M || column >= N)
        return;
    constexpr int STEPS = UNROLL;
    const float *a = A + (long long)row * K, *b = B + column;
    float sum = 0.0f;
    int k = 0;
#pragma unroll 1
    for (; k + STEPS <= K; k += STEPS) {
        float x[STEPS], y[STEPS];
#pragma unroll
        for (int step = 0; step < STEPS; step++) {
            x[step] = load(a + k + step);
            y[step] = load(b + (long long)(k + step) * N);
        }
#pragma unroll
        for (int step = 0; step < STEPS; step++)
            sum = fmaf(x[step], y[step], sum);
    }
#pragma unroll 1
    for (; k < K; k++)
        sum = fmaf(load(a + k), load(b + (long long)k * N), sum);
    C[(long long)row * N + column] = sum;
}

// The same summed in double precision.
extern "C" __global__ void matmul_naive_reference(int M, int N, int K, const float *__restrict__ A,
                                                  const float *__restrict__ B, float *__restrict__ C)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || column >= N)
        return;
    double sum = 0;
    for (int k = 0; k < K; k++)
        sum += (double)A[(long long)row * K + k] * B[(long long)k * N + column];
    C[(long long)row * N + column] = (float)sum;
}
