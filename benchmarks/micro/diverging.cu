// Loads whose lanes lie in several sectors or lines: what each further one of a request costs.
#include "clock.cuh"

#define LOAD(v, p) asm volatile(LOAD_PTX " %0, [%1];" : "=r"(v) : "l"(p) : "memory")

// Throughput: LENGTH loads a pass, 4 KB apart; warp w begins at w * warp_bytes (mod window). `group` lanes in a row share a
// line, and there are `lines` of those; a lane lies lane * lane_bytes behind the beginning of its line.
extern "C" __global__ void diverging(const char *data, unsigned *sink, long long *spans, int passes, unsigned group,
                                     unsigned lines, unsigned lane_bytes, unsigned long long warp_bytes,
                                     unsigned long long window, unsigned pass_bytes)
{
    const unsigned long long warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const unsigned lane = threadIdx.x % 32;
    const char *p = data + warp * warp_bytes % window + lane / group % lines * 128 + lane * lane_bytes;
    const long long enter = clock_now();
    long long start = 0, stop = 0;
    unsigned sum = 0;

#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        start = clock_now();
#pragma unroll 1
        for (int pass = 0; pass < passes; pass++, p += pass_bytes) { // by 0, but the compiler does not know
            unsigned v[LENGTH];
#pragma unroll
            for (int k = 0; k < LENGTH; k++)
                LOAD(v[k], p + k * 4096);
#pragma unroll
            for (int k = 0; k < LENGTH; k++)
                sum ^= v[k];
        }
        stop = clock_now();
    }
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    span_keep(spans, enter, start, stop);
}

// Latency: each lane's word holds its own offset, so a lane loads the same word again once it knows the address.
extern "C" __global__ void diverging_chase(unsigned long long *words, long long *samples, unsigned spread)
{
    const int lane = threadIdx.x;
    char *own = (char *)words + blockIdx.x * 32ull * 256 + lane * spread;
    unsigned long long p = (unsigned long long)own;
    long long kept = 0;

    *(unsigned long long *)own = p;
    __threadfence();
    __syncwarp();
#pragma unroll 1
    for (int sample = -1; sample < 32; sample++) {
        asm volatile("ld.global.u64 %0, [%0];" : "+l"(p)::"memory");
        const long long first = clock_now();
#pragma unroll
        for (int k = 0; k < 64; k++)
            asm volatile("ld.global.u64 %0, [%0];" : "+l"(p)::"memory");
        const long long second = clock_now();
        if (lane == sample)
            kept = second - first;
    }
    if (p == 0)
        kept = 0;
    samples[blockIdx.x * 32 + lane] = kept;
}
