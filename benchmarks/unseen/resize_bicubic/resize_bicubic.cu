// Bicubic downscale of an RGBA image, 8 bits a channel, by any ratio. The weights of a column are computed once and held
// over the rows of a thread.
#ifdef USE_LDG
#define READ(p) __ldg(p)
#else
#define READ(p) (*(p))
#endif

namespace {
constexpr float kA = -0.5f;

__device__ __forceinline__ float cubic(float x)
{
    x = fabsf(x);
    return x < 1.0f ? ((kA + 2.0f) * x - (kA + 3.0f)) * x * x + 1.0f
                    : x < 2.0f ? ((kA * x - 5.0f * kA) * x + 8.0f * kA) * x - 4.0f * kA : 0.0f;
}

__device__ __forceinline__ int clampi(int v, int lo, int hi) { return min(max(v, lo), hi); }

__device__ __forceinline__ void weights_at(float (&w)[4], int &first, float centre)
{
    const float base = floorf(centre);
    first = static_cast<int>(base) - 1;
#pragma unroll
    for (int t = 0; t < 4; ++t)
        w[t] = cubic(centre - (base - 1.0f + t));
}

__device__ __forceinline__ float4 unpack(uchar4 p)
{
    return make_float4(p.x, p.y, p.z, p.w);
}

__device__ __forceinline__ void accumulate(float4 &sum, float4 v, float w)
{
    sum.x = fmaf(w, v.x, sum.x), sum.y = fmaf(w, v.y, sum.y);
    sum.z = fmaf(w, v.z, sum.z), sum.w = fmaf(w, v.w, sum.w);
}

__device__ __forceinline__ unsigned char saturate(float v)
{
    return static_cast<unsigned char>(fminf(fmaxf(v + 0.5f, 0.0f), 255.0f));
}
} // namespace

extern "C" __global__ __launch_bounds__(BX *BY) void resize_bicubic(uchar4 *__restrict__ dst,
                                                                    const uchar4 *__restrict__ src, int dw, int dh,
                                                                    int sw, int sh, float rx, float ry)
{
    const int x = blockIdx.x * BX + threadIdx.x;
    if (x >= dw)
        return;
    float wx[4];
    int x0;
    weights_at(wx, x0, (x + 0.5f) * rx - 0.5f);
    int column[4];
#pragma unroll
    for (int t = 0; t < 4; ++t)
        column[t] = clampi(x0 + t, 0, sw - 1);

#pragma unroll ROWS_UNROLL
    for (int r = 0; r < ROWS; ++r) {
#if INTERLEAVED
        const int y = (blockIdx.y * ROWS + r) * BY + threadIdx.y;
#else
        const int y = (blockIdx.y * BY + threadIdx.y) * ROWS + r;
#endif
        if (y >= dh)
            break;
        float wy[4];
        int y0;
        weights_at(wy, y0, (y + 0.5f) * ry - 0.5f);
        float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
        for (int v = 0; v < 4; ++v) {
            const uchar4 *line = src + static_cast<size_t>(clampi(y0 + v, 0, sh - 1)) * sw;
            float4 row = make_float4(0, 0, 0, 0);
#pragma unroll
            for (int u = 0; u < 4; ++u)
                accumulate(row, unpack(READ(line + column[u])), wx[u]);
            accumulate(sum, row, wy[v]);
        }
        dst[static_cast<size_t>(y) * dw + x] =
            make_uchar4(saturate(sum.x), saturate(sum.y), saturate(sum.z), saturate(sum.w));
    }
}

extern "C" __global__ void resize_reference(uchar4 *dst, const uchar4 *src, int dw, int dh, int sw, int sh, float rx,
                                            float ry)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= dw)
        return;
    float wx[4], wy[4];
    int x0, y0;
    weights_at(wx, x0, (x + 0.5f) * rx - 0.5f);
    weights_at(wy, y0, (y + 0.5f) * ry - 0.5f);
    float4 sum = make_float4(0, 0, 0, 0);
    for (int v = 0; v < 4; ++v) {
        float4 row = make_float4(0, 0, 0, 0);
        for (int u = 0; u < 4; ++u)
            accumulate(row, unpack(src[(size_t)clampi(y0 + v, 0, sh - 1) * sw + clampi(x0 + u, 0, sw - 1)]), wx[u]);
        accumulate(sum, row, wy[v]);
    }
    dst[(size_t)y * dw + x] = make_uchar4(saturate(sum.x), saturate(sum.y), saturate(sum.z), saturate(sum.w));
}
