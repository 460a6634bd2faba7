// total[0] += a[0] + ... + a[n - 1]. The grid strides over the array, a thread ITEMS vectors of VECTOR floats
// at a time; the sums of a thread block meet in shared memory or by shuffles, those of the blocks in an
// atomic addition. The pointers are aligned to 16 bytes; n is any.
#ifndef BLOCK
#define BLOCK    256
#define VECTOR   1
#define ITEMS    1
#define SHUFFLES 1
#endif

template <int WIDTH> struct vector;
template <> struct vector<1> {
    typedef float type;
};
template <> struct vector<2> {
    typedef float2 type;
};
template <> struct vector<4> {
    typedef float4 type;
};
typedef vector<VECTOR>::type floats;

__device__ __forceinline__ float horizontal(float a)
{
    return a;
}

__device__ __forceinline__ float horizontal(float2 a)
{
    return a.x + a.y;
}

__device__ __forceinline__ float horizontal(float4 a)
{
    return a.x + a.y + (a.z + a.w);
}

// What this thread adds up.
__device__ __forceinline__ float thread_sum(int n, const float *__restrict__ a)
{
    const long long threads = (long long)gridDim.x * BLOCK,
                    thread = (long long)blockIdx.x * BLOCK + threadIdx.x;
    const long long vectors = n / VECTOR;
    float sum[ITEMS] = {};
    long long i = thread;
    for (; i + (ITEMS - 1) * threads < vectors; i += ITEMS * threads) {
        floats next[ITEMS];
#pragma unroll
        for (int k = 0; k < ITEMS; k++)
            next[k] = __ldg((const floats *)a + i + k * threads);
#pragma unroll
        for (int k = 0; k < ITEMS; k++)
            sum[k] += horizontal(next[k]);
    }
#pragma unroll 1
    for (; i < vectors; i += threads)
        sum[0] += horizontal(__ldg((const floats *)a + i));
    if (thread < n % VECTOR)
        sum[0] += a[vectors * VECTOR + thread];
#pragma unroll
    for (int k = 1; k < ITEMS; k++)
        sum[0] += sum[k];
    return sum[0];
}

// The sum over a thread block, for its first thread.
__device__ __forceinline__ float block_sum(float sum)
{
    __shared__ float part[BLOCK];
    constexpr int PARTS = SHUFFLES ? BLOCK / 32 : BLOCK;
    if (SHUFFLES) {
#pragma unroll
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, d);
        if (threadIdx.x % 32 == 0)
            part[threadIdx.x / 32] = sum;
    } else {
        part[threadIdx.x] = sum;
    }
    __syncthreads();
#pragma unroll
    for (int d = PARTS / 2; d > 0; d /= 2) {
        if (threadIdx.x < d)
            part[threadIdx.x] += part[threadIdx.x + d];
        __syncthreads();
    }
    return part[0];
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    reduction(int n, const float *__restrict__ a, float *total)
{
    const float sum = block_sum(thread_sum(n, a));
    if (threadIdx.x == 0)
        atomicAdd(total, sum);
}

// One thread block of 1024 threads, in double precision.
extern "C" __global__ void reduction_reference(int n, const float *__restrict__ a, float *total)
{
    __shared__ double part[1024];
    double sum = 0;
    for (long long i = threadIdx.x; i < n; i += 1024)
        sum += a[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int d = 512; d > 0; d /= 2) {
        if (threadIdx.x < d)
            part[threadIdx.x] += part[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *total += (float)part[0];
}
