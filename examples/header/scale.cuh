// y[i] = a * x[i]: a thread does ITEMS elements that lie a block apart, so that a warp's accesses are coalesced.
#pragma once

template <int threads, int items>
__global__ void __launch_bounds__(threads) scale(float *y, const float *x, float a, int n)
{
    const int first = blockIdx.x * (threads * items) + threadIdx.x;

#pragma unroll
    for (int k = 0; k < items; k++) {
        const int i = first + k * threads;

        if (i < n)
            y[i] = a * x[i];
    }
}
