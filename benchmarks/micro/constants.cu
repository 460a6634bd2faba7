// Loads from constant memory (LDC) whose lanes name `distinct` different words, `stride` apart: TABLE words are few enough
// for the first cache.
#include "clock.cuh"

#ifndef TABLE
#define TABLE 256
#endif
enum { LENGTH = 16 };

__constant__ unsigned table[TABLE];

// Throughput: LENGTH independent loads a pass. `zero` is 0, but the compiler does not know.
extern "C" __global__ void __launch_bounds__(1024)
    constant_places(unsigned *sink, long long *spans, int passes, unsigned distinct, unsigned stride, unsigned zero)
{
    unsigned at = threadIdx.x % 32 % distinct * stride, sum = 0;
    const long long enter = clock_now();
    long long start = 0, stop = 0;

#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        start = clock_now();
#pragma unroll 1
        for (int pass = 0; pass < passes; pass++, at += zero) {
#pragma unroll
            for (int k = 0; k < LENGTH; k++)
                sum ^= table[(at + k) % TABLE];
        }
        stop = clock_now();
    }
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    span_keep(spans, enter, start, stop);
}

// Latency: each word of the table holds its own offset in bytes, so a lane loads the same word again once it knows where.
extern "C" __global__ void constant_places_chase(long long *samples, unsigned distinct, unsigned stride)
{
    const int lane = threadIdx.x;
    unsigned at = lane % distinct * stride % TABLE * 4;
    long long kept = 0;

#pragma unroll 1
    for (int sample = -1; sample < 32; sample++) {
        at = *(const unsigned *)((const char *)table + at);
        const long long first = clock_now();
#pragma unroll
        for (int k = 0; k < 4 * LENGTH; k++)
            at = *(const unsigned *)((const char *)table + at);
        const long long second = clock_now();
        if (lane == sample)
            kept = second - first;
    }
    if (at >= sizeof table)
        kept = 0;
    samples[blockIdx.x * 32 + lane] = kept;
}

// Lanes that read anywhere in the table, each time elsewhere.
extern "C" __global__ void __launch_bounds__(1024)
    constant_random(unsigned *sink, long long *spans, int passes, unsigned zero)
{
    unsigned state = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + zero, sum = 0;
    const long long enter = clock_now();
    long long start = 0, stop = 0;

#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        start = clock_now();
#pragma unroll 1
        for (int pass = 0; pass < passes; pass++) {
#pragma unroll
            for (int k = 0; k < LENGTH / 2; k++) {
                state = state * 1664525u + 1013904223u;
                sum ^= table[(state >> 14) % TABLE];
            }
        }
        stop = clock_now();
    }
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    span_keep(spans, enter, start, stop);
}
