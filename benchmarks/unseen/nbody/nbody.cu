// Accelerations of n bodies that attract each other; w of a position is the mass. A thread sums for BODIES
// bodies, over tiles of BLOCK others.
#ifndef BLOCK
#define BLOCK  256
#define BODIES 1
#define UNROLL 1
#define STAGE  1
#endif
#define SOFTENING 0.01f

__device__ __forceinline__ void attract(float3 &sum, float4 me, float4 other)
{
    const float x = other.x - me.x, y = other.y - me.y, z = other.z - me.z;
    const float near = rsqrtf(x * x + y * y + z * z + SOFTENING);
    const float pull = other.w * near * near * near;
    sum.x += pull * x;
    sum.y += pull * y;
    sum.z += pull * z;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    nbody(float4 *__restrict__ acceleration, const float4 *__restrict__ position, int n)
{
    const int first = blockIdx.x * BLOCK * BODIES + threadIdx.x;
    float4 me[BODIES];
    float3 sum[BODIES] = {};
#if STAGE
    __shared__ float4 tile[BLOCK];
#endif
#pragma unroll
    for (int b = 0; b < BODIES; b++)
        me[b] = position[min(first + b * BLOCK, n - 1)];
    for (int start = 0; start < n; start += BLOCK) { // n is a multiple of BLOCK
#if STAGE
        __syncthreads();
        tile[threadIdx.x] = position[start + threadIdx.x];
        __syncthreads();
#endif
#pragma unroll UNROLL
        for (int k = 0; k < BLOCK; k++) {
#if STAGE
            const float4 other = tile[k];
#else
            const float4 other = position[start + k];
#endif
#pragma unroll
            for (int b = 0; b < BODIES; b++)
                attract(sum[b], me[b], other);
        }
    }
#pragma unroll
    for (int b = 0; b < BODIES; b++)
        if (first + b * BLOCK < n)
            acceleration[first + b * BLOCK] = make_float4(sum[b].x, sum[b].y, sum[b].z, 0.0f);
}

extern "C" __global__ void nbody_reference(float4 *__restrict__ acceleration,
                                           const float4 *__restrict__ position, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    double x = 0, y = 0, z = 0;
    if (i >= n)
        return;
    for (int k = 0; k < n; k++) {
        float3 one = {};
        attract(one, position[i], position[k]);
        x += one.x;
        y += one.y;
        z += one.z;
    }
    acceleration[i] = make_float4((float)x, (float)y, (float)z, 0.0f);
}
