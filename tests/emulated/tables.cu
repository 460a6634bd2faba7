// A loop over the first `n` of the values that are declared.
#ifndef DECLARED
#define DECLARED 25
#endif

__constant__ float weight[DECLARED];

// By each lane from another place on.
extern "C" __global__ void __launch_bounds__(64) scattered(float *out, const float *in, int n)
{
    const int x = blockIdx.x * 64 + threadIdx.x;

    out[x] = in[x] * weight[(threadIdx.x * 5 + n) % 25];
}

extern "C" __global__ void __launch_bounds__(64) weighted(float *out, const float *in, int n)
{
    __shared__ float tile[128];
    const int x = blockIdx.x * 64 + threadIdx.x;
    float sum = 0;

    tile[threadIdx.x] = in[x];
    tile[threadIdx.x + 64] = in[x + 64];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < n; k++)
        sum += weight[k] * tile[threadIdx.x + k % 64];
    out[x] = sum;
}
