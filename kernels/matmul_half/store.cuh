// From sums in registers to C, and the sums of thread blocks that share the k of a tile.
#ifdef FLOAT_OUT
typedef float Out;
#else
typedef unsigned short Out;
#endif

__device__ __forceinline__ word pack(float low, float high)
{
    word both;

#ifdef FP16
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
#else
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
#endif
    return both;
}

__device__ __forceinline__ void store_one(float *to, float value)
{
    *to = value;
}

__device__ __forceinline__ void store_one(unsigned short *to, float value)
{
    *to = (unsigned short)pack(value, 0);
}

__device__ __forceinline__ void store_pair(float *to, float low, float high)
{
    *(float2 *)to = make_float2(low, high);
}

__device__ __forceinline__ void store_pair(unsigned short *to, float low, float high)
{
    *(word *)to = pack(low, high);
}

// Two neighbours of a row, as far as they lie in C.
__device__ __forceinline__ void store_checked(Out *row, int column, int columns, float low, float high)
{
    if (columns % 2 == 0) {
        if (column < columns)
            store_pair(row + column, low, high);
        return;
    }
    if (column < columns)
        store_one(row + column, low);
    if (column + 1 < columns)
        store_one(row + column + 1, high);
}

// Four lanes hold two columns each of four blocks of 8 columns; afterwards each holds one block, 16 bytes.
__device__ __forceinline__ uint4 transpose_quad(const word (&block)[4], int lane)
{
    const bool odd = lane & 1, upper = lane & 2;
    const word from_a = __shfl_xor_sync(0xffffffff, odd ? block[0] : block[1], 1);
    const word from_b = __shfl_xor_sync(0xffffffff, odd ? block[2] : block[3], 1);
    const word a0 = odd ? from_a : block[0], a1 = odd ? block[1] : from_a;
    const word b0 = odd ? from_b : block[2], b1 = odd ? block[3] : from_b;
    const word r0 = __shfl_xor_sync(0xffffffff, upper ? a0 : b0, 2);
    const word r1 = __shfl_xor_sync(0xffffffff, upper ? a1 : b1, 2);

    return upper ? make_uint4(r0, r1, b0, b1) : make_uint4(a0, a1, r0, r1);
}

// A row of this thread's sums: d[4 i + half] and its neighbour at columns 8 i + 2 (lane % 4).
__device__ __forceinline__ void store_row(Out *row, bool inside, int n, int columns, const float (&d)[SUMS], int half, int lane)
{
#pragma unroll
    for (int i = 0; i < BLOCK_N / 8; i++) {
        const int column = n + 8 * i + lane % 4 * 2;

        if (inside)
            store_checked(row, column, columns, d[4 * i + half], d[4 * i + half + 1]);
    }
}

__device__ __forceinline__ void store_wide(uint4 *to, uint4 values)
{
    if (EPILOGUE == 2)
        __stcs(to, values);
    else
        *to = values;
}

#if !defined FLOAT_OUT && !SWAP
// The same in 16 bytes at a time, for a number of columns that is a multiple of 8.
__device__ __forceinline__ void store_row_wide(Out *row, bool inside, int n, int columns, const float (&d)[SUMS], int half,
                                               int lane)
{
#pragma unroll
    for (int i = 0; i < BLOCK_N / 8; i += 4) {
        word block[4];

#pragma unroll
        for (int j = 0; j < 4; j++)
            block[j] = pack(d[4 * (i + j) + half], d[4 * (i + j) + half + 1]);

        const uint4 all = transpose_quad(block, lane);
        const int column = n + 8 * (i + lane % 4);

        if (inside && column < columns)
            store_wide((uint4 *)(row + column), all);
    }
}
#endif

// Of a tile of the transpose: element (y, x) is C's (x, y).
__device__ __forceinline__ void store_transpose(Out *c, int rows, int columns, int m, int n, const float (&d)[SUMS], int thread)
{
    const int lane = thread % 32;

#pragma unroll
    for (int i = 0; i < SUMS; i++) {
        const int y = m + thread / 32 * 16 + i / 2 % 2 * 8 + lane / 4, x = n + i / 4 * 8 + lane % 4 * 2 + i % 2;

        if (y < rows && x < columns)
            store_one(c + (long long)x * rows + y, d[i]);
    }
}

#if EPILOGUE == 3
// Boxes of C go through shared memory, from where the copy engine takes them while this warpgroup goes on. Of its two places there, the
// copy engine may still read the one that is not written now: READS 0 where a tile has an odd number of boxes.
template <int READS>
__device__ __forceinline__ void wait_for_place(int name, int thread)
{
    if (thread == 0)
        stores_read<READS>();
    named_sync(name, GROUP_THREADS);
}

__device__ __forceinline__ void store_place(const TensorMap &c, int column, int row, word place, int name, int thread)
{
    stores_seen_by_copies();
    named_sync(name, GROUP_THREADS);
    if (thread == 0) {
        store_box(c, column, row, place);
        stores_commit();
    }
}
#endif

#if EPILOGUE == 3 && !SWAP
// By boxes of 64 x 64.
__device__ __forceinline__ void store_boxes(const TensorMap &c, word places, int m, int n, const float (&d)[TILES][SUMS], int group,
                                            int thread)
{
    constexpr int boxes = BLOCK_N / DEPTH, reads = TILES * boxes % 2 ? 0 : 1;
    const int lane = thread % 32, row = thread / 32 * 16 + lane % 16, name = 4 + group;

#pragma unroll
    for (int box = 0; box < TILES * boxes; box++) {
        const word to = places + box % 2 * OUT_BYTES;
        const float(&tile)[SUMS] = d[box / boxes];

        wait_for_place<reads>(name, thread);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int o = box % boxes * 32 + i * 8;

            store_matrices(to + row * 128 + (2 * i + lane / 16 ^ row % 8) * 16, pack(tile[o], tile[o + 1]),
                           pack(tile[o + 2], tile[o + 3]), pack(tile[o + 4], tile[o + 5]), pack(tile[o + 6], tile[o + 7]));
        }
        store_place(c, n + box % boxes * DEPTH, m + box / boxes * 64, to, name, thread);
    }
}
#elif EPILOGUE == 3
// Of a tile of the transpose, by boxes of OUT_ROWS x 64 of C: each 8 x 8 matrix of sums is transposed on its way to shared memory. A box
// may lie across the halves of a row of tiles.
__device__ __forceinline__ void store_boxes(const TensorMap &c, word places, int m, int n, const float (&d)[TILES][SUMS], int group,
                                            int thread)
{
    constexpr int boxes = BLOCK_N / OUT_ROWS, blocks = WIDTH / 8, reads = TILES / HALVES * boxes % 2 ? 0 : 1;
    const int lane = thread % 32, name = 4 + group;

#pragma unroll
    for (int box = 0; box < TILES / HALVES * boxes; box++) {
        const word to = places + box % 2 * OUT_BYTES;

        wait_for_place<reads>(name, thread);
#pragma unroll
        for (int i = 0; i < OUT_ROWS / 8; i += 2) {
            const int b = box % boxes * (OUT_ROWS / 8) + i, row = 8 * (i + lane / 16) + lane % 8;
            const float(&low)[SUMS] = d[box / boxes * HALVES + b / blocks];
            const float(&high)[SUMS] = d[box / boxes * HALVES + (b + 1) / blocks];
            const int o = b % blocks * 4, p = (b + 1) % blocks * 4;

            store_matrices_transposed(to + row * 128 + (thread / 32 * 2 + lane / 8 % 2 ^ row % 8) * 16, pack(low[o], low[o + 1]),
                                      pack(low[o + 2], low[o + 3]), pack(high[p], high[p + 1]), pack(high[p + 2], high[p + 3]));
        }
        store_place(c, m + box / boxes * 64, n + box % boxes * OUT_ROWS, to, name, thread);
    }
}
#endif

__device__ __forceinline__ void store_tile(Out *c, int rows, int columns, int m, int n, const float (&d)[SUMS], int thread)
{
    const int lane = thread % 32;

#if SWAP
    store_transpose(c, rows, columns, m, n, d, thread);
    return;
#else
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const int y = m + thread / 32 * 16 + half * 8 + lane / 4;
        Out *row = c + (long long)y * columns;

#ifndef FLOAT_OUT
        if (EPILOGUE && columns % 8 == 0) {
            store_row_wide(row, y < rows, n, columns, d, 2 * half, lane);
            continue;
        }
#endif
        store_row(row, y < rows, n, columns, d, 2 * half, lane);
    }
#endif
}

// Sums that are added up together: so many loads are under way, as registers allow.
constexpr int BATCH = SUMS % 16 || TILES * SUMS > 128 ? 8 : SUMS % 32 || TILES * SUMS > 96 ? 16 : 32;

// Where a part of a tile has left its sums, for this thread.
__device__ __forceinline__ float4 *left_sums(float *partial, const Work &work, int part, int group, int thread)
{
    const long long place = (long long)Schedule::place(work, part) * GROUPS + group % GROUPS;

    return (float4 *)partial + place * (TILES * SUMS / 4 * GROUP_THREADS) + thread;
}

__device__ __forceinline__ void leave(const float (&d)[TILES][SUMS], float4 *to)
{
#pragma unroll
    for (int t = 0; t < TILES; t++)
#pragma unroll
        for (int i = 0; i < SUMS; i += 4)
            __stcg(to + (t * SUMS + i) / 4 * GROUP_THREADS, make_float4(d[t][i], d[t][i + 1], d[t][i + 2], d[t][i + 3]));
    __threadfence();
}

// Adds BATCH sums that each of the parts from `part` to `end` has left.
__device__ __forceinline__ void add_left(float *to, float *partial, const Work &work, int part, int end, int first, int group,
                                         int thread)
{
#pragma unroll 1
    for (; part < end; part++) {
        const float4 *left = left_sums(partial, work, part, group, thread) + first / 4 * GROUP_THREADS;

#pragma unroll
        for (int i = 0; i < BATCH; i += 4) {
            const float4 more = __ldcg(left + i / 4 * GROUP_THREADS);

            to[i] += more.x;
            to[i + 1] += more.y;
            to[i + 2] += more.z;
            to[i + 3] += more.w;
        }
    }
}

__device__ __forceinline__ void add_parts(float *d, float *partial, const Work &work, int first, int group, int thread)
{
    float before[BATCH] = {};

    add_left(before, partial, work, 0, work.part, first, group, thread);
#pragma unroll
    for (int i = 0; i < BATCH; i++)
        d[i] += before[i];
    add_left(d, partial, work, work.part + 1, work.parts, first, group, thread);
}

// Parts of the k of a tile meet in `partial`: each warpgroup but the last to come leaves its sums there. The last adds all of them
// up in the order of k, so that the bits are the same every time. True for that one. `arrived` counts, for each warpgroup of a tile,
// how many came and how many have left their sums; the last leaves it at zero.
__device__ __forceinline__ bool meet(float (&d)[TILES][SUMS], float *partial, unsigned *arrived, const Work &work, int group,
                                     int thread, unsigned *last)
{
    unsigned *came = arrived + (work.tile * GROUPS + group % GROUPS) * 2, *left = came + 1;
    const int name = 4 + group; // of a barrier of this warpgroup

    if (thread == 0)
        last[group] = atomicAdd(came, 1u) == work.parts - 1;
    named_sync(name, GROUP_THREADS);
    if (!last[group]) {
        leave(d, left_sums(partial, work, work.part, group, thread));
        named_sync(name, GROUP_THREADS);
        if (thread == 0)
            atomicAdd(left, 1u);
        return false;
    }
    if (thread == 0) {
        while (*(volatile unsigned *)left != work.parts - 1) // those that came before are storing
            ;
        *came = *left = 0;
        __threadfence();
    }
    named_sync(name, GROUP_THREADS);
#pragma unroll
    for (int t = 0; t < TILES; t++)
#pragma unroll
        for (int i = 0; i < SUMS; i += BATCH)
            add_parts(d[t] + i, partial, work, t * SUMS + i, group, thread);
    return true;
}
