// Straight-line code of LENGTH (a multiple of 64) independent-enough FFMA (four chains), again and again: when it outgrows an instruction
// cache, issue waits for the fetch.
#include "clock.cuh"

// Many in one statement: compilers take long over thousands of statements.
#define FMA_4  "fma.rn.f32 %0, %0, %4, %5; fma.rn.f32 %1, %1, %4, %5; fma.rn.f32 %2, %2, %4, %5; fma.rn.f32 %3, %3, %4, %5; "
#define FMA_16 FMA_4 FMA_4 FMA_4 FMA_4
#define FMA_64 FMA_16 FMA_16 FMA_16 FMA_16

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
            for (int k = 0; k < LENGTH / 64; k++)
                asm volatile(FMA_64 : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3]) : "f"(a), "f"(b));
        }
        stop = clock_now();
    }
    sink[blockIdx.x * blockDim.x + threadIdx.x] = x[0] + x[1] + x[2] + x[3];
    span_keep(spans, enter, start, stop);
}
