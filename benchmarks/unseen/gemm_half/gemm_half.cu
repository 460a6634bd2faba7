// C = A B on tensor cores, half precision summed in single. A warp computes FRAGMENTS_M x FRAGMENTS_N
// fragments of 16 x 16, a block WARPS_M x WARPS_N of those.
#include <mma.h>

#ifndef WARPS_M
#define WARPS_M     2
#define WARPS_N     2
#define FRAGMENTS_M 2
#define FRAGMENTS_N 2
#define TILE_K      16
#define PAD         8
#endif
#define THREADS (32 * WARPS_M * WARPS_N)
#define TILE_M  (16 * WARPS_M * FRAGMENTS_M)
#define TILE_N  (16 * WARPS_N * FRAGMENTS_N)
#define WIDTH   8 // halves of one copy

using namespace nvcuda;

// Copies `rows` x `columns` halves, rows `pitch` apart, into rows columns + PAD apart.
template <int rows, int columns>
__device__ __forceinline__ void stage(half *to, const half *__restrict__ from, int pitch)
{
    for (int k = threadIdx.x * WIDTH; k < rows * columns; k += THREADS * WIDTH)
        *(uint4 *)&to[k / columns * (columns + PAD) + k % columns] =
            *(const uint4 *)&from[(long long)(k / columns) * pitch + k % columns];
}

// M is a multiple of TILE_M, N of TILE_N, K of TILE_K.
extern "C" __global__ void __launch_bounds__(THREADS)
    gemm_half(float *__restrict__ c, const half *__restrict__ a, const half *__restrict__ b, int M, int N, int K)
{
    __shared__ __align__(32) half left[TILE_M * (TILE_K + PAD)], right[TILE_K * (TILE_N + PAD)];
    const int warp = threadIdx.x / 32, warp_m = warp / WARPS_N, warp_n = warp % WARPS_N;
    const long long row = (long long)blockIdx.y * TILE_M;
    const int column = blockIdx.x * TILE_N;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[FRAGMENTS_M][FRAGMENTS_N];

#pragma unroll
    for (int i = 0; i < FRAGMENTS_M; i++)
#pragma unroll
        for (int j = 0; j < FRAGMENTS_N; j++)
            wmma::fill_fragment(sum[i][j], 0.0f);
    for (int start = 0; start < K; start += TILE_K) {
        stage<TILE_M, TILE_K>(left, a + row * K + start, K);
        stage<TILE_K, TILE_N>(right, b + (long long)start * N + column, N);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE_K; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x[FRAGMENTS_M];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y[FRAGMENTS_N];
#pragma unroll
            for (int i = 0; i < FRAGMENTS_M; i++)
                wmma::load_matrix_sync(
                    x[i], &left[(warp_m * FRAGMENTS_M + i) * 16 * (TILE_K + PAD) + k], TILE_K + PAD);
#pragma unroll
            for (int j = 0; j < FRAGMENTS_N; j++)
                wmma::load_matrix_sync(
                    y[j], &right[k * (TILE_N + PAD) + (warp_n * FRAGMENTS_N + j) * 16], TILE_N + PAD);
#pragma unroll
            for (int i = 0; i < FRAGMENTS_M; i++)
#pragma unroll
                for (int j = 0; j < FRAGMENTS_N; j++)
                    wmma::mma_sync(sum[i][j], x[i], y[j], sum[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < FRAGMENTS_M; i++)
#pragma unroll
        for (int j = 0; j < FRAGMENTS_N; j++)
            wmma::store_matrix_sync(c + (row + (warp_m * FRAGMENTS_M + i) * 16) * N + column +
                                        (warp_n * FRAGMENTS_N + j) * 16,
                                    sum[i][j], N, wmma::mem_row_major);
}

extern "C" __global__ void gemm_half_reference(float *__restrict__ c, const half *__restrict__ a,
                                               const half *__restrict__ b, int M, int N, int K)
{
    const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < K; k++)
        sum += __half2float(a[(long long)row * K + k]) * __half2float(b[(long long)k * N + column]);
    c[(long long)row * N + column] = sum;
}
