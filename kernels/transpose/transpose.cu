// to[j][i] = from[i][j] of a matrix of rows x columns: a tile goes through shared memory so that both sides
// are touched along their rows.
#ifndef TILE_X
#define TILE_X    32
#define TILE_Y    32
#define THREADS   256
#define PAD       1
#define DOWN      0
#define STREAMING 0
#endif

constexpr int ITEMS = TILE_X * TILE_Y / THREADS; // elements of a thread
constexpr int PITCH = TILE_X + PAD;
static_assert(ITEMS * THREADS == TILE_X * TILE_Y, "threads must share the tile evenly");

extern "C" __global__ void __launch_bounds__(THREADS)
    transpose(int rows, int columns, const float *__restrict__ from, float *__restrict__ to)
{
    __shared__ float tile[TILE_Y * PITCH];
    // Blocks that run together lie side by side in `from`, or, DOWN, in `to`.
    const int x0 = (DOWN ? blockIdx.y : blockIdx.x) * TILE_X, y0 = (DOWN ? blockIdx.x : blockIdx.y) * TILE_Y;
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const int e = threadIdx.x + k * THREADS, x = e % TILE_X, y = e / TILE_X;
        const float *source = from + (long long)(y0 + y) * columns + x0 + x;
        if (y0 + y < rows && x0 + x < columns)
            tile[y * PITCH + x] = STREAMING ? __ldcs(source) : __ldg(source);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const int e = threadIdx.x + k * THREADS, x = e / TILE_Y, y = e % TILE_Y;
        float *target = to + (long long)(x0 + x) * rows + y0 + y;
        if (y0 + y >= rows || x0 + x >= columns)
            continue;
        if (STREAMING)
            __stcs(target, tile[y * PITCH + x]);
        else
            *target = tile[y * PITCH + x];
    }
}

extern "C" __global__ void transpose_reference(int rows, int columns, const float *__restrict__ from,
                                               float *__restrict__ to)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < columns && y < rows)
        to[(long long)x * rows + y] = from[(long long)y * columns + x];
}
