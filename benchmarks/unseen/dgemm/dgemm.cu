// C = A B in double precision. A thread computes ROWS x COLUMNS elements, a block's width and height apart.
#ifndef BLOCK_X
#define BLOCK_X 16
#define BLOCK_Y 16
#define ROWS    2
#define COLUMNS 2
#define TILE_K  8
#endif
#define THREADS (BLOCK_X * BLOCK_Y)
#define TILE_M  (BLOCK_Y * ROWS)
#define TILE_N  (BLOCK_X * COLUMNS)

// M is a multiple of TILE_M, N of TILE_N, K of TILE_K.
extern "C" __global__ void __launch_bounds__(THREADS)
    dgemm(double *__restrict__ c, const double *__restrict__ a, const double *__restrict__ b, int M, int N, int K)
{
    __shared__ double left[TILE_K][TILE_M + 1], right[TILE_K][TILE_N];
    const long long row = (long long)blockIdx.y * TILE_M;
    const int column = blockIdx.x * TILE_N, thread = threadIdx.y * BLOCK_X + threadIdx.x;
    double sum[ROWS][COLUMNS] = {};

    for (int start = 0; start < K; start += TILE_K) {
        for (int k = thread; k < TILE_M * TILE_K; k += THREADS)
            left[k % TILE_K][k / TILE_K] = a[(row + k / TILE_K) * K + start + k % TILE_K];
        for (int k = thread; k < TILE_K * TILE_N; k += THREADS)
            right[k / TILE_N][k % TILE_N] = b[(long long)(start + k / TILE_N) * N + column + k % TILE_N];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE_K; k++) {
            double x[ROWS], y[COLUMNS];
#pragma unroll
            for (int i = 0; i < ROWS; i++)
                x[i] = left[k][threadIdx.y + i * BLOCK_Y];
#pragma unroll
            for (int j = 0; j < COLUMNS; j++)
                y[j] = right[k][threadIdx.x + j * BLOCK_X];
#pragma unroll
            for (int i = 0; i < ROWS; i++)
#pragma unroll
                for (int j = 0; j < COLUMNS; j++)
                    sum[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < ROWS; i++)
#pragma unroll
        for (int j = 0; j < COLUMNS; j++)
            c[(row + threadIdx.y + i * BLOCK_Y) * N + column + threadIdx.x + j * BLOCK_X] = sum[i][j];
}

extern "C" __global__ void dgemm_reference(double *__restrict__ c, const double *__restrict__ a,
                                           const double *__restrict__ b, int M, int N, int K)
{
    const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    double sum = 0;
    for (int k = 0; k < K; k++)
        sum += a[(long long)row * K + k] * b[(long long)k * N + column];
    c[(long long)row * N + column] = sum;
}
