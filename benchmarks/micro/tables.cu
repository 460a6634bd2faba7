// Tables in constant memory, read at uniform places by a single instruction: each block goes round `bytes` of one, a line a
// step, the blocks from places of their own where `spread` is not 0.
#include "clock.cuh"

__constant__ float table[2048];

extern "C" __global__ void __launch_bounds__(128)
    walk_table(float *sink, long long *spans, int steps, unsigned bytes, unsigned spread)
{
    unsigned at = (blockIdx.x * spread >> 16) & (bytes - 64);
    const long long enter = clock_now();
    long long start = 0, stop = 0;
    float sum = 0;

#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        start = clock_now();
#pragma unroll 1
        for (int step = 0; step < steps; step++) {
            sum += *(const float *)((const char *)table + at);
            at += 64;
            at = at == bytes ? 0 : at;
        }
        stop = clock_now();
    }
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    span_keep(spans, enter, start, stop);
}
