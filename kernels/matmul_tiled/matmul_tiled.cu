// C = A B in single precision, row-major, A is M x K, B is K x N, every size from 1 up: a thread block brings
// tiles of A and B to shared memory, a thread computes one element of C from them.
#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 8
#define TILE_K  32
#define PAD     0
#define BUFFERS 1
#define UNROLL  4
#endif

constexpr int THREADS = BLOCK_X * BLOCK_Y;
constexpr int A_PITCH = TILE_K + PAD;
constexpr int A_COPIES = BLOCK_Y * TILE_K / THREADS; // elements that a thread brings
constexpr int B_COPIES = BLOCK_X * TILE_K / THREADS;
static_assert(A_COPIES * THREADS == BLOCK_Y * TILE_K && B_COPIES * THREADS == BLOCK_X * TILE_K,
              "threads must share the tiles evenly");

struct tiles {
    float a[BLOCK_Y * A_PITCH];
    float b[TILE_K * BLOCK_X];
};

struct copies {
    float a[A_COPIES], b[B_COPIES];
};

__device__ __forceinline__ float element(const float *matrix, int row, int column, int rows, int columns)
{
    return row < rows && column < columns ? __ldg(matrix + (long long)row * columns + column) : 0.0f;
}

__device__ __forceinline__ void load(copies &held, const float *A, const float *B, int M, int N, int K, int k)
{
    const int thread = threadIdx.y * BLOCK_X + threadIdx.x;
#pragma unroll
    for (int c = 0; c < A_COPIES; c++) {
        const int e = thread + c * THREADS;
        held.a[c] = element(A, blockIdx.y * BLOCK_Y + e / TILE_K, k + e % TILE_K, M, K);
    }
#pragma unroll
    for (int c = 0; c < B_COPIES; c++) {
        const int e = thread + c * THREADS;
        held.b[c] = element(B, k + e / BLOCK_X, blockIdx.x * BLOCK_X + e % BLOCK_X, K, N);
    }
}

__device__ __forceinline__ void store(tiles &to, const copies &held)
{
    const int thread = threadIdx.y * BLOCK_X + threadIdx.x;
#pragma unroll
    for (int c = 0; c < A_COPIES; c++) {
        const int e = thread + c * THREADS;
        to.a[e / TILE_K * A_PITCH + e % TILE_K] = held.a[c];
    }
#pragma unroll
    for (int c = 0; c < B_COPIES; c++)
        to.b[thread + c * THREADS] = held.b[c];
}

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    matmul_tiled(int M, int N, int K, const float *__restrict__ A, const float *__restrict__ B,
                 float *__restrict__ C)
{
    __shared__ tiles buffers[BUFFERS];
    constexpr int STEPS = UNROLL;
    copies held;
    float sum = 0.0f;
    load(held, A, B, M, N, K, 0);
    store(buffers[0], held);
    __syncthreads();
    for (int k0 = 0, now = 0; k0 < K; k0 += TILE_K) {
        const bool more = k0 + TILE_K < K;
        if (more)
            load(held, A, B, M, N, K, k0 + TILE_K);
        const float *a = buffers[now].a + threadIdx.y * A_PITCH, *b = buffers[now].b + threadIdx.x;
#pragma unroll STEPS
        for (int k = 0; k < TILE_K; k++)
            sum = fmaf(a[k], b[k * BLOCK_X], sum);
        if (BUFFERS == 1)
            __syncthreads(); // everybody has read the only buffer
        else
            now = 1 - now;
        if (more)
            store(buffers[now], held);
        __syncthreads();
    }
    const int row = blockIdx.y * BLOCK_Y + threadIdx.y, column = blockIdx.x * BLOCK_X + threadIdx.x;
    if (row < M && column < N)
        C[(long long)row * N + column] = sum;
}

// The same, summed in double precision.
extern "C" __global__ void matmul_tiled_reference(int M, int N, int K, const float *__restrict__ A,
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
