// Straight-line code of LENGTH independent-enough FFMA (four chains), again and again: when it outgrows an instruction
// cache, issue waits for the fetch.
#include "clock.cuh"

extern "C" __global__ void supply(const float *in, float *sink, long long *spans, int passes)
{
    const float a = in[threadIdx.x & 31], b = in[32 + (threadIdx.x & 31)];
    const long long enter = clock_now();
    long long start = 0, stop = 0;
    float x[4] = {a, b, a + b, a - b};

#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        start = clock_now();
#pragma unroll 1
        for (int pass = 0; pass < passes; pass++) {
#pragma unroll
            for (int k = 0; k < LENGTH; k++)
                asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[k % 4]) : "f"(a), "f"(b));
        }
        stop = clock_now();
    }
    sink[blockIdx.x * blockDim.x + threadIdx.x] = x[0] + x[1] + x[2] + x[3];
    span_keep(spans, enter, start, stop);
}
