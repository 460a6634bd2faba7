// Atomics on global memory. With ATOMIC_CHASE a dependent chain; without, additions nobody waits for.
#include "clock.cuh"

// A word holds the address of the next: adding zero to it returns where the next addition goes. A block has 64 words, 1 KB
// apart and the other blocks' in between, so that near and far parts of L2 are met alike in every sample.
extern "C" __global__ void atomic_chase(char *words, long long *samples)
{
    const unsigned long long spacing = gridDim.x * 1024ull;
    char *own = words + blockIdx.x * 1024ull;
    unsigned long long p = (unsigned long long)own;

    for (unsigned i = threadIdx.x; i < 64; i += blockDim.x)
        *(unsigned long long *)(own + i * spacing) = (unsigned long long)(own + (i + 23) % 64 * spacing);
    __threadfence();
    __syncwarp();
    if (threadIdx.x == 0) {
#pragma unroll 1
        for (int sample = -2; sample < 32; sample++) {
            asm volatile("atom.global.add.u64 %0, [%0], 0;" : "+l"(p)::"memory");
            const long long first = clock_now();
#pragma unroll
            for (int k = 0; k < 64; k++)
                asm volatile("atom.global.add.u64 %0, [%0], 0;" : "+l"(p)::"memory");
            const long long second = clock_now();
            samples[blockIdx.x * 32 + (sample & 31)] = second - first;
        }
    }
    if (p == 0)
        samples[0] = 0;
}

extern "C" __global__ void shared_atomic_chase(long long *samples)
{
    __shared__ unsigned word[32];
    unsigned p = (unsigned)__cvta_generic_to_shared(word + threadIdx.x);
    const unsigned zero = threadIdx.x >> 10;
    long long kept = 0;

    word[threadIdx.x] = p;
    __syncthreads();
#pragma unroll 1
    for (int sample = -1; sample < 32; sample++) {
        asm volatile("atom.shared.add.u32 %0, [%0], %1;" : "+r"(p) : "r"(zero) : "memory");
        const long long first = clock_now();
#pragma unroll
        for (int k = 0; k < 64; k++)
            asm volatile("atom.shared.add.u32 %0, [%0], %1;" : "+r"(p) : "r"(zero) : "memory");
        const long long second = clock_now();
        if (threadIdx.x == sample)
            kept = second - first;
    }
    samples[blockIdx.x * 32 + threadIdx.x] = kept + (p == 1);
}

// The k-th addition of lane l of warp w goes to word k * step_words + w * warp_words + l * lane_words.
extern "C" __global__ void atomic_busy(unsigned *words, long long *spans, int passes, unsigned lane_words,
                                       unsigned warp_words, unsigned step_words)
{
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    unsigned *own = words + warp * (unsigned long long)warp_words + (threadIdx.x & 31) * lane_words;
    const long long enter = clock_now();
    long long start = 0, stop = 0;

#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        start = clock_now();
#pragma unroll 1
        for (int pass = 0; pass < passes; pass++) {
#pragma unroll
            for (int k = 0; k < LENGTH; k++)
                asm volatile("red.global.add.u32 [%0], %1;" ::"l"(own + k * step_words), "r"(passes) : "memory");
        }
        stop = clock_now();
    }
    span_keep(spans, enter, start, stop);
}

// The k-th addition of warp w goes to line w * 7919 + k of so many in a row, a power of two; each lane to a word of its own.
extern "C" __global__ void atomic_lines(unsigned *words, long long *spans, int passes, unsigned lines)
{
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    const long long enter = clock_now();
    long long start = 0, stop = 0;

#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        unsigned line = warp * 7919;

        __syncthreads();
        start = clock_now();
#pragma unroll 1
        for (int pass = 0; pass < passes; pass++) {
#pragma unroll
            for (int k = 0; k < LENGTH; k++)
                asm volatile("red.global.add.u32 [%0], %1;" ::"l"(words + (line++ & lines - 1) * 32 + lane), "r"(passes)
                             : "memory");
        }
        stop = clock_now();
    }
    span_keep(spans, enter, start, stop);
}
