// c[i] = a[i] + b[i]. A thread adds ITEMS vectors of VECTOR floats, one block's width apart, and starts all
// its loads before its first store. The pointers are aligned to 16 bytes; n is any.
#ifndef BLOCK
#define BLOCK  256
#define VECTOR 1
#define ITEMS  1
#define CACHE  0
#endif

// The values of CACHE, how loads and stores pass by the caches.
#define CACHE_DEFAULT   0 // loads through L1 as read-only data
#define CACHE_L2        1 // not through L1
#define CACHE_STREAMING 2 // first to be evicted

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

__device__ __forceinline__ float add(float a, float b)
{
    return a + b;
}

__device__ __forceinline__ float2 add(float2 a, float2 b)
{
    return make_float2(a.x + b.x, a.y + b.y);
}

__device__ __forceinline__ float4 add(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

__device__ __forceinline__ floats load(const floats *from)
{
    return CACHE == CACHE_L2 ? __ldcg(from) : CACHE == CACHE_STREAMING ? __ldcs(from) : __ldg(from);
}

__device__ __forceinline__ void store(floats *to, floats value)
{
    if (CACHE == CACHE_L2)
        __stcg(to, value);
    else if (CACHE == CACHE_STREAMING)
        __stcs(to, value);
    else
        *to = value;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    vector_add(int n, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c)
{
    constexpr int PER_BLOCK = BLOCK * ITEMS * VECTOR;
    const long long first = (long long)blockIdx.x * PER_BLOCK;
    if (first + PER_BLOCK <= n) {
        const floats *from_a = (const floats *)(a + first) + threadIdx.x;
        const floats *from_b = (const floats *)(b + first) + threadIdx.x;
        floats *to = (floats *)(c + first) + threadIdx.x;
        floats sum[ITEMS];
#pragma unroll
        for (int k = 0; k < ITEMS; k++)
            sum[k] = add(load(from_a + k * BLOCK), load(from_b + k * BLOCK));
#pragma unroll
        for (int k = 0; k < ITEMS; k++)
            store(to + k * BLOCK, sum[k]);
        return;
    }
    for (long long i = first + threadIdx.x; i < n; i += BLOCK) // the last block, where it is not full
        c[i] = a[i] + b[i];
}

extern "C" __global__ void vector_add_reference(int n, const float *__restrict__ a,
                                                const float *__restrict__ b, float *__restrict__ c)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
