// C[b] = A[b] B[b] for many 32 x 32 matrices. A thread computes ROWS x COLUMNS elements, so (32 / ROWS) x
// (32 / COLUMNS) threads work on a matrix; MATRICES of them make a block.
#ifndef ROWS
#define ROWS     2
#define COLUMNS  2
#define MATRICES 1
#define WIDTH    1
#define PAD      0
#endif
#define N       32
#define THREADS ((N / ROWS) * (N / COLUMNS))
#define PITCH   (N + PAD)

template <int width> struct vector;
template <> struct vector<1> {
    typedef float type;
};
template <> struct vector<4> {
    typedef float4 type;
};
typedef vector<WIDTH>::type floats;

__device__ __forceinline__ void stage(float *to, const float *__restrict__ from, int thread)
{
    for (int k = thread * WIDTH; k < N * N; k += THREADS * WIDTH)
        *(floats *)&to[k / N * PITCH + k % N] = *(const floats *)&from[k];
}

extern "C" __global__ void __launch_bounds__(THREADS *MATRICES)
    batched_gemm(float *__restrict__ c, const float *__restrict__ a, const float *__restrict__ b, int count)
{
    __shared__ __align__(16) float left[MATRICES][N * PITCH], right[MATRICES][N * PITCH];
    const int mine = threadIdx.x / THREADS, thread = threadIdx.x % THREADS;
    const int row = thread / (N / COLUMNS), column = thread % (N / COLUMNS);
    const long long matrix = (long long)blockIdx.x * MATRICES + mine;
    float sum[ROWS][COLUMNS] = {};

    if (matrix < count) {
        stage(left[mine], a + matrix * N * N, thread);
        stage(right[mine], b + matrix * N * N, thread);
    }
    __syncthreads();
    if (matrix >= count)
        return;
#pragma unroll 8
    for (int k = 0; k < N; k++) {
        float x[ROWS], y[COLUMNS];
#pragma unroll
        for (int i = 0; i < ROWS; i++)
            x[i] = left[mine][(row + i * (N / ROWS)) * PITCH + k];
#pragma unroll
        for (int j = 0; j < COLUMNS; j++)
            y[j] = right[mine][k * PITCH + column + j * (N / COLUMNS)];
#pragma unroll
        for (int i = 0; i < ROWS; i++)
#pragma unroll
            for (int j = 0; j < COLUMNS; j++)
                sum[i][j] += x[i] * y[j];
    }
    float *to = c + matrix * N * N;
#pragma unroll
    for (int i = 0; i < ROWS; i++)
#pragma unroll
        for (int j = 0; j < COLUMNS; j++)
            to[(row + i * (N / ROWS)) * N + column + j * (N / COLUMNS)] = sum[i][j];
}

extern "C" __global__ void batched_gemm_reference(float *__restrict__ c, const float *__restrict__ a,
                                                  const float *__restrict__ b, int count)
{
    const long long matrix = blockIdx.x;
    const float *from = a + matrix * N * N, *by = b + matrix * N * N;
    double sum = 0;
    for (int k = 0; k < N; k++)
        sum += (double)from[threadIdx.y * N + k] * by[k * N + threadIdx.x];
    c[matrix * N * N + threadIdx.y * N + threadIdx.x] = (float)sum;
}
