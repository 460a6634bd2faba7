// Stores in parts: a warp whose lanes write 16 bytes each, 4 bytes at a time, DISTANCE times its four lines from one part
// to the next.
#include "clock.cuh"

extern "C" __global__ void __launch_bounds__(32)
    parted_write(char *data, long long *spans, int passes, unsigned mask, unsigned block_step)
{
    unsigned at = blockIdx.x * block_step + threadIdx.x * 16;
    const long long enter = clock_now();
    long long start = 0, stop = 0;

#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        start = clock_now();
#pragma unroll 1
        for (int pass = 0; pass < passes; pass++) {
            unsigned *to = (unsigned *)(data + (at & mask));
#pragma unroll
            for (int part = 0; part < 4; part++)
#pragma unroll
                for (int d = 0; d < DISTANCE; d++)
                    asm volatile("st.global.u32 [%0], %1;" ::"l"(to + 128 * d + part), "r"(pass));
            at += 512 * DISTANCE;
        }
        stop = clock_now();
    }
    span_keep(spans, enter, start, stop);
}
