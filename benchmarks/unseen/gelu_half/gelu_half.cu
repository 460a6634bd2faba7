// y = gelu(x + bias) in half precision, a template over the type of an access.
#include <cuda_fp16.h>

#ifndef METHOD
#define METHOD 0
#endif
// The values of METHOD: by tanhf, by the exponential, by the instruction for tanh, in pairs of halves.
#define METHOD_TANH        0
#define METHOD_EXPONENTIAL 1
#define METHOD_INSTRUCTION 2
#define METHOD_PAIRS       3

__device__ __forceinline__ float tangent(float x)
{
#if METHOD == METHOD_TANH
    return tanhf(x);
#elif METHOD == METHOD_EXPONENTIAL
    return 1.0f - __fdividef(2.0f, 1.0f + __expf(2.0f * x));
#else
    float y;
    asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#endif
}

__device__ __forceinline__ float gelu(float x)
{
    return 0.5f * x * (1.0f + tangent(0.7978845608f * (x + 0.044715f * x * x * x)));
}

__device__ __forceinline__ __half2 gelu(__half2 x)
{
#if METHOD == METHOD_PAIRS
    const __half2 inner = __hmul2(__float2half2_rn(0.7978845608f),
                                  __hfma2(__hmul2(x, x), __hmul2(x, __float2half2_rn(0.044715f)), x));
    unsigned y;
    asm("tanh.approx.f16x2 %0, %1;" : "=r"(y) : "r"(*(const unsigned *)&inner));
    const __half2 half = __hmul2(x, __float2half2_rn(0.5f));
    return __hfma2(half, *(__half2 *)&y, half);
#else
    const float2 both = __half22float2(x);
    return __floats2half2_rn(gelu(both.x), gelu(both.y));
#endif
}

template <typename type> union halves {
    type all;
    __half2 pair[sizeof(type) / sizeof(__half2)];
};

template <typename type, int threads, int items>
__global__ void __launch_bounds__(threads) gelu_half(__half *__restrict__ y, const __half *__restrict__ x,
                                                     const __half *__restrict__ bias, int columns)
{
    const int width = sizeof(type) / sizeof(__half);
    const long long first = ((long long)blockIdx.x * threads * items + threadIdx.x) * width;
    halves<type> from[items], add;
#pragma unroll
    for (int k = 0; k < items; k++)
        from[k].all = *(const type *)&x[first + k * threads * width];
#pragma unroll
    for (int k = 0; k < items; k++) {
        const long long at = first + k * threads * width;
        add.all = *(const type *)&bias[at % columns];
#pragma unroll
        for (int p = 0; p < width / 2; p++)
            from[k].pair[p] = gelu(__hadd2(from[k].pair[p], add.pair[p]));
        *(type *)&y[at] = from[k].all;
    }
}

extern "C" __global__ void gelu_half_reference(__half *__restrict__ y, const __half *__restrict__ x,
                                               const __half *__restrict__ bias, int columns)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const float v = __half2float(__hadd(x[i], bias[i % columns]));
    y[i] = __float2half(0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v))));
}
