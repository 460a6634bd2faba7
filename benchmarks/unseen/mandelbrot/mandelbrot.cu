// How soon z = z z + c leaves the circle of radius 2, for each pixel. Neighbouring pixels take different paths.
#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 8
#define PIXELS  1
#define UNROLL  1
#define EARLY   1
#endif

// With explicit rounding every variant computes the same orbit.
__device__ __forceinline__ int escape(float cx, float cy, int limit)
{
    float x = 0.0f, y = 0.0f;
    int n = 0;
#if EARLY
#pragma unroll UNROLL
    for (; n < limit; n++) {
        const float xx = __fmul_rn(x, x), yy = __fmul_rn(y, y);
        if (xx + yy > 4.0f)
            break;
        y = __fmaf_rn(__fadd_rn(x, x), y, cy);
        x = __fadd_rn(__fsub_rn(xx, yy), cx);
    }
#else // looks only each UNROLL steps, and does not count those that came after the escape
    for (int k = 0; k < limit; k += UNROLL) {
        bool inside = true;
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const float xx = __fmul_rn(x, x), yy = __fmul_rn(y, y);
            inside = inside && xx + yy <= 4.0f;
            n += inside;
            y = __fmaf_rn(__fadd_rn(x, x), y, cy);
            x = __fadd_rn(__fsub_rn(xx, yy), cx);
        }
        if (!inside)
            break;
    }
#endif
    return n;
}

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    mandelbrot(int *__restrict__ out, int width, int height, int limit)
{
    const int x = blockIdx.x * BLOCK_X + threadIdx.x;
#pragma unroll
    for (int p = 0; p < PIXELS; p++) {
        const int y = (blockIdx.y * PIXELS + p) * BLOCK_Y + threadIdx.y;
        if (x < width && y < height)
            out[y * width + x] = escape(__fmaf_rn((float)x, 3.0f / width, -2.0f),
                                        __fmaf_rn((float)y, 2.4f / height, -1.2f), limit);
    }
}
