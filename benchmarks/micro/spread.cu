// How long single loads take while all warps load: each waits for one of 16 bytes a lane, keeps the time, and goes on to the
// next. All of them together read `data` in order, the index modulo mask + 1.
#include "clock.cuh"

// `data` holds zeros. Warp w keeps its times at w * rounds.
extern "C" __global__ void spread(const uint4 *data, long long *times, int rounds, unsigned mask)
{
    const unsigned all = gridDim.x * blockDim.x, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;

#pragma unroll 1
    for (int round = 0; round < rounds; round++, at += all) {
        const long long took = load_time(data + (at & mask));

        if (threadIdx.x % 32 == 0)
            times[warp * rounds + round] = took;
    }
}
