// Attention on tensor cores, forward: O = softmax(Q K^T / sqrt(DIM)) V for each head, all of halves (bfloat16, or float16 with -DFP16),
// heads x tokens x DIM in memory. With MASK a token sees itself and those before. Sums are floats. For compute capability 9.0 alone
// (sm_90a).
//
// One warpgroup copies queries, keys and values into shared memory, keys and values of BLOCK_N tokens by turns into a ring of slots. Each
// of the others has 64 queries: it multiplies them with keys, and the weights, which stay in registers, with values, while it computes
// the next weights.
#include "../matmul_half/ptx.cuh"
#include "../matmul_half/mma.cuh"
#include "products.cuh"
#include "boxes.cuh"
#include "shape.cuh"
#include "softmax.cuh"
#include "store.cuh"

struct Problem {
    const TensorMap &q, &k, &v, &o;
    unsigned short *output;
    unsigned *asked; // tiles given out beyond the first of each thread block; zero before and after
    int tokens;
};

// Tiles in turn ------------------------------------------------------------------------------------------

// The next tile on demand. The last to ask leaves the counter at zero.
__device__ __forceinline__ int ask(unsigned *asked, int count)
{
    const int number = (int)atomicAdd(asked, 1u);

    if (number == count - 1)
        *asked = 0;
    return (int)gridDim.x + number;
}

// What the copying thread tells the others.
__device__ __forceinline__ void tell(const Shared &shared, const Ring<2> &ring, int index)
{
    barrier_wait(shared.tile_freed(ring.place), ring.phase ^ 1);
    asm volatile("st.shared.b32 [%0], %1;" ::"r"(shared.tile(ring.place)), "r"(index) : "memory");
    barrier_arrive(shared.tile_filled(ring.place));
}

__device__ __forceinline__ int hear(const Shared &shared, const Ring<2> &ring)
{
    int index;

    barrier_wait(shared.tile_filled(ring.place), ring.phase);
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(index) : "r"(shared.tile(ring.place)) : "memory");
    barrier_arrive(shared.tile_freed(ring.place));
    return index;
}

// Copying ------------------------------------------------------------------------------------------------

// BLOCK_N rows of keys or values into a slot; thread blocks of a cluster copy a part each for all of them.
__device__ __forceinline__ void copy_block(const Shared &shared, const Ring<SLOTS> &ring, const TensorMap &map, int head, int token,
                                           int rank)
{
    constexpr int part = BLOCK_N / CLUSTER;
    const word filled = shared.filled(ring.place);

    barrier_wait(shared.freed(ring.place), ring.phase ^ 1);
    barrier_expect(filled, SLOT_BYTES);
#pragma unroll
    for (int box = 0; box < BOXES; box++) {
        const word at = shared.slot(ring.place) + (box * BLOCK_N + rank * part) * WIDTH * 2;

        if (CLUSTER == 1)
            load_box(at, map, box * WIDTH, token, head, filled);
        else
            load_box_for(at, map, box * WIDTH, token + rank * part, head, filled, (1 << CLUSTER) - 1);
    }
}

__device__ __forceinline__ void copy_queries(const Shared &shared, const TensorMap &map, const Tile &tile, word phase)
{
#pragma unroll 1
    for (int group = 0; group < CONSUMERS; group++) {
        const word filled = shared.queries_filled(group);

        barrier_wait(shared.queries_freed(group), phase ^ 1);
        barrier_expect(filled, QUERY_BYTES);
#pragma unroll
        for (int box = 0; box < BOXES; box++)
            load_box(shared.queries(group) + box * GROUP_M * WIDTH * 2, map, box * WIDTH, tile.row + group * GROUP_M, tile.head,
                     filled);
    }
}

// In the order in which they are used: keys a block ahead of values, from the last block to the first.
__device__ __forceinline__ void copy_tile(const Problem &problem, const Shared &shared, Ring<SLOTS> &ring, const Tile &tile,
                                          word phase, int rank)
{
    int token = (tile.blocks - 1) * BLOCK_N;

    copy_block(shared, ring, problem.k, tile.head, token, rank);
    ring.next();
    copy_queries(shared, problem.q, tile, phase);
#pragma unroll 1
    for (; token > 0; token -= BLOCK_N) {
        copy_block(shared, ring, problem.k, tile.head, token - BLOCK_N, rank);
        ring.next();
        copy_block(shared, ring, problem.v, tile.head, token, rank);
        ring.next();
    }
    copy_block(shared, ring, problem.v, tile.head, 0, rank);
    ring.next();
}

// By one thread, for all tiles of this thread block.
__device__ __forceinline__ void copy_all(const Problem &problem, const Schedule &schedule, const Shared &shared, int rank)
{
    int index = blockIdx.x / CLUSTER, next = schedule.count;
    Ring<SLOTS> ring;
    Ring<2> tiles;
    word phase = 0;

    while (index < schedule.count) {
        if (SCHEDULE == IN_TURN)
            next = index + gridDim.x / CLUSTER;
        if (SCHEDULE == ON_DEMAND)
            next = ask(problem.asked, schedule.count);
        copy_tile(problem, shared, ring, schedule.at(index, rank), phase, rank);
        if (SCHEDULE == ON_DEMAND) {
            tell(shared, tiles, next);
            tiles.next();
        }
        index = next;
        phase ^= 1;
    }
}

// Multiplying --------------------------------------------------------------------------------------------

// The slot may be filled anew, as far as this warpgroup goes, by every thread block that copies into it.
__device__ __forceinline__ void release(const Shared &shared, int place, int thread)
{
    if (CLUSTER == 1) {
        if (thread == 0)
            barrier_arrive(shared.freed(place));
    } else if (thread < CLUSTER)
        barrier_arrive_at(shared.freed(place), thread);
}

__device__ __forceinline__ void multiply_keys(float (&s)[SCORES], word queries, word keys)
{
    const address a = descriptor(queries), b = descriptor(keys);

#pragma unroll
    for (int k = 0; k < DIM; k += 16)
        Mma<BLOCK_N>::add(s, a + (k / WIDTH * GROUP_M * WIDTH * 2 + k % WIDTH * 2) / 16,
                          b + (k / WIDTH * BLOCK_N * WIDTH * 2 + k % WIDTH * 2) / 16, k != 0);
    mma_commit();
}

__device__ __forceinline__ void multiply_values(float (&o)[SUMS], const word (&p)[SCORES / 2], word values)
{
    const address b = columns_descriptor(values, BLOCK_N * WIDTH * 2);

#pragma unroll
    for (int k = 0; k < BLOCK_N; k += 16)
        MmaOfRegisters<DIM>::add(o, p + k / 4, b + k * WIDTH * 2 / 16);
    mma_commit();
}

// What a warpgroup has of a tile.
struct Queries {
    word at;                // in shared memory
    int row;                // the first one
    int tokens;
    int group, thread;

    // Weights of the block of keys from `token` on become exponentials.
    __device__ __forceinline__ void weigh(float (&s)[SCORES], Rows &rows, float (&factor)[2], int token, bool first) const
    {
        const int end = MASK ? min(tokens, row + 1) : tokens;

        if (token + BLOCK_N > end) {
            const int lane = thread % 32, own = row + thread / 32 * 16 + lane / 4, left = token + lane % 4 * 2;
            const int seen[2] = {(MASK ? min(tokens, own + 1) : tokens) - left, (MASK ? min(tokens, own + 9) : tokens) - left};

            hide(s, seen);
        }
        soften(s, rows, factor, first);
    }
};

// With PINGPONG, warpgroups give their products to the tensor cores in turn, so that one computes weights while another multiplies.
__device__ __forceinline__ void take_turn(int group)
{
    if (PINGPONG)
        named_sync(1 + group, 2 * GROUP_THREADS);
}

__device__ __forceinline__ void pass_turn(int group)
{
    if (PINGPONG)
        named_arrive(1 + (group + 1) % CONSUMERS, 2 * GROUP_THREADS);
}

// The sums of a tile. What is computed between products and waiting runs beside them.
__device__ __forceinline__ void attend(float (&o)[SUMS], Rows &rows, Ring<SLOTS> &ring, const Shared &shared, const Queries &queries,
                                       int blocks, word phase)
{
    int token = (blocks - 1) * BLOCK_N;
    float s[SCORES], factor[2];
    word p[SCORES / 2];

#pragma unroll
    for (int i = 0; i < SUMS; i++)
        o[i] = 0;
    barrier_wait(shared.queries_filled(queries.group), phase);
    barrier_wait(shared.filled(ring.place), ring.phase);
    mma_begin();
    multiply_keys(s, queries.at, shared.slot(ring.place));
    mma_wait<0>();
    written(s);
    release(shared, ring.place, queries.thread);
    ring.next();
    queries.weigh(s, rows, factor, token, true);
    round_weights(p, s);
    while (token > 0) {
        const int keys = ring.place;

        token -= BLOCK_N;
        barrier_wait(shared.filled(keys), ring.phase);
        ring.next();
        take_turn(queries.group);
        mma_begin();
        multiply_keys(s, queries.at, shared.slot(keys));
        barrier_wait(shared.filled(ring.place), ring.phase);
        mma_begin();
        multiply_values(o, p, shared.slot(ring.place));
        pass_turn(queries.group);
        mma_wait<OVERLAP>();
        written(s);
        release(shared, keys, queries.thread);
        queries.weigh(s, rows, factor, token, false);
        computed(rows.sum[0] + rows.sum[1], shared.spare(queries.group, queries.thread));
        mma_wait<0>();
        written(o);
        release(shared, ring.place, queries.thread);
        ring.next();
        round_weights(p, s);
        scale_sums(o, factor);
    }
    if (EPILOGUE == 0 && queries.thread == 0)
        barrier_arrive(shared.queries_freed(queries.group));
    barrier_wait(shared.filled(ring.place), ring.phase);
    mma_begin();
    multiply_values(o, p, shared.slot(ring.place));
    mma_wait<0>();
    written(o);
    release(shared, ring.place, queries.thread);
    ring.next();
}

__device__ __forceinline__ void store(const Problem &problem, const Shared &shared, const Queries &queries, int head, const Rows &rows,
                                      const float (&o)[SUMS])
{
    const float inverse[2] = {inverse_sum(rows.sum[0]), inverse_sum(rows.sum[1])};

    if (EPILOGUE == 0) {
        store_pairs(problem.output, problem.tokens, head, queries.row + queries.thread / 32 * 16, o, inverse, queries.thread % 32);
    } else {
        store_boxes(problem.o, queries.at, head, queries.row, o, inverse, queries.group, queries.thread);
        if (queries.thread == 0)
            barrier_arrive(shared.queries_freed(queries.group));
    }
}

__device__ __forceinline__ void attend_all(const Problem &problem, const Schedule &schedule, const Shared &shared, int rank, int group,
                                           int thread)
{
    int index = blockIdx.x / CLUSTER;
    Ring<SLOTS> ring;
    Ring<2> tiles;
    word phase = 0;

    if (PINGPONG && group == CONSUMERS - 1)
        pass_turn(group); // the first one begins
    while (index < schedule.count) {
        const Tile tile = schedule.at(index, rank);
        const Queries queries = {shared.queries(group), tile.row + group * GROUP_M, problem.tokens, group, thread};
        float o[SUMS];
        Rows rows = {};

        attend(o, rows, ring, shared, queries, tile.blocks, phase);
        store(problem, shared, queries, tile.head, rows, o);
        phase ^= 1;
        if (SCHEDULE == ONE_TILE)
            break;
        if (SCHEDULE == IN_TURN) {
            index += gridDim.x / CLUSTER;
        } else {
            index = hear(shared, tiles);
            tiles.next();
        }
    }
}

// ----------------------------------------------------------------------------------------------------------

__device__ __forceinline__ void make_barriers(const Shared &shared)
{
    for (int place = 0; place < SLOTS; place++) {
        barrier_init(shared.filled(place), 1);
        barrier_init(shared.freed(place), CONSUMERS * CLUSTER);
    }
    for (int group = 0; group < CONSUMERS; group++) {
        barrier_init(shared.queries_filled(group), 1);
        barrier_init(shared.queries_freed(group), 1);
    }
    for (int place = 0; place < 2; place++) {
        barrier_init(shared.tile_filled(place), 1);
        barrier_init(shared.tile_freed(place), CONSUMERS * GROUP_THREADS);
    }
    barriers_made();
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    attention_half(const __grid_constant__ TensorMap q, const __grid_constant__ TensorMap k, const __grid_constant__ TensorMap v,
                   const __grid_constant__ TensorMap o, unsigned short *output, unsigned *asked, int tokens, int heads, int together)
{
    extern __shared__ char memory[];
    const Shared shared(shared_address(memory));
    const Schedule schedule(tokens, heads, together);
    const Problem problem = {q, k, v, o, output, asked, tokens};
    const int group = threadIdx.x / GROUP_THREADS, rank = CLUSTER == 1 ? 0 : (int)cluster_rank();

    if (threadIdx.x == 0) {
        prefetch_map(q);
        prefetch_map(k);
        prefetch_map(v);
        make_barriers(shared);
    }
    if (CLUSTER > 1)
        cluster_sync();
    else
        __syncthreads();
    if (group == 0) {
        fewer_registers<COPY_REGISTERS>();
        if (threadIdx.x < 32 && elect_one())
            copy_all(problem, schedule, shared, rank);
        __syncwarp();
    } else {
        more_registers<MULTIPLY_REGISTERS>();
        attend_all(problem, schedule, shared, rank, group - 1, threadIdx.x % GROUP_THREADS);
    }
    if (CLUSTER > 1) // nobody leaves while others copy into its shared memory or arrive at its barriers
        cluster_sync();
}

// The reference: 64 queries of a head in 16 x 16 threads, 32 keys at a time, in the order of keys, all of it in floats.
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

template <int ROWS>
__device__ void read_rows(unsigned short (&to)[ROWS][DIM + 2], const unsigned short *from, int first, int tokens)
{
    for (int i = threadIdx.y * 16 + threadIdx.x; i < ROWS * DIM; i += 256)
        to[i / DIM][i % DIM] = first + i / DIM < tokens ? from[(long long)(first + i / DIM) * DIM + i % DIM] : 0;
}

struct ReferenceRow {
    float most = HIDDEN, sum = 0, sums[DIM / 16] = {};

    // Two scores of this thread of 32 of the row, which 16 lanes share, become weights.
    __device__ void weigh(float *weights, const float (&scores)[2])
    {
        float larger = fmaxf(most, fmaxf(scores[0], scores[1])), factor;

        for (int lanes = 8; lanes; lanes /= 2)
            larger = fmaxf(larger, __shfl_xor_sync(0xffffffff, larger, lanes));
        factor = exp2f(most - larger);
        most = larger;
        weights[threadIdx.x] = exp2f(scores[0] - most);
        weights[threadIdx.x + 16] = exp2f(scores[1] - most);
        sum = sum * factor + weights[threadIdx.x] + weights[threadIdx.x + 16];
        for (int c = 0; c < DIM / 16; c++)
            sums[c] *= factor;
    }

    __device__ void add(const float *weights, const unsigned short (&values)[32][DIM + 2])
    {
        for (int j = 0; j < 32; j++)
            for (int c = 0; c < DIM / 16; c++)
                sums[c] += weights[j] * read(values[j][threadIdx.x + 16 * c]);
    }

    __device__ void store(unsigned short *to)
    {
        for (int lanes = 8; lanes; lanes /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, lanes);
        for (int c = 0; c < DIM / 16; c++)
            to[threadIdx.x + 16 * c] = (unsigned short)pack(sums[c] / sum, 0);
    }
};

// Scores of four rows and two keys, as powers of 2.
__device__ void reference_scores(float (&scores)[4][2], const unsigned short (&queries)[64][DIM + 2],
                                 const unsigned short (&keys)[32][DIM + 2], int first, int key, int tokens)
{
    for (int p = 0; p < 4; p++)
        for (int q = 0; q < 2; q++)
            scores[p][q] = 0;
    for (int k = 0; k < DIM; k++)
        for (int p = 0; p < 4; p++)
            for (int q = 0; q < 2; q++)
                scores[p][q] += read(queries[threadIdx.y + 16 * p][k]) * read(keys[threadIdx.x + 16 * q][k]);
    for (int p = 0; p < 4; p++)
        for (int q = 0; q < 2; q++) {
            const int row = first + threadIdx.y + 16 * p, column = key + threadIdx.x + 16 * q;

            scores[p][q] = column < tokens && (!MASK || column <= row) ? scores[p][q] * SCALE : HIDDEN;
        }
}

extern "C" __global__ void attention_half_reference(const unsigned short *q, const unsigned short *k, const unsigned short *v,
                                                    unsigned short *output, int tokens)
{
    __shared__ unsigned short queries[64][DIM + 2], block[32][DIM + 2];
    __shared__ float weights[64][33];
    const int first = blockIdx.x * 64, end = MASK ? min(tokens, first + 64) : tokens;
    const long long head = (long long)blockIdx.y * tokens * DIM;
    ReferenceRow rows[4];
    float scores[4][2];

    read_rows(queries, q + head, first, tokens);
    for (int key = 0; key < end; key += 32) {
        __syncthreads();
        read_rows(block, k + head, key, tokens);
        __syncthreads();
        reference_scores(scores, queries, block, first, key, tokens);
#pragma unroll
        for (int p = 0; p < 4; p++)
            rows[p].weigh(weights[threadIdx.y + 16 * p], scores[p]);
        __syncthreads();
        read_rows(block, v + head, key, tokens);
        __syncthreads();
#pragma unroll
        for (int p = 0; p < 4; p++)
            rows[p].add(weights[threadIdx.y + 16 * p], block);
    }
#pragma unroll
    for (int p = 0; p < 4; p++)
        if (first + threadIdx.y + 16 * p < tokens)
            rows[p].store(output + head + (long long)(first + threadIdx.y + 16 * p) * DIM);
}
