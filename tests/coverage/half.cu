// Half and bfloat16: arithmetic, comparison, functions, conversions, atomics.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define ONE(F) out[k++ * n + i] = F(a[i + k]);
#define TWO(F) out[k++ * n + i] = F(a[i + k], b[i]);
#define THREE(F) out[k++ * n + i] = F(a[i + k], b[i], c[i]);

template <class T>
__device__ void scalars(T *out, const T *a, const T *b, const T *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;

    TWO(__hadd) TWO(__hsub) TWO(__hmul) TWO(__hadd_sat) TWO(__hmul_sat) TWO(__hmax) TWO(__hmin) TWO(__hdiv)
    THREE(__hfma) THREE(__hfma_sat) ONE(__hneg) ONE(__habs) ONE(hceil) ONE(hcos) ONE(hexp) ONE(hexp2)
    ONE(hfloor) ONE(hlog) ONE(hlog2) ONE(hrcp) ONE(hrint) ONE(hrsqrt) ONE(hsin) ONE(hsqrt) ONE(htrunc)
    out[i] = __heq(a[i], b[i]) || __hltu(a[i], c[i]) ? a[i] : c[i];
}

template <class T>
__device__ void pairs(T *out, const T *a, const T *b, const T *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;

    TWO(__hadd2) TWO(__hmul2) TWO(__hmax2) THREE(__hfma2) ONE(__habs2) TWO(__heq2) TWO(__hgeu2)
    THREE(__hcmadd) ONE(h2exp) ONE(h2sqrt)
    out[i] = __hbeq2(a[i], b[i]) ? a[i] : c[i];
}

#define KERNEL(name, T, body)                                                                                 \
    extern "C" __global__ void name(T *out, const T *a, const T *b, const T *c, int n)                        \
    {                                                                                                         \
        body(out, a, b, c, n);                                                                                \
    }
KERNEL(half_scalars, __half, scalars)
KERNEL(half_pairs, __half2, pairs)
#if __CUDA_ARCH__ >= 800
KERNEL(bfloat_scalars, __nv_bfloat16, scalars)
KERNEL(bfloat_pairs, __nv_bfloat162, pairs)
#endif

extern "C" __global__ void convert(float *f, __half *h, __nv_bfloat16 *b, int *i, double *d)
{
    f[0] = __half2float(h[0]) + __bfloat162float(b[0]);
    i[0] = __half2int_rn(h[1]) + __half2short_rd(h[2]) + __bfloat162int_rz(b[1]);
    h[3] = __float2half_rz(f[1]);
    h[4] = __int2half_rn(i[1]);
    h[5] = __double2half(d[0]);
    b[3] = __float2bfloat16_rn(f[2]);
    b[4] = __int2bfloat16_rn(i[2]);
    atomicAdd(h + 6, h[7]);
    atomicAdd((__half2 *)(h + 8), *(__half2 *)(h + 10));
}
