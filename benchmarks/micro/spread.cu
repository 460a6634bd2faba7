// How long single loads take while all warps load: each waits for one of 16 bytes a lane, keeps the time, and goes on to the
// next. All of them together read `data` in order, the index modulo mask + 1.
#include "clock.cuh"

// `data` holds zeros, so that the clock is read as soon as one of them is there. Warp w keeps its times at w * rounds.
extern "C" __global__ void spread(const uint4 *data, long long *times, int rounds, unsigned mask)
{
    const unsigned all = gridDim.x * blockDim.x, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;

#pragma unroll 1
    for (int round = 0; round < rounds; round++, at += all) {
        const uint4 *from = data + (at & mask);
        uint4 v;
        long long stop = 0;
        const long long start = clock_now();

        asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(from)
                     : "memory");
        asm volatile("{.reg .pred is; setp.eq.u32 is, %1, 0; @is mov.u64 %0, %%clock64;}"
                     : "+l"(stop)
                     : "r"(v.x | v.y | v.z | v.w)
                     : "memory");
        if (threadIdx.x % 32 == 0)
            times[warp * rounds + round] = stop - start;
    }
}
