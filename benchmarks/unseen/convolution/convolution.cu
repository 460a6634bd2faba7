// 7 x 7 convolution of an image, clamped at its edges; the filter lies in constant memory. A thread computes
// OUT_X x OUT_Y pixels, a block's width and height apart.
#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 8
#define OUT_X   1
#define OUT_Y   1
#define STAGE   0
#endif
#define RADIUS 3
#define TAPS   (2 * RADIUS + 1)
#define TILE_X (BLOCK_X * OUT_X)
#define TILE_Y (BLOCK_Y * OUT_Y)

__constant__ float filter[TAPS * TAPS];

__device__ __forceinline__ float pixel(const float *__restrict__ in, int width, int height, int x, int y)
{
    x = min(max(x, 0), width - 1);
    y = min(max(y, 0), height - 1);
    return in[y * width + x];
}

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    convolution(float *__restrict__ out, const float *__restrict__ in, int width, int height)
{
    const int left = blockIdx.x * TILE_X - RADIUS, top = blockIdx.y * TILE_Y - RADIUS;
#if STAGE
    __shared__ float tile[TILE_Y + 2 * RADIUS][TILE_X + 2 * RADIUS];
    for (int y = threadIdx.y; y < TILE_Y + 2 * RADIUS; y += BLOCK_Y)
        for (int x = threadIdx.x; x < TILE_X + 2 * RADIUS; x += BLOCK_X)
            tile[y][x] = pixel(in, width, height, left + x, top + y);
    __syncthreads();
#endif
    float sum[OUT_Y][OUT_X] = {};
#pragma unroll
    for (int v = 0; v < TAPS; v++)
#pragma unroll
        for (int u = 0; u < TAPS; u++)
#pragma unroll
            for (int j = 0; j < OUT_Y; j++)
#pragma unroll
                for (int i = 0; i < OUT_X; i++) {
                    const int x = threadIdx.x + i * BLOCK_X + u, y = threadIdx.y + j * BLOCK_Y + v;
#if STAGE
                    sum[j][i] += filter[v * TAPS + u] * tile[y][x];
#else
                    sum[j][i] += filter[v * TAPS + u] * pixel(in, width, height, left + x, top + y);
#endif
                }
#pragma unroll
    for (int j = 0; j < OUT_Y; j++)
#pragma unroll
        for (int i = 0; i < OUT_X; i++) {
            const int x = left + RADIUS + threadIdx.x + i * BLOCK_X;
            const int y = top + RADIUS + threadIdx.y + j * BLOCK_Y;
            if (x < width && y < height)
                out[y * width + x] = sum[j][i];
        }
}

extern "C" __global__ void convolution_reference(float *__restrict__ out, const float *__restrict__ in,
                                                 int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    double sum = 0;
    if (x >= width)
        return;
    for (int v = 0; v < TAPS; v++)
        for (int u = 0; u < TAPS; u++)
            sum += (double)filter[v * TAPS + u] * pixel(in, width, height, x + u - RADIUS, y + v - RADIUS);
    out[y * width + x] = (float)sum;
}
