// An image turned about its middle, with the four nearest pixels weighted.
#ifndef BLOCK_X
#define BLOCK_X   32
#define BLOCK_Y   8
#define OUT_X     1
#define OUT_Y     1
#define WARP_ROWS 1
#define CLAMP     0
#endif

struct place {
    float x, y;
};

__device__ __forceinline__ place turned(int x, int y, float middle, float sine, float cosine)
{
    const float u = x - middle, v = y - middle;
    return {fmaf(cosine, u, fmaf(-sine, v, middle)), fmaf(sine, u, fmaf(cosine, v, middle))};
}

__device__ __forceinline__ float mix(float a, float b, float t)
{
    return fmaf(t, b - a, a);
}

__device__ __forceinline__ float pixel(const float *__restrict__ in, int size, place from)
{
    const int x = (int)floorf(from.x), y = (int)floorf(from.y);
    const float u = from.x - x, v = from.y - y;
#if CLAMP
    // outside is 0: the weights vanish, and the reads stay within the image
    const int left = min(max(x, 0), size - 2), top = min(max(y, 0), size - 2);
    const float *at = in + top * size + left;
    const float all = mix(mix(at[0], at[1], u), mix(at[size], at[size + 1], u), v);
    return left == x && top == y ? all : 0.0f;
#else
    if (x < 0 || y < 0 || x > size - 2 || y > size - 2)
        return 0.0f;
    const float *at = in + y * size + x;
    return mix(mix(at[0], at[1], u), mix(at[size], at[size + 1], u), v);
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    rotate(float *__restrict__ out, const float *__restrict__ in, int size, float sine, float cosine)
{
#if WARP_ROWS > 1
    // a warp covers WARP_ROWS rows of the block: fewer sectors where the image is read aslant
    const int k = threadIdx.y * BLOCK_X + threadIdx.x, wide = 32 / WARP_ROWS, across = BLOCK_X / wide;
    const int tx = k / 32 % across * wide + k % wide, ty = k / (32 * across) * WARP_ROWS + k % 32 / wide;
#else
    const int tx = threadIdx.x, ty = threadIdx.y;
#endif
#pragma unroll
    for (int j = 0; j < OUT_Y; j++)
#pragma unroll
        for (int i = 0; i < OUT_X; i++) {
            const int x = (blockIdx.x * OUT_X + i) * BLOCK_X + tx,
                      y = (blockIdx.y * OUT_Y + j) * BLOCK_Y + ty;
            if (x < size && y < size)
                out[y * size + x] = pixel(in, size, turned(x, y, 0.5f * (size - 1), sine, cosine));
        }
}

extern "C" __global__ void rotate_reference(float *__restrict__ out, const float *__restrict__ in, int size,
                                            float sine, float cosine)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < size)
        out[y * size + x] = pixel(in, size, turned(x, y, 0.5f * (size - 1), sine, cosine));
}
