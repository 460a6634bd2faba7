// What every microbenchmark shares: the SM's clock, and where a warp puts its time stamps when it has done.
#pragma once

static __device__ __forceinline__ long long clock_now()
{
    long long now;

    asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
    return now;
}

// Cycles until a load past L1 of 16 bytes a lane is there. They are zeros, so that the clock is read as soon as they are.
static __device__ __forceinline__ long long load_time(const uint4 *zeros)
{
    uint4 v;
    long long stop = 0;
    const long long start = clock_now();

    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(zeros)
                 : "memory");
    asm volatile("{.reg .pred is; setp.eq.u32 is, %1, 0; @is mov.u64 %0, %%clock64;}"
                 : "+l"(stop)
                 : "r"(v.x | v.y | v.z | v.w)
                 : "memory");
    return stop - start;
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
