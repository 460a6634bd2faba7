// residual += x (+ bias); y = layer_norm(residual) * gamma + beta, in fp16 with fp32 statistics. A group of threads
// has a row, and keeps it in registers between the passes.
#include <cuda_fp16.h>

namespace fused {

template <typename T, int N> struct alignas(sizeof(T) * N) Pack {
    T e[N];
};

struct Moments {
    float mean, m2, count;
};

__device__ __forceinline__ Moments merge(const Moments &a, const Moments &b)
{
    const float count = a.count + b.count, delta = b.mean - a.mean;
    return {a.mean + delta * (b.count / count), a.m2 + b.m2 + delta * delta * (a.count * b.count / count), count};
}

template <int WIDTH> __device__ __forceinline__ Moments merge_lanes(Moments m)
{
#pragma unroll
    for (int mask = WIDTH / 2; mask > 0; mask >>= 1) {
        const Moments other = {__shfl_xor_sync(0xffffffff, m.mean, mask), __shfl_xor_sync(0xffffffff, m.m2, mask),
                               __shfl_xor_sync(0xffffffff, m.count, mask)};
        m = merge(m, other);
    }
    return m;
}

template <int kGroup, int kRows, int kHidden, int kVec, bool kWelford>
__global__ void __launch_bounds__(kGroup *kRows)
    layernorm_residual(const __half *__restrict__ x, __half *__restrict__ residual, const __half *__restrict__ bias,
                       const __half *__restrict__ gamma, const __half *__restrict__ beta, __half *__restrict__ y,
                       float epsilon)
{
    using V = Pack<__half, kVec>;
    constexpr int kPacks = kHidden / kVec / kGroup;
    const int row = blockIdx.x * kRows + threadIdx.y, t = threadIdx.x;
    const size_t at = (size_t)row * kHidden;

    float v[kPacks * kVec];
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
        const int c = (p * kGroup + t) * kVec;
        const V a = *reinterpret_cast<const V *>(x + at + c);
        V r = *reinterpret_cast<const V *>(residual + at + c);
        const V b = *reinterpret_cast<const V *>(bias + c);
#pragma unroll
        for (int e = 0; e < kVec; ++e) {
            r.e[e] = __hadd(r.e[e], __hadd(a.e[e], b.e[e]));
            v[p * kVec + e] = __half2float(r.e[e]);
        }
        *reinterpret_cast<V *>(residual + at + c) = r;
    }

    Moments m = {0, 0, 0};
    if (kWelford) {
#pragma unroll
        for (int i = 0; i < kPacks * kVec; ++i) {
            const float delta = v[i] - m.mean;
            m.mean += delta * (1.0f / (i + 1));
            m.m2 += delta * (v[i] - m.mean);
        }
    } else {
#pragma unroll
        for (int i = 0; i < kPacks * kVec; ++i)
            m.mean += v[i];
        m.mean *= 1.0f / (kPacks * kVec);
#pragma unroll
        for (int i = 0; i < kPacks * kVec; ++i)
            m.m2 += (v[i] - m.mean) * (v[i] - m.mean);
    }
    m.count = kPacks * kVec;
    m = merge_lanes<kGroup < 32 ? kGroup : 32>(m);
    if constexpr (kGroup > 32) {
        constexpr int kWarps = kGroup / 32;
        __shared__ Moments part[kRows][kWarps];
        if (t % 32 == 0)
            part[threadIdx.y][t / 32] = m;
        __syncthreads();
        m = part[threadIdx.y][0];
#pragma unroll
        for (int w = 1; w < kWarps; ++w)
            m = merge(m, part[threadIdx.y][w]);
    }
    const float scale = rsqrtf(m.m2 / kHidden + epsilon);
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
        const int c = (p * kGroup + t) * kVec;
        const V g = *reinterpret_cast<const V *>(gamma + c), b = *reinterpret_cast<const V *>(beta + c);
        V r;
#pragma unroll
        for (int e = 0; e < kVec; ++e)
            r.e[e] = __float2half((v[p * kVec + e] - m.mean) * scale * __half2float(g.e[e]) + __half2float(b.e[e]));
        *reinterpret_cast<V *>(y + at + c) = r;
    }
}

} // namespace fused

extern "C" __global__ void layernorm_reference(const __half *x, __half *residual, const __half *bias,
                                               const __half *gamma, const __half *beta, __half *y, float epsilon)
{
    const int hidden = 1024;
    __shared__ float sums[256];
    const size_t at = (size_t)blockIdx.x * hidden;
    float sum = 0;
    for (int c = threadIdx.x; c < hidden; c += 256) {
        residual[at + c] = __hadd(residual[at + c], __hadd(x[at + c], bias[c]));
        sum += __half2float(residual[at + c]);
    }
    for (int pass = 0;; pass++) {
        __shared__ float mean, deviation;
        sums[threadIdx.x] = sum;
        __syncthreads();
        if (threadIdx.x == 0) {
            float all = 0;
            for (int i = 0; i < 256; i++)
                all += sums[i];
            if (pass == 0)
                mean = all / hidden;
            else
                deviation = sqrtf(all / hidden + epsilon);
        }
        __syncthreads();
        if (pass == 1) {
            for (int c = threadIdx.x; c < hidden; c += 256)
                y[at + c] = __float2half((__half2float(residual[at + c]) - mean) / deviation * __half2float(gamma[c]) +
                                         __half2float(beta[c]));
            return;
        }
        sum = 0;
        for (int c = threadIdx.x; c < hidden; c += 256) {
            const float d = __half2float(residual[at + c]) - mean;
            sum += d * d;
        }
    }
}
