// a[i] = |a[i]|, written only where a[i] is negative. A thread looks at ITEMS vectors of VECTOR floats, one
// block's width apart. The pointer is aligned to 16 bytes; n is any.
#ifndef BLOCK
#define BLOCK  256
#define VECTOR 1
#define ITEMS  1
#define WRITE  0
#endif

// The values of WRITE.
#define WRITE_ELEMENTS 0 // each negative element by itself
#define WRITE_VECTORS  1 // a whole vector when one of its elements is negative

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

union elements {
    floats all;
    float each[VECTOR];
};

__device__ __forceinline__ void write_back(floats *to, elements &value)
{
    bool negative = false;
#pragma unroll
    for (int v = 0; v < VECTOR; v++) {
        if (WRITE == WRITE_ELEMENTS && value.each[v] < 0.0f)
            ((float *)to)[v] = -value.each[v];
        negative = negative || value.each[v] < 0.0f;
        value.each[v] = fabsf(value.each[v]);
    }
    if (WRITE == WRITE_VECTORS && negative)
        *to = value.all;
}

extern "C" __global__ void __launch_bounds__(BLOCK) abs_inplace(int n, float *a)
{
    constexpr int PER_BLOCK = BLOCK * ITEMS * VECTOR;
    const long long first = (long long)blockIdx.x * PER_BLOCK;
    if (first + PER_BLOCK <= n) {
        floats *at = (floats *)(a + first) + threadIdx.x;
        elements value[ITEMS];
#pragma unroll
        for (int k = 0; k < ITEMS; k++)
            value[k].all = at[k * BLOCK];
#pragma unroll
        for (int k = 0; k < ITEMS; k++)
            write_back(at + k * BLOCK, value[k]);
        return;
    }
    for (long long i = first + threadIdx.x; i < n; i += BLOCK) // the last block, where it is not full
        if (a[i] < 0.0f)
            a[i] = -a[i];
}

extern "C" __global__ void abs_inplace_reference(int n, float *a)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i] < 0.0f)
        a[i] = -a[i];
}
