// C = A B in single precision: A is M x K, B is K x N, C is M x N, all row-major, every size from 1 up; the
// pointers are aligned to 16 bytes. A thread block computes a tile of TILE_M x TILE_N, a warp a part of it, a
// thread THREAD_M x THREAD_N in registers, while the tiles of A and B that come next are on their way to
// shared memory. README.md says what each parameter is for.
//
// Where SPLIT_K is more than CLUSTER, `partial` has room for SPLIT_K / CLUSTER floats for each element of
// every tile, and `arrived` for CLUSTER counters a tile, all zero; the kernel leaves them zero. Launches that
// may run at the same time need their own. Else neither is touched.
#ifndef TILE_M
#define TILE_M        128
#define TILE_N        128
#define TILE_K        16
#define THREAD_M      8
#define THREAD_N      8
#define STAGES        2
#define COPY          COPY_REGISTERS
#define UNROLL        8
#define COLUMNS_FIRST 0
#define RUN           8
#define MIN_BLOCKS    1
#define SPLIT_K       1
#define CLUSTER       1
#endif

// The values of COPY: how a tile of A gets to shared memory, and how it lies there.
#define COPY_REGISTERS 0 // 16 bytes through registers, transposed on the way: A[k][m]
#define COPY_WORDS     1 // asynchronous copies of 4 bytes that transpose: A[k][m]
#define COPY_VECTORS   2 // asynchronous copies of 16 bytes, as in memory: A[m][k]

#include "shape.cuh"
#include "copies.cuh"
#include "product.cuh"
#include "split.cuh"

// Thread blocks that run together share rows of A and columns of B in L2 when they lie in groups of GROUP_M
// rows of tiles.
template <bool WHOLE> __device__ __forceinline__ tile block_tile(const matrices &in)
{
    const int index = blockIdx.x / SPLIT_K;
    const int rows = (in.M + TILE_M - 1) / TILE_M, columns = (in.N + TILE_N - 1) / TILE_N;
    const int group = index / (GROUP_M * columns), within = index % (GROUP_M * columns);
    const int height = min(GROUP_M, rows - group * GROUP_M);
    tile at;
    at.row = (group * GROUP_M + within % height) * TILE_M;
    at.column = within / height * TILE_N;
    at.inside = WHOLE || (in.M >= TILE_M && in.N >= TILE_N);
    // The last tiles are moved inward: what two blocks compute they compute alike, bit by bit.
    if (at.inside) {
        at.row = min(at.row, in.M - TILE_M);
        at.column = min(at.column, in.N - TILE_N);
    }
    at.a_m = threadIdx.x / A_LANES;
    at.a_k = threadIdx.x % A_LANES * A_WIDTH;
    at.b_k = threadIdx.x / B_LANES;
    at.b_n = threadIdx.x % B_LANES * VEC;
    at.A = in.A + (long long)(at.row + at.a_m) * in.K + at.a_k;
    at.B = in.B + (long long)at.b_k * in.N + at.column + at.b_n;
    return at;
}

// The main loop's state: stages are counted in floats from the start of shared memory.
struct pipeline {
    float *shared;
    int reading, writing; // stages
    place fragment;       // in the stage being read
    staged held;
    fragments next;
    float sum[THREAD_M][THREAD_N];
};

// Fills the first stages.
template <bool WHOLE>
__device__ __forceinline__ void start(pipeline &line, const matrices &in, const tile &at)
{
    if (COPY == COPY_REGISTERS) {
        load_tiles<WHOLE>(line.held, in, at, in.begin);
        store_tiles(line.shared, line.held, at);
    } else {
#pragma unroll
        for (int s = 0; s < STAGES - 1; s++) {
            if (in.begin + s < in.end)
                copy_tiles<WHOLE>(line.shared + s * STAGE_FLOATS, in, at, in.begin + s);
            copies_commit();
        }
        copies_wait<STAGES - 2>();
    }
    __syncthreads();
}

// Sets out for tiles t, which will lie in the stage being written; nobody reads there since the last barrier.
template <bool WHOLE>
__device__ __forceinline__ void fetch(pipeline &line, const matrices &in, const tile &at, int t)
{
    if (COPY == COPY_REGISTERS) {
        if (t < in.end)
            load_tiles<WHOLE>(line.held, in, at, t);
    } else {
        if (t < in.end)
            copy_tiles<WHOLE>(line.shared + line.writing, in, at, t);
        copies_commit(); // also an empty group: the count of groups tells which tile has arrived
    }
}

// Waits until the next tiles lie in shared memory and every thread has read its last fragments of these.
__device__ __forceinline__ void arrive(pipeline &line, const tile &at, const place &first)
{
    if (COPY == COPY_REGISTERS)
        store_tiles(line.shared + line.writing, line.held, at);
    else
        copies_wait<STAGES - 2>();
    __syncthreads();
    line.writing = line.reading;
    line.reading = line.reading == (STAGES - 1) * STAGE_FLOATS ? 0 : line.reading + STAGE_FLOATS;
    line.fragment.a = first.a + 4 * line.reading;
    line.fragment.b = first.b + 4 * line.reading;
}

// To the fragments of the next pass, at the end of the tiles those of the next tiles.
__device__ __forceinline__ void advance(pipeline &line, const tile &at, const place &first, bool last)
{
    if (last) {
        arrive(line, at, first);
    } else {
        line.fragment.a += 4 * a_place(0, UNROLL);
        line.fragment.b += 4 * UNROLL * TILE_N;
    }
}

// Step STEP of a pass over UNROLL steps, and those after it: the fragments of the next step are loaded before
// this one is multiplied. A template and not a loop, since compilers give up on unrolling long loops.
template <int STEP>
__device__ __forceinline__ void steps(pipeline &line, const tile &at, const place &first, bool last)
{
    constexpr bool END = STEP == UNROLL - 1;
    const fragments now = line.next;
    if (END)
        advance(line, at, first, last);
    load_fragments<END ? 0 : STEP + 1>(line.next, line.fragment);
    multiply<STEP>(line.sum, now);
    if constexpr (!END)
        steps<STEP + 1>(line, at, first, last);
}

template <bool WHOLE> __device__ __forceinline__ void multiply_tile(const matrices &all, float *stages)
{
    const tile at = block_tile<WHOLE>(all);
    const part p = thread_part();

    pipeline line = {};
    line.shared = stages;
    line.writing = (STAGES - 1) * STAGE_FLOATS;
    start<WHOLE>(line, all, at);
    const place first = line.fragment = place_in(line.shared, p);
    load_fragments<0>(line.next, first);
#pragma unroll 1
    for (int t = all.begin; t < all.end; t++) {
        fetch<WHOLE>(line, all, at, t + STAGES - 1);
#pragma unroll 1
        for (int pass = 0; pass < PASSES; pass++)
            steps<0>(line, at, first, pass == PASSES - 1);
    }
    store_sums<WHOLE>(all, at, p, line.sum, line.shared);
}

#if CLUSTER > 1
extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(THREADS, MIN_BLOCKS)
#else
extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
#endif
    matmul(int M, int N, int K, const float *__restrict__ A, const float *__restrict__ B,
           float *__restrict__ C, float *partial, unsigned *arrived)
{
    extern __shared__ float4 stages[];
    const int tiles = (K + TILE_K - 1) / TILE_K, share = blockIdx.x % SPLIT_K;
    matrices all = {A, B, C, partial, arrived, M, N, K};
    all.begin = (int)((long long)tiles * share / SPLIT_K);
    all.end = (int)((long long)tiles * (share + 1) / SPLIT_K);
    all.one = M > 0 ? 1.0f : 0.0f;
    if (M >= TILE_M && N >= TILE_N && N % VEC == 0 && K % TILE_K == 0)
        multiply_tile<true>(all, reinterpret_cast<float *>(stages));
    else
        multiply_tile<false>(all, reinterpret_cast<float *>(stages));
}

// The same, one element a thread, summed in double precision.
extern "C" __global__ void matmul_reference(int M, int N, int K, const float *__restrict__ A,
                                            const float *__restrict__ B, float *__restrict__ C, float *,
                                            unsigned *)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || column >= N)
        return;
    double sum = 0;
    for (int k = 0; k < K; k++)
        sum += (double)A[(long long)row * K + k] * B[(long long)k * N + column];
    C[(long long)row * N + column] = (float)sum;
}
