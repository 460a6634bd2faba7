// The sum and the maximum of each of many lists of unequal length that lie one after another.
#ifndef THREADS
#define THREADS 256
#define LANES   32
#define UNROLL  1
#define TURNS   0
#endif

// The values of TURNS: which lists a group of LANES threads works on,
#define TURNS_ONE     0 // one, or
#define TURNS_STRIDED 1 // one in each part of the grid, until there are none

extern "C" __global__ void __launch_bounds__(THREADS)
    ragged_sum(float2 *__restrict__ out, const int *__restrict__ start, const float *__restrict__ values,
               int lists)
{
    const int lane = threadIdx.x % LANES, group = (blockIdx.x * THREADS + threadIdx.x) / LANES;
    // the lanes of a list meet after loops of unequal length
    const unsigned mates = (LANES == 32 ? 0xffffffff : (1u << LANES % 32) - 1)
                           << threadIdx.x % 32 / LANES * LANES;
#if TURNS == TURNS_STRIDED
    for (int list = group; list < lists; list += gridDim.x * (THREADS / LANES)) {
#else
    for (int list = group; list < lists; list = lists) {
#endif
        const int end = start[list + 1];
        float sum = 0, largest = -1e30f;
#pragma unroll UNROLL
        for (int k = start[list] + lane; k < end; k += LANES) {
            const float value = values[k];
            sum += value;
            largest = fmaxf(largest, value);
        }
#pragma unroll
        for (int d = LANES / 2; d > 0; d /= 2) {
            sum += __shfl_xor_sync(mates, sum, d);
            largest = fmaxf(largest, __shfl_xor_sync(mates, largest, d));
        }
        if (lane == 0)
            out[list] = make_float2(sum, largest);
    }
}

extern "C" __global__ void ragged_sum_reference(float2 *__restrict__ out, const int *__restrict__ start,
                                                const float *__restrict__ values, int lists)
{
    const int list = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0, largest = -1e30f;
    if (list >= lists)
        return;
    for (int k = start[list]; k < start[list + 1]; k++) {
        sum += values[k];
        largest = fmaxf(largest, values[k]);
    }
    out[list] = make_float2(sum, largest);
}
