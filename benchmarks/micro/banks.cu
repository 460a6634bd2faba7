// FFMA whose registers are chosen afterwards, in the machine code: which sources meet in a bank?
// Eight chains, so that latency hides; R is set by the caller's patch.
#include "clock.cuh"

extern "C" __global__ void banks(const float *in, float *sink, long long *spans, int passes)
{
    const long long enter = clock_now();
    long long start = 0, stop = 0;
    float x[8], y[8];

    for (int i = 0; i < 8; i++) {
        x[i] = in[i * 32 + (threadIdx.x & 31)];
        y[i] = in[(8 + i) * 32 + (threadIdx.x & 31)];
    }
#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        start = clock_now();
#pragma unroll 1
        for (int pass = 0; pass < passes; pass++) {
#pragma unroll
            for (int k = 0; k < 256; k++)
                asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(x[k % 8]) : "f"(y[k % 8]), "f"(y[(k + 3) % 8]));
        }
        stop = clock_now();
    }
    float sum = 0;
    for (int i = 0; i < 8; i++)
        sum += x[i];
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    span_keep(spans, enter, start, stop);
}
