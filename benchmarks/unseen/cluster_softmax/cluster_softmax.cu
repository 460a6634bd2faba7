// Softmax of long rows: a cluster holds a row, maxima and sums meet in distributed shared memory.
#include "../hopper.cuh"

constexpr int WARPS = THREADS / 32;

__device__ __forceinline__ float peer_load(const float *p, u32 rank)
{
    float v;

    asm volatile("{\n.reg .b32 r;\nmapa.shared::cluster.u32 r, %1, %2;\nld.shared::cluster.f32 %0, [r];\n}"
                 : "=f"(v)
                 : "r"(smem_u32(p)), "r"(rank)
                 : "memory");
    return v;
}

template <bool MAX>
__device__ __forceinline__ float merge(float a, float b)
{
    return MAX ? fmaxf(a, b) : a + b;
}

template <bool MAX>
__device__ float reduce(float v, float *warps, float *block)
{
    for (int d = 16; d; d /= 2)
        v = merge<MAX>(v, __shfl_xor_sync(0xffffffff, v, d));
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = warps[threadIdx.x % WARPS];
        for (int d = WARPS / 2; d; d /= 2)
            v = merge<MAX>(v, __shfl_xor_sync(0xffffffff, v, d));
        if (threadIdx.x == 0)
            *block = v;
    }
    if (CLUSTER == 1) {
        __syncthreads();
        return *block;
    }
    cluster_sync();
    v = peer_load(block, 0);
#pragma unroll
    for (int r = 1; r < CLUSTER; r++)
        v = merge<MAX>(v, peer_load(block, r));
    return v;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    cluster_softmax(float *__restrict__ out, const float *__restrict__ in, int length)
{
    __shared__ float warps[2][WARPS], block[2];
    constexpr int ITEMS = ROW / (CLUSTER * THREADS * 4);
    const int row = blockIdx.x / CLUSTER, rank = CLUSTER == 1 ? 0 : cluster_rank();
    const float4 *from = (const float4 *)(in + (long long)row * length) + rank * THREADS * ITEMS + threadIdx.x;
    float4 *to = (float4 *)(out + (long long)row * length) + rank * THREADS * ITEMS + threadIdx.x;
    float4 v[ITEMS];
    float most = -3.4e38f, sum = 0;

#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        v[i] = from[i * THREADS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        most = fmaxf(most, fmaxf(fmaxf(v[i].x, v[i].y), fmaxf(v[i].z, v[i].w)));
    most = reduce<true>(most, warps[0], &block[0]);
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        v[i] = make_float4(__expf(v[i].x - most), __expf(v[i].y - most), __expf(v[i].z - most), __expf(v[i].w - most));
        sum += v[i].x + v[i].y + v[i].z + v[i].w;
    }
    sum = 1 / reduce<false>(sum, warps[1], &block[1]);
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        to[i * THREADS] = make_float4(v[i].x * sum, v[i].y * sum, v[i].z * sum, v[i].w * sum);
    if (CLUSTER > 1)
        cluster_sync();
}

extern "C" __global__ void cluster_softmax_reference(float *out, const float *in, int length)
{
    __shared__ float partial[256];
    const long long at = (long long)blockIdx.x * length;
    float most = -3.4e38f, sum = 0;

    for (int i = threadIdx.x; i < length; i += 256)
        most = fmaxf(most, in[at + i]);
    partial[threadIdx.x] = most;
    __syncthreads();
    for (int d = 128; d; d /= 2) {
        if (threadIdx.x < d)
            partial[threadIdx.x] = fmaxf(partial[threadIdx.x], partial[threadIdx.x + d]);
        __syncthreads();
    }
    most = partial[0];
    __syncthreads();
    for (int i = threadIdx.x; i < length; i += 256)
        sum += expf(in[at + i] - most);
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int d = 128; d; d /= 2) {
        if (threadIdx.x < d)
            partial[threadIdx.x] += partial[threadIdx.x + d];
        __syncthreads();
    }
    for (int i = threadIdx.x; i < length; i += 256)
        out[at + i] = expf(in[at + i] - most) / partial[0];
}
