// to[j][i] = from[i][j] of a matrix of rows x columns: a tile goes through shared memory so that both sides
// are touched along their rows. The pointers are aligned to 16 bytes.
#ifndef TILE_X
#define TILE_X    32
#define TILE_Y    32
#define THREADS   256
#define VECTOR    1
#define PAD       1
#define DOWN      0
#define STREAMING 0
#endif

constexpr int PITCH = TILE_X + PAD;
constexpr bool STREAM_LOADS = STREAMING & 1, STREAM_STORES = STREAMING & 2; // evicted first
static_assert(TILE_X * TILE_Y % (VECTOR * THREADS) == 0, "threads must share the tile evenly");
static_assert(TILE_X % VECTOR == 0 && TILE_Y % VECTOR == 0, "vectors must not cross rows");

struct matrices {
    int rows, columns; // of `from`
    const float *from;
    float *to;
};

// WIDTH floats of one access.
template <int WIDTH> struct alignas(4 * WIDTH) run {
    float x[WIDTH];
};
typedef run<4> run4;

__device__ __forceinline__ run<1> load(const run<1> *from)
{
    return {STREAM_LOADS ? __ldcs(from->x) : __ldg(from->x)};
}

__device__ __forceinline__ run4 load(const run4 *from)
{
    const float4 v = STREAM_LOADS ? __ldcs((const float4 *)from) : __ldg((const float4 *)from);
    return {v.x, v.y, v.z, v.w};
}

__device__ __forceinline__ void store(run<1> *to, const run<1> &v)
{
    if (STREAM_STORES)
        __stcs(to->x, v.x[0]);
    else
        *to = v;
}

__device__ __forceinline__ void store(run4 *to, const run4 &v)
{
    const float4 w = make_float4(v.x[0], v.x[1], v.x[2], v.x[3]);
    if (STREAM_STORES)
        __stcs((float4 *)to, w);
    else
        *(float4 *)to = w;
}

// The tile whose first element is from[y0][x0], WIDTH elements at an access.
template <int WIDTH>
__device__ __forceinline__ void transpose_tile(const matrices &m, float *tile, int x0, int y0)
{
    constexpr int RUNS = TILE_X * TILE_Y / WIDTH / THREADS; // of a thread
    const float *from = m.from + (long long)y0 * m.columns + x0;
    float *to = m.to + (long long)x0 * m.rows + y0;
    const unsigned width = m.columns - x0, height = m.rows - y0; // of what is left of the matrix
    run<WIDTH> held[RUNS] = {};
#pragma unroll
    for (int k = 0; k < RUNS; k++) {
        const unsigned e = (threadIdx.x + k * THREADS) * WIDTH, x = e % TILE_X, y = e / TILE_X;
        if (y < height && x < width)
            held[k] = load((const run<WIDTH> *)(from + (long long)m.columns * y + x));
    }
#pragma unroll
    for (int k = 0; k < RUNS; k++) {
        const unsigned e = (threadIdx.x + k * THREADS) * WIDTH, x = e % TILE_X, y = e / TILE_X;
#pragma unroll
        for (int i = 0; i < WIDTH; i++)
            tile[y * PITCH + x + i] = held[k].x[i];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < RUNS; k++) {
        const unsigned e = (threadIdx.x + k * THREADS) * WIDTH, x = e / TILE_Y, y = e % TILE_Y;
        if (y >= height || x >= width)
            continue;
        run<WIDTH> v;
#pragma unroll
        for (int i = 0; i < WIDTH; i++)
            v.x[i] = tile[(y + i) * PITCH + x];
        store((run<WIDTH> *)(to + (long long)m.rows * x + y), v);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    transpose(int rows, int columns, const float *__restrict__ from, float *__restrict__ to)
{
    __shared__ float tile[TILE_Y * PITCH];
    const matrices all = {rows, columns, from, to};
    // Blocks that run together lie side by side in `from`, or, DOWN, in `to`.
    const int x0 = (DOWN ? blockIdx.y : blockIdx.x) * TILE_X, y0 = (DOWN ? blockIdx.x : blockIdx.y) * TILE_Y;
    // No run crosses the end of a row, and all are aligned.
    if (VECTOR == 1 || (rows % VECTOR == 0 && columns % VECTOR == 0))
        transpose_tile<VECTOR>(all, tile, x0, y0);
    else
        transpose_tile<1>(all, tile, x0, y0);
}

extern "C" __global__ void transpose_reference(int rows, int columns, const float *__restrict__ from,
                                               float *__restrict__ to)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < columns && y < rows)
        to[(long long)x * rows + y] = from[(long long)y * columns + x];
}
