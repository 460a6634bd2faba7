// What every microbenchmark shares: the SM's clock, and where a warp puts its time stamps when it has done.
#pragma once

static __device__ __forceinline__ long long clock_now()
{
    long long now;

    asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
    return now;
}

static __device__ __forceinline__ unsigned sm_now()
{
    unsigned sm;

    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

// Four numbers a warp: when it began, start and stop of the timed part, and its SM with its block above it.
enum { SPAN_NUMBERS = 4 };
static __device__ __forceinline__ void span_keep(long long *spans, long long enter, long long start, long long stop)
{
    const unsigned warps = (blockDim.x + 31) / 32, warp = blockIdx.x * warps + threadIdx.x / 32;

    if ((threadIdx.x & 31) == 0) {
        spans[SPAN_NUMBERS * warp] = enter;
        spans[SPAN_NUMBERS * warp + 1] = start;
        spans[SPAN_NUMBERS * warp + 2] = stop;
        spans[SPAN_NUMBERS * warp + 3] = sm_now() | (long long)blockIdx.x << 32;
    }
}

// Register contents of a tensor operand.
static __device__ __forceinline__ unsigned bits(float v)
{
    return __float_as_uint(v);
}
static __device__ __forceinline__ unsigned bits(int v)
{
    return v;
}
