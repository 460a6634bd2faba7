// How long a load takes whose lanes read at so many places: 16 bytes a lane, lanes of one place beside each other. Each warp waits
// for one load, keeps the time, and goes on to the next.
#include "clock.cuh"

// `data` holds zeros. Places are pieces of 512 bytes, anywhere in the first mask + 1 of them. Warp w keeps its times at w * rounds.
extern "C" __global__ void places(const uint4 *data, long long *times, int rounds, unsigned lanes, unsigned mask)
{
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    unsigned at = (warp * 32 + lane / lanes) * 2654435761u;

#pragma unroll 1
    for (int round = 0; round < rounds; round++, at = at * 1664525u + 1013904223u) {
        const uint4 *from = data + (size_t)((at ^ at >> 15) * 2246822519u >> 7 & mask) * 32 + lane % lanes;
        const long long took = load_time(from);

        if (lane == 0)
            times[warp * rounds + round] = took;
    }
}
