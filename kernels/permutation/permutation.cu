// a[i] = b[c[i]]. A thread moves ITEMS groups of VECTOR elements: indices come and results go VECTOR at a
// time, the elements of b one by one. The pointers are aligned to 16 bytes; n is any; every c[i] is in [0,
// n).
#ifndef BLOCK
#define BLOCK  256
#define VECTOR 1
#define ITEMS  1
#define GATHER 0
#define STREAM 0
#endif

// The values of GATHER: how elements of b are loaded.
#define GATHER_L1        0 // through L1, as read-only data
#define GATHER_L2        1 // not through L1
#define GATHER_STREAMING 2 // evicted first

template <int WIDTH> struct vector;
template <> struct vector<1> {
    typedef int indices;
    typedef float elements;
};
template <> struct vector<2> {
    typedef int2 indices;
    typedef float2 elements;
};
template <> struct vector<4> {
    typedef int4 indices;
    typedef float4 elements;
};
typedef vector<VECTOR>::indices indices;
typedef vector<VECTOR>::elements elements;

__device__ __forceinline__ float gather(const float *b, int i)
{
    return GATHER == GATHER_L2 ? __ldcg(b + i) : GATHER == GATHER_STREAMING ? __ldcs(b + i) : __ldg(b + i);
}

__device__ __forceinline__ float gather_all(const float *b, int i)
{
    return gather(b, i);
}

__device__ __forceinline__ float2 gather_all(const float *b, int2 i)
{
    return make_float2(gather(b, i.x), gather(b, i.y));
}

__device__ __forceinline__ float4 gather_all(const float *b, int4 i)
{
    return make_float4(gather(b, i.x), gather(b, i.y), gather(b, i.z), gather(b, i.w));
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    permutation(int n, const int *__restrict__ c, const float *__restrict__ b, float *__restrict__ a)
{
    constexpr int PER_BLOCK = BLOCK * ITEMS * VECTOR;
    const long long first = (long long)blockIdx.x * PER_BLOCK;
    if (first + PER_BLOCK <= n) {
        const indices *from = (const indices *)(c + first) + threadIdx.x;
        elements *to = (elements *)(a + first) + threadIdx.x;
        indices index[ITEMS];
        elements value[ITEMS];
#pragma unroll
        for (int k = 0; k < ITEMS; k++)
            index[k] = STREAM ? __ldcs(from + k * BLOCK) : __ldg(from + k * BLOCK);
#pragma unroll
        for (int k = 0; k < ITEMS; k++)
            value[k] = gather_all(b, index[k]);
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            if (STREAM)
                __stcs(to + k * BLOCK, value[k]);
            else
                to[k * BLOCK] = value[k];
        }
        return;
    }
    for (long long i = first + threadIdx.x; i < n; i += BLOCK) // the last block, where it is not full
        a[i] = b[c[i]];
}

extern "C" __global__ void permutation_reference(int n, const int *__restrict__ c,
                                                 const float *__restrict__ b, float *__restrict__ a)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = b[c[i]];
}
