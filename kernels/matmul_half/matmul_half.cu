// C = A B^T on tensor cores: A is M x K, B is N x K, both of halves (bfloat16, or float16 with -DFP16) and row-major, C is M x N of the
// same type, or of floats with -DFLOAT_OUT. Sums are floats. For compute capability 9.0 alone (sm_90a).
//
// One warpgroup copies boxes of A and B into a ring of stages in shared memory, the others multiply what lies there. Thread blocks
// stay, one on each SM, and take tile after tile; those of a cluster share what they copy.
#include "ptx.cuh"
#include "mma.cuh"
#include "shape.cuh"
#include "store.cuh"

// As tiles see it: with SWAP, B is on the left and the product the transpose of C.
struct Problem {
    const TensorMap &a, &b, &to;
    int rows, columns, depth;
    Out *c;
    float *partial;
    unsigned *arrived;
};

// Copying ------------------------------------------------------------------------------------------------

// Boxes of one matrix for a stage. `shares` thread blocks need the same `lines`: each copies its part for all of them.
template <int LINES, int SHARES>
__device__ __forceinline__ void copy_boxes(word to, const TensorMap &map, int k, int line, int share, unsigned short ranks,
                                           word filled)
{
    constexpr int part = LINES / SHARES;

#pragma unroll
    for (int box = 0; box < BOXES; box++) {
        const word at = to + box * LINES * DEPTH * 2 + share * part * DEPTH * 2;

        if (SHARES == 1)
            load_box(at, map, k + box * DEPTH, line, filled);
        else
            load_box_for(at, map, k + box * DEPTH, line + share * part, filled, ranks);
    }
}

// By one thread, for all pieces of work of this thread block.
__device__ __forceinline__ void copy_all(const Problem &problem, const Schedule &schedule, const Shared &shared, int rank)
{
    const int row = rank % CLUSTER_M, column = rank / CLUSTER_M;
    unsigned short with_a = 0, with_b = 0;
    Ring ring;

    for (int i = 0; i < CLUSTER_N; i++)
        with_a |= 1 << (row + CLUSTER_M * i);
    for (int i = 0; i < CLUSTER_M; i++)
        with_b |= 1 << (i + CLUSTER_M * column);
    for (int index = schedule.first(); index < schedule.count; index += schedule.stride()) {
        const Work work = schedule.at(index, rank);

        for (int step = 0; step < work.steps; step++, ring.next()) {
            const word filled = shared.filled + ring.stage * 8;
            const int k = work.k + step * BLOCK_K;

            barrier_wait(shared.freed + ring.stage * 8, ring.phase ^ 1);
            barrier_expect(filled, STAGE_BYTES);
            copy_boxes<BLOCK_M, CLUSTER_N>(shared.a(ring.stage), problem.a, k, work.m, column, with_a, filled);
            copy_boxes<BLOCK_N, CLUSTER_M>(shared.b(ring.stage), problem.b, k, work.n, row, with_b, filled);
        }
    }
}

// Multiplying --------------------------------------------------------------------------------------------

// The stage may be filled anew, as far as this warpgroup goes, by every thread block that copies into it.
__device__ __forceinline__ void release(const Shared &shared, int stage, int rank, int thread)
{
    const int row = rank % CLUSTER_M, column = rank / CLUSTER_M;
    const word freed = shared.freed + stage * 8;

    if (CLUSTER == 1) {
        if (thread == 0)
            barrier_arrive(freed);
    } else if (thread < CLUSTER_M)
        barrier_arrive_at(freed, thread + CLUSTER_M * column);
    else if (thread < CLUSTER_M + CLUSTER_N - 1) {
        const int other = thread - CLUSTER_M;

        barrier_arrive_at(freed, row + CLUSTER_M * (other + (other >= column)));
    }
}

__device__ __forceinline__ void multiply_stage(float (&d)[TILES][SUMS], word a, word b, bool begins)
{
    const address da = descriptor(a), db = descriptor(b);

    mma_begin();
#pragma unroll
    for (int box = 0; box < BOXES; box++)
#pragma unroll
        for (int k = 0; k < DEPTH; k += 16)
#pragma unroll
            for (int t = 0; t < TILES; t++)
                Mma<WIDTH>::add(d[t], da + (box * A_BYTES + t / HALVES * 64 * DEPTH * 2 + k * 2) / 16,
                                db + (box * B_BYTES + t % HALVES * WIDTH * DEPTH * 2 + k * 2) / 16, !begins || box || k);
    mma_commit();
}

// All steps of a piece of work. The tensor cores have the next stage before the last one is waited for.
__device__ __forceinline__ void multiply(float (&d)[TILES][SUMS], Ring &ring, const Shared &shared, int steps, int first_row,
                                         int rank, int thread)
{
    int before = 0;

    for (int step = 0; step < steps; step++, ring.next()) {
        barrier_wait(shared.filled + ring.stage * 8, ring.phase);
        multiply_stage(d, shared.a(ring.stage) + first_row * DEPTH * 2, shared.b(ring.stage), step == 0);
        mma_wait<1>();
        if (step)
            release(shared, before, rank, thread);
        before = ring.stage;
    }
    mma_wait<0>();
    release(shared, before, rank, thread);
}

__device__ __forceinline__ void store(const Problem &problem, const Shared &shared, int m, int n, const float (&d)[TILES][SUMS],
                                      int group, int thread)
{
#if EPILOGUE == 3
    store_boxes(problem.to, shared.out + group * 2 * OUT_BYTES, m, n, d, group, thread);
#else
#pragma unroll
    for (int t = 0; t < TILES; t++)
        store_tile(problem.c, problem.rows, problem.columns, m + t * 64, n, d[t], thread);
#endif
}

__device__ __forceinline__ void multiply_all(const Problem &problem, const Schedule &schedule, const Shared &shared, int rank,
                                             int group, int thread, unsigned *last)
{
    const int stride = schedule.stride(), first_row = PINGPONG ? 0 : group * GROUP_M;
    int index = schedule.first();
    float d[TILES][SUMS];
    Ring ring;

    if (PINGPONG && group == 1) {
        named_arrive(1, 2 * GROUP_THREADS); // the other one begins
        if (index < schedule.count)
            ring.skip(schedule.steps_of(index));
        index += stride;
    }
    for (; index < schedule.count; index += stride) {
        const Work work = schedule.at(index, rank);

        if (PINGPONG)
            named_sync(1 + group, 2 * GROUP_THREADS);
        multiply(d, ring, shared, work.steps, first_row, rank, thread);
        if (PINGPONG) {
            named_arrive(2 - group, 2 * GROUP_THREADS);
            index += stride; // the other one's
            if (index < schedule.count)
                ring.skip(schedule.steps_of(index));
        }
        if (SPLIT_K == 1 || work.parts == 1 || meet(d, problem.partial, problem.arrived, work, group, thread, last))
            store(problem, shared, work.m + first_row, work.n, d, group, thread);
    }
#if EPILOGUE == 3
    if (thread == 0)
        stores_read<0>(); // shared memory stays until then
#endif
}

// ----------------------------------------------------------------------------------------------------------

__device__ __forceinline__ void make_barriers(const Shared &shared)
{
    for (int stage = 0; stage < STAGES; stage++) {
        barrier_init(shared.filled + stage * 8, 1);
        barrier_init(shared.freed + stage * 8, RELEASES);
    }
    barriers_made();
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    matmul_half(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, Out *__restrict__ c, float *partial,
                unsigned *arrived, int rows, int columns, int depth, const __grid_constant__ TensorMap to)
{
    extern __shared__ char memory[];
    __shared__ unsigned last[4];
    const Shared shared(shared_address(memory));
    const int m = SWAP ? columns : rows, n = SWAP ? rows : columns;
    const Schedule schedule(m, n, depth);
    const Problem problem = {SWAP ? b : a, SWAP ? a : b, to, m, n, depth, c, partial, arrived};
    const int group = threadIdx.x / GROUP_THREADS, rank = CLUSTER == 1 ? 0 : (int)cluster_rank();

    if (threadIdx.x == 0) {
        prefetch_map(a);
        prefetch_map(b);
        make_barriers(shared);
    }
    if (CLUSTER > 1)
        cluster_sync();
    else
        __syncthreads();
    if (PROGRAMMATIC) {
        let_next_launch_begin();
        wait_for_launch_ahead();
    }
    if (group == 0) {
        fewer_registers<COPY_REGISTERS>();
        if (threadIdx.x < 32 && elect_one())
            copy_all(problem, schedule, shared, rank);
        __syncwarp();
    } else {
        more_registers<MULTIPLY_REGISTERS>();
        multiply_all(problem, schedule, shared, rank, group - 1, threadIdx.x % GROUP_THREADS, last);
    }
    if (CLUSTER > 1) // nobody leaves while others copy into its shared memory or arrive at its barriers
        cluster_sync();
}

// The reference: tiles of 32 x 32 in shared memory, sums in the order of k.
__device__ float read(unsigned short bits)
{
    float value;

#ifdef FP16
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
#else
    value = __uint_as_float((word)bits << 16);
#endif
    return value;
}

extern "C" __global__ void matmul_half_reference(const unsigned short *a, const unsigned short *b, Out *c, int rows, int columns,
                                                 int depth)
{
    __shared__ float left[64][17], right[64][17];
    const int x = threadIdx.x, y = threadIdx.y, m = blockIdx.y * 64, n = blockIdx.x * 64;
    float sums[4][4] = {};

    for (int k = 0; k < depth; k += 16) {
        for (int i = y; i < 64; i += 16) {
            left[i][x] = m + i < rows && k + x < depth ? read(a[(long long)(m + i) * depth + k + x]) : 0;
            right[i][x] = n + i < columns && k + x < depth ? read(b[(long long)(n + i) * depth + k + x]) : 0;
        }
        __syncthreads();
        for (int j = 0; j < 16; j++)
            for (int p = 0; p < 4; p++)
                for (int q = 0; q < 4; q++)
                    sums[p][q] += left[y + 16 * p][j] * right[x + 16 * q][j];
        __syncthreads();
    }
    for (int p = 0; p < 4; p++)
        for (int q = 0; q < 4; q++)
            if (m + y + 16 * p < rows && n + x + 16 * q < columns)
                store_one(c + (long long)(m + y + 16 * p) * columns + n + x + 16 * q, sums[p][q]);
}
