// C = A B in single precision, column-major as in Volkov and Demmel's SGEMM: A is M x K, B is K x N, every
// size from 1 up. A thread computes ROWS x COLUMNS elements of C in registers. The elements of A come
// straight from global memory, side by side for the lanes of a warp, and are used COLUMNS times; B comes
// through shared memory, where all lanes read the same vector.
#ifndef BLOCK
#define BLOCK      64
#define ROWS       1
#define COLUMNS    16
#define TILE_K     16
#define AHEAD      1
#define MIN_BLOCKS 1
#endif

constexpr int VEC = 4;
constexpr int PITCH = COLUMNS + VEC; // floats from one k to the next in shared memory
static_assert(COLUMNS % VEC == 0, "B is read 16 bytes at a time");
static_assert(TILE_K % AHEAD == 0, "elements of A are loaded AHEAD at a time");

// B[k .. k + TILE_K - 1][column ..] to shared memory; zero outside.
__device__ __forceinline__ void load_b(float *tile, const float *__restrict__ B, int N, int K, int k,
                                       int column)
{
#pragma unroll
    for (int e = threadIdx.x; e < TILE_K * COLUMNS; e += BLOCK) {
        const int row = e % TILE_K, j = e / TILE_K;
        const bool inside = k + row < K && column + j < N;
        tile[row * PITCH + j] = inside ? __ldg(B + (long long)(column + j) * K + k + row) : 0.0f;
    }
}

// A[row + r BLOCK][k ..] for the next AHEAD steps; zero outside.
__device__ __forceinline__ void load_a(float (&a)[AHEAD][ROWS], const float *__restrict__ A, int M, int K,
                                       int row, int k)
{
#pragma unroll
    for (int step = 0; step < AHEAD; step++)
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            a[step][r] = row + r * BLOCK < M && k + step < K
                             ? __ldg(A + (long long)(k + step) * M + row + r * BLOCK)
                             : 0.0f;
}

__device__ __forceinline__ void multiply(float (&sum)[ROWS][COLUMNS], const float (&a)[ROWS], const float *b)
{
#pragma unroll
    for (int j = 0; j < COLUMNS; j += VEC) {
        const float4 four = *(const float4 *)(b + j);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            sum[r][j] = fmaf(a[r], four.x, sum[r][j]);
            sum[r][j + 1] = fmaf(a[r], four.y, sum[r][j + 1]);
            sum[r][j + 2] = fmaf(a[r], four.z, sum[r][j + 2]);
            sum[r][j + 3] = fmaf(a[r], four.w, sum[r][j + 3]);
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
    matmul_volkov(int M, int N, int K, const float *__restrict__ A, const float *__restrict__ B,
                  float *__restrict__ C)
{
    __shared__ float4 tile_storage[TILE_K * PITCH / VEC];
    float *tile = (float *)tile_storage;
    const int row = blockIdx.x * BLOCK * ROWS + threadIdx.x, column = blockIdx.y * COLUMNS;
    float sum[ROWS][COLUMNS] = {};
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += TILE_K) {
        load_b(tile, B, N, K, k0, column);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE_K; k += AHEAD) {
            float a[AHEAD][ROWS];
            load_a(a, A, M, K, row, k0 + k);
#pragma unroll
            for (int step = 0; step < AHEAD; step++)
                multiply(sum, a[step], tile + (k + step) * PITCH);
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int j = 0; j < COLUMNS; j++)
            if (row + r * BLOCK < M && column + j < N)
                C[(long long)(column + j) * M + row + r * BLOCK] = sum[r][j];
}

// One element a thread, summed in double precision.
extern "C" __global__ void matmul_volkov_reference(int M, int N, int K, const float *__restrict__ A,
                                                   const float *__restrict__ B, float *__restrict__ C)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || column >= N)
        return;
    double sum = 0;
    for (int k = 0; k < K; k++)
        sum += (double)A[(long long)k * M + row] * B[(long long)column * K + k];
    C[(long long)column * M + row] = (float)sum;
}
