// Global memory kept busy. A thread reads or writes VECTOR values, `step` values apart, in a window of `mask` + 1.
//   VECTOR: unsigned char, unsigned short, unsigned, uint2, uint4;  LOAD: "ld.global" or "ld.global.cg"
//   UNROLL: accesses in flight a thread
#include "clock.cuh"

static __device__ __forceinline__ unsigned fold(unsigned v)
{
    return v;
}
static __device__ __forceinline__ unsigned fold(uint2 v)
{
    return v.x ^ v.y;
}
static __device__ __forceinline__ unsigned fold(uint4 v)
{
    return v.x ^ v.y ^ v.z ^ v.w;
}
static __device__ __forceinline__ void spread(unsigned char &v, unsigned from)
{
    v = (unsigned char)from;
}
static __device__ __forceinline__ void spread(unsigned short &v, unsigned from)
{
    v = (unsigned short)from;
}
static __device__ __forceinline__ void spread(unsigned &v, unsigned from)
{
    v = from;
}
static __device__ __forceinline__ void spread(uint2 &v, unsigned from)
{
    v = make_uint2(from, from);
}
static __device__ __forceinline__ void spread(uint4 &v, unsigned from)
{
    v = make_uint4(from, from, from, from);
}

#ifdef KERNEL_cached_read
// Within the chip: timed by the SM's clock, each SM `passes` times UNROLL accesses a thread.
extern "C" __global__ void cached_read(const VECTOR *data, unsigned *sink, long long *spans, int passes, unsigned step,
                                       unsigned mask, unsigned block_step)
{
    unsigned at = threadIdx.x + blockIdx.x * block_step, sum = 0;
    const long long enter = clock_now();
    long long start = 0, stop = 0;

#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        start = clock_now();
#pragma unroll 1
        for (int pass = 0; pass < passes; pass++) {
            VECTOR v[UNROLL];
#pragma unroll
            for (int k = 0; k < UNROLL; k++) {
                v[k] = READ(data + (at & mask));
                at += step;
            }
#pragma unroll
            for (int k = 0; k < UNROLL; k++)
                sum ^= fold(v[k]);
        }
        stop = clock_now();
    }
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    span_keep(spans, enter, start, stop);
}
#endif

#ifdef KERNEL_cached_write
extern "C" __global__ void cached_write(VECTOR *data, long long *spans, int passes, unsigned step, unsigned mask,
                                        unsigned block_step)
{
    unsigned at = threadIdx.x + blockIdx.x * block_step;
    const long long enter = clock_now();
    long long start = 0, stop = 0;
    VECTOR v;

    spread(v, threadIdx.x);
#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        start = clock_now();
#pragma unroll 1
        for (int pass = 0; pass < passes; pass++) {
#pragma unroll
            for (int k = 0; k < UNROLL; k++) {
                data[at & mask] = v;
                at += step;
            }
        }
        stop = clock_now();
    }
    span_keep(spans, enter, start, stop);
}
#endif

#ifdef KERNEL_dram_read
// Through the chip: every element of long arrays once. Timed from outside.
extern "C" __global__ void dram_read(const VECTOR *in, unsigned *sink, unsigned long long count)
{
    const unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    unsigned long long at = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    unsigned sum = 0;

    for (; at + (UNROLL - 1) * threads < count; at += UNROLL * threads) {
        VECTOR v[UNROLL];
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            v[k] = READ(in + at + k * threads);
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            sum ^= fold(v[k]);
    }
    for (; at < count; at += threads)
        sum ^= fold(READ(in + at));
    if (sum == 1)
        sink[threadIdx.x] = sum;
}
#endif

#ifdef KERNEL_dram_write
extern "C" __global__ void dram_write(VECTOR *out, unsigned long long count)
{
    const unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    VECTOR v;

    spread(v, threadIdx.x);
    for (unsigned long long at = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; at < count; at += threads)
        out[at] = v;
}
#endif

#ifdef KERNEL_dram_copy
extern "C" __global__ void dram_copy(const VECTOR *in, VECTOR *out, unsigned long long count)
{
    const unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    unsigned long long at = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;

    for (; at + (UNROLL - 1) * threads < count; at += UNROLL * threads) {
        VECTOR v[UNROLL];
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            v[k] = READ(in + at + k * threads);
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            out[at + k * threads] = v[k];
    }
    for (; at < count; at += threads)
        out[at] = READ(in + at);
}
#endif

#ifdef KERNEL_dram_copy_burst
// A block copies what lies together, UNROLL values a thread, all read before the first is written.
extern "C" __global__ void dram_copy_burst(const VECTOR *in, VECTOR *out, unsigned long long count)
{
    const unsigned long long at = blockIdx.x * (unsigned long long)(UNROLL * blockDim.x) + threadIdx.x;
    VECTOR v[UNROLL];

    if (at + (UNROLL - 1) * blockDim.x >= count)
        return;
#pragma unroll
    for (int k = 0; k < UNROLL; k++)
        v[k] = READ(in + at + k * blockDim.x);
#pragma unroll
    for (int k = 0; k < UNROLL; k++)
        out[at + k * blockDim.x] = v[k];
}
#endif
