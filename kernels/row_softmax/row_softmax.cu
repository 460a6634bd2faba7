// Softmax of each row: to[r][c] = exp(from[r][c] - largest) / sum. LANES threads work on a row, ROWS rows in
// a thread block. Rows of the matrix start at multiples of 16 bytes when `columns` is a multiple of 4; any
// other number is handled element by element.
#ifndef LANES
#define LANES  256
#define ROWS   1
#define VECTOR 1
#define PASSES 3
#endif

// The values of PASSES: how often a row is read from global memory.
#define PASSES_THREE  3 // largest; sum; result
#define PASSES_TWO    2 // largest and sum together, the sum scaled anew when a larger one comes; result
#define PASSES_SHARED 1 // once: the row stays in shared memory

constexpr int WARPS = (LANES + 31) / 32; // of a row

struct softmax {
    float largest, sum; // the sum of exp(element - largest)
};

template <int WIDTH> struct vector;
template <> struct vector<1> {
    typedef float type;
};
template <> struct vector<2> {
    typedef float2 type;
};
template <> struct vector<4> {
    typedef float4 type;
};

template <int WIDTH> union elements {
    typename vector<WIDTH>::type all;
    float each[WIDTH];
};

__device__ __forceinline__ softmax merge(softmax a, softmax b)
{
    softmax c;
    c.largest = fmaxf(a.largest, b.largest);
    c.sum = (a.sum == 0.0f ? 0.0f : a.sum * expf(a.largest - c.largest)) +
            (b.sum == 0.0f ? 0.0f : b.sum * expf(b.largest - c.largest));
    return c;
}

// Merges what the LANES threads of a row have found; every thread of the block takes part.
__device__ __forceinline__ softmax merge_row(softmax mine)
{
    __shared__ softmax parts[ROWS][WARPS];
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        softmax other;
        other.largest = __shfl_xor_sync(0xffffffff, mine.largest, d);
        other.sum = __shfl_xor_sync(0xffffffff, mine.sum, d);
        mine = merge(mine, other);
    }
    if (WARPS == 1)
        return mine;
    __syncthreads(); // everybody has read what was merged before
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.y][threadIdx.x / 32] = mine;
    __syncthreads();
    softmax all = parts[threadIdx.y][0];
#pragma unroll
    for (int w = 1; w < WARPS; w++)
        all = merge(all, parts[threadIdx.y][w]);
    return all;
}

// The largest element of a row with sum 0, or, SUM, the sum for a given largest, or, for PASSES_TWO, both at
// once.
template <int WIDTH, bool LARGEST, bool SUM>
__device__ __forceinline__ softmax scan(const float *row, int columns, softmax found)
{
    for (int c = threadIdx.x * WIDTH; c < columns; c += LANES * WIDTH) {
        elements<WIDTH> x;
        x.all = *(const typename vector<WIDTH>::type *)(row + c);
#pragma unroll
        for (int v = 0; v < WIDTH; v++) {
            if (LARGEST && x.each[v] > found.largest) {
                if (SUM && found.sum != 0.0f)
                    found.sum *= expf(found.largest - x.each[v]);
                found.largest = x.each[v];
            }
            if (SUM)
                found.sum += expf(x.each[v] - found.largest);
        }
    }
    return found;
}

template <int WIDTH> __device__ __forceinline__ void copy_row(float *to, const float *from, int columns)
{
    typedef typename vector<WIDTH>::type floats;
    for (int c = threadIdx.x * WIDTH; c < columns; c += LANES * WIDTH)
        *(floats *)(to + c) = __ldg((const floats *)(from + c));
}

template <int WIDTH>
__device__ __forceinline__ void write_row(float *to, const float *from, int columns, softmax found)
{
    const float scale = 1.0f / found.sum;
    for (int c = threadIdx.x * WIDTH; c < columns; c += LANES * WIDTH) {
        elements<WIDTH> x;
        x.all = *(const typename vector<WIDTH>::type *)(from + c);
#pragma unroll
        for (int v = 0; v < WIDTH; v++)
            x.each[v] = expf(x.each[v] - found.largest) * scale;
        *(typename vector<WIDTH>::type *)(to + c) = x.all;
    }
}

template <int WIDTH>
__device__ __forceinline__ void row_of(float *to, const float *from, int columns, float *shared)
{
    softmax found = {-__int_as_float(0x7f800000), 0.0f};
    if (PASSES == PASSES_SHARED) {
        copy_row<WIDTH>(shared, from, columns); // each thread reads again what it has written itself
        from = shared;
    }
    if (PASSES == PASSES_TWO) {
        found = merge_row(scan<WIDTH, true, true>(from, columns, found));
    } else {
        found.largest = merge_row(scan<WIDTH, true, false>(from, columns, found)).largest;
        found = merge_row(scan<WIDTH, false, true>(from, columns, found));
    }
    write_row<WIDTH>(to, from, columns, found);
}

extern "C" __global__ void __launch_bounds__(LANES *ROWS)
    row_softmax(int rows, int columns, const float *__restrict__ from, float *__restrict__ to)
{
    extern __shared__ float4 kept[];
    const long long row =
        min((long long)blockIdx.x * ROWS + threadIdx.y, rows - 1LL); // the last rows may be done twice
    const int pitch = (columns + 3) / 4 * 4;
    float *shared = (float *)kept + threadIdx.y * pitch;
    if (columns % VECTOR == 0)
        row_of<VECTOR>(to + row * columns, from + row * columns, columns, shared);
    else
        row_of<1>(to + row * columns, from + row * columns, columns, shared);
}

// One warp a row, in double precision.
extern "C" __global__ void row_softmax_reference(int rows, int columns, const float *__restrict__ from,
                                                 float *__restrict__ to)
{
    const long long row = blockIdx.x;
    float largest = from[row * columns];
    for (int c = threadIdx.x; c < columns; c += 32)
        largest = fmaxf(largest, from[row * columns + c]);
    for (int d = 16; d > 0; d /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, d));
    double sum = 0;
    for (int c = threadIdx.x; c < columns; c += 32)
        sum += exp((double)from[row * columns + c] - largest);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    for (int c = threadIdx.x; c < columns; c += 32)
        to[row * columns + c] = (float)(exp((double)from[row * columns + c] - largest) / sum);
}
