// Each row divided by its root mean square and scaled by weights, in half precision, summed in single.
#include <cuda_fp16.h>

#ifndef LANES
#define LANES 256
#define ROWS  1
#define WIDTH 2
#define KEEP  0
#endif
#define WARPS (LANES / 32)

template <int width> struct halves;
template <> struct halves<2> {
    typedef unsigned type;
};
template <> struct halves<4> {
    typedef uint2 type;
};
template <> struct halves<8> {
    typedef uint4 type;
};

typedef halves<WIDTH>::type pack; // WIDTH halves

__device__ __forceinline__ float sum_row(float sum)
{
#pragma unroll
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
#if LANES > 32
    __shared__ float parts[ROWS][WARPS];
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.y][threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0.0f;
#pragma unroll
    for (int w = 0; w < WARPS; w++)
        sum += parts[threadIdx.y][w];
#endif
    return sum;
}

__device__ __forceinline__ float squares(const pack &some)
{
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < WIDTH / 2; k++) {
        const float2 two = __half22float2(((const __half2 *)&some)[k]);
        sum += two.x * two.x + two.y * two.y;
    }
    return sum;
}

__device__ __forceinline__ pack scaled(const pack &some, const pack &weight, float scale)
{
    pack result;
#pragma unroll
    for (int k = 0; k < WIDTH / 2; k++) {
        const float2 two = __half22float2(((const __half2 *)&some)[k]);
        const float2 by = __half22float2(((const __half2 *)&weight)[k]);
        ((__half2 *)&result)[k] = __floats2half2_rn(two.x * scale * by.x, two.y * scale * by.y);
    }
    return result;
}

extern "C" __global__ void __launch_bounds__(LANES *ROWS)
    rmsnorm_half(__half *__restrict__ to, const __half *__restrict__ from, const __half *__restrict__ weights)
{
    const long long row = ((long long)blockIdx.x * ROWS + threadIdx.y) * COLUMNS;
    const pack *x = (const pack *)(from + row), *weight = (const pack *)weights;
    pack *y = (pack *)(to + row);
    float sum = 0.0f;
#if KEEP
    pack kept[COLUMNS / WIDTH / LANES];
#pragma unroll
    for (int k = 0; k < COLUMNS / WIDTH / LANES; k++) {
        kept[k] = x[k * LANES + threadIdx.x];
        sum += squares(kept[k]);
    }
#else
    for (int k = threadIdx.x; k < COLUMNS / WIDTH; k += LANES)
        sum += squares(x[k]);
#endif
    const float scale = rsqrtf(sum_row(sum) / COLUMNS + 1e-5f);
#if KEEP
#pragma unroll
    for (int k = 0; k < COLUMNS / WIDTH / LANES; k++) {
        const int at = k * LANES + threadIdx.x;
        y[at] = scaled(kept[k], weight[at], scale);
    }
#else
    for (int k = threadIdx.x; k < COLUMNS / WIDTH; k += LANES)
        y[k] = scaled(x[k], weight[k], scale);
#endif
}

// One warp a row.
extern "C" __global__ void rmsnorm_half_reference(__half *__restrict__ to, const __half *__restrict__ from,
                                                  const __half *__restrict__ weights)
{
    const long long row = (long long)blockIdx.x * COLUMNS;
    double sum = 0;
    for (int k = threadIdx.x; k < COLUMNS; k += 32) {
        const double x = __half2float(from[row + k]);
        sum += x * x;
    }
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    const double scale = 1.0 / sqrt(sum / COLUMNS + 1e-5);
    for (int k = threadIdx.x; k < COLUMNS; k += 32)
        to[row + k] = __float2half((float)(__half2float(from[row + k]) * scale * __half2float(weights[k])));
}
