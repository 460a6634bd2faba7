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

// Shares of k meet in `partial`: each warpgroup leaves its sums there, and the last to arrive adds up all of them in the order of
// k, so that the bits are the same every time. True for that one, which leaves `arrived` at zero.
__device__ __forceinline__ bool meet(float (&d)[TILES][SUMS], float *partial, unsigned *arrived, int tile, int share, int group,
                                     int thread, unsigned *last)
{
    const long long place = PINGPONG ? tile : tile * CONSUMERS + group, size = TILES * SUMS * GROUP_THREADS;
    float *own = partial + (place * SPLIT_K + share) * size + thread;
    const int name = 4 + group; // of a barrier of this warpgroup

#pragma unroll
    for (int t = 0; t < TILES; t++)
#pragma unroll
        for (int i = 0; i < SUMS; i++)
            __stcg(own + (t * SUMS + i) * GROUP_THREADS, d[t][i]);
    __threadfence();
    named_sync(name, GROUP_THREADS);
    if (thread == 0) {
        const unsigned before = atomicAdd(arrived + place, 1u);

        last[group] = before == SPLIT_K - 1;
        if (before == SPLIT_K - 1)
            arrived[place] = 0;
        __threadfence();
    }
    named_sync(name, GROUP_THREADS);
    if (!last[group])
        return false;
    __threadfence();
#pragma unroll
    for (int t = 0; t < TILES; t++)
#pragma unroll
        for (int i = 0; i < SUMS; i++)
            d[t][i] = 0;
    for (int s = 0; s < SPLIT_K; s++) {
        const float *from = partial + (place * SPLIT_K + s) * size + thread;

#pragma unroll
        for (int t = 0; t < TILES; t++)
#pragma unroll
            for (int i = 0; i < SUMS; i++)
                d[t][i] += __ldcg(from + (t * SUMS + i) * GROUP_THREADS);
    }
    return true;
}
