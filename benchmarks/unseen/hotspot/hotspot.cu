// Heat on a chip: STEPS steps of a 5-point stencil with a heat source, all of them within a block, whose tile
// carries a halo of STEPS cells that is computed more than once.
#ifndef BLOCK_X
#define BLOCK_X    32
#define BLOCK_Y    8
#define TILE_X     1
#define TILE_Y     1
#define SH_POWER   0
#define MIN_BLOCKS 1
#endif
#define STEPS  4
#define OUT_X  (BLOCK_X * TILE_X)
#define OUT_Y  (BLOCK_Y * TILE_Y)
#define WIDTH  (OUT_X + 2 * STEPS)
#define HEIGHT (OUT_Y + 2 * STEPS)

#define RATE_X 0.1f
#define RATE_Y 0.11f
#define RATE_Z 0.01f
#define AROUND 80.0f
#define SOURCE 0.05f

__device__ __forceinline__ float step(float mine, float west, float east, float north, float south,
                                      float power)
{
    return mine + RATE_X * (west + east - 2.0f * mine) + RATE_Y * (north + south - 2.0f * mine) +
           RATE_Z * (AROUND - mine) + SOURCE * power;
}

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y, MIN_BLOCKS)
    hotspot(float *__restrict__ out, const float *__restrict__ in, const float *__restrict__ power, int width,
            int height)
{
    extern __shared__ float planes[]; // two of temperatures and, with SH_POWER, the power
    float *now = planes, *next = planes + WIDTH * HEIGHT;
    const int left = blockIdx.x * OUT_X - STEPS, top = blockIdx.y * OUT_Y - STEPS;

#pragma unroll
    for (int v = threadIdx.y; v < HEIGHT; v += BLOCK_Y)
#pragma unroll
        for (int u = threadIdx.x; u < WIDTH; u += BLOCK_X) {
            const int x = left + u, y = top + v;
            if (x < 0 || y < 0 || x >= width || y >= height)
                continue;
            now[v * WIDTH + u] = in[y * width + x];
#if SH_POWER
            planes[(2 * HEIGHT + v) * WIDTH + u] = power[y * width + x];
#endif
        }
    __syncthreads();
    for (int s = 1; s <= STEPS; s++) {
        for (int v = threadIdx.y + s; v < HEIGHT - s; v += BLOCK_Y)
            for (int u = threadIdx.x + s; u < WIDTH - s; u += BLOCK_X) {
                const int x = left + u, y = top + v, at = v * WIDTH + u;
                if (x < 0 || y < 0 || x >= width || y >= height)
                    continue;
                const float mine = now[at];
                const float west = x > 0 ? now[at - 1] : mine, east = x < width - 1 ? now[at + 1] : mine;
                const float north = y > 0 ? now[at - WIDTH] : mine,
                            south = y < height - 1 ? now[at + WIDTH] : mine;
#if SH_POWER
                const float heat = planes[2 * HEIGHT * WIDTH + at];
#else
                const float heat = power[y * width + x];
#endif
                next[at] = step(mine, west, east, north, south, heat);
            }
        __syncthreads();
        float *old = now;
        now = next;
        next = old;
    }
#pragma unroll
    for (int j = 0; j < TILE_Y; j++)
#pragma unroll
        for (int i = 0; i < TILE_X; i++) {
            const int u = threadIdx.x + i * BLOCK_X + STEPS, v = threadIdx.y + j * BLOCK_Y + STEPS;
            if (left + u < width && top + v < height)
                out[(top + v) * width + left + u] = now[v * WIDTH + u];
        }
}

// A cell after STEPS steps, from the cells around it: a thread computes a whole small tile by itself.
extern "C" __global__ void hotspot_reference(float *__restrict__ out, const float *__restrict__ in,
                                             const float *__restrict__ power, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float now[2 * STEPS + 1][2 * STEPS + 1];
    if (x >= width)
        return;
    for (int v = 0; v <= 2 * STEPS; v++)
        for (int u = 0; u <= 2 * STEPS; u++)
            now[v][u] =
                in[min(max(y + v - STEPS, 0), height - 1) * width + min(max(x + u - STEPS, 0), width - 1)];
    for (int s = 1; s <= STEPS; s++) {
        float next[2 * STEPS + 1][2 * STEPS + 1];
        for (int v = s; v <= 2 * STEPS - s; v++)
            for (int u = s; u <= 2 * STEPS - s; u++) {
                const int i = x + u - STEPS, j = y + v - STEPS;
                const float mine = now[v][u],
                            heat = i < 0 || j < 0 || i >= width || j >= height ? 0 : power[j * width + i];
                next[v][u] = step(mine, i > 0 ? now[v][u - 1] : mine, i < width - 1 ? now[v][u + 1] : mine,
                                  j > 0 ? now[v - 1][u] : mine, j < height - 1 ? now[v + 1][u] : mine, heat);
            }
        for (int v = s; v <= 2 * STEPS - s; v++)
            for (int u = s; u <= 2 * STEPS - s; u++)
                now[v][u] = next[v][u];
    }
    out[y * width + x] = now[STEPS][STEPS];
}
