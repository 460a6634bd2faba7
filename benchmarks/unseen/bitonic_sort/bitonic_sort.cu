// Sorts segments of 2048 keys, each in the shared memory of a block, by Batcher's bitonic network.
#ifndef THREADS
#define THREADS 256
#define WIDTH   1
#define PAD     0
#define WARPS   0
#define UNROLL  1
#endif
#define SEGMENT 2048

template <int width> struct keys;
template <> struct keys<1> {
    typedef unsigned type;
};
template <> struct keys<4> {
    typedef uint4 type;
};

union chunk {
    keys<WIDTH>::type all;
    unsigned each[WIDTH];
};

__device__ __forceinline__ int place(int k)
{
    return PAD ? k + k / 32 : k;
}

// One step: pairs `stride` apart, ascending where the bit `length` of the place is 0.
__device__ __forceinline__ void step(unsigned *key, int length, int stride)
{
#pragma unroll UNROLL
    for (int pair = threadIdx.x; pair < SEGMENT / 2; pair += THREADS) {
        const int low = 2 * pair - (pair & stride - 1), high = low + stride;
        const unsigned a = key[place(low)], b = key[place(high)];
        if ((a > b) == ((low & length) == 0)) {
            key[place(low)] = b;
            key[place(high)] = a;
        }
    }
    // a warp's pairs lie in 64 places of their own while they are at most 32 apart
    if (WARPS && stride <= 32 && stride > 1)
        __syncwarp();
    else
        __syncthreads();
}

extern "C" __global__ void __launch_bounds__(THREADS)
    bitonic_sort(unsigned *__restrict__ out, const unsigned *__restrict__ in)
{
    __shared__ unsigned key[SEGMENT + SEGMENT / 32];
    const long long start = (long long)blockIdx.x * SEGMENT;

    for (int k = threadIdx.x * WIDTH; k < SEGMENT; k += THREADS * WIDTH) {
        chunk some;
        some.all = *(const keys<WIDTH>::type *)&in[start + k];
#pragma unroll
        for (int w = 0; w < WIDTH; w++)
            key[place(k + w)] = some.each[w];
    }
    __syncthreads();
    for (int length = 2; length <= SEGMENT; length *= 2)
        for (int stride = length / 2; stride > 0; stride /= 2)
            step(key, length, stride);
    for (int k = threadIdx.x * WIDTH; k < SEGMENT; k += THREADS * WIDTH) {
        chunk some;
#pragma unroll
        for (int w = 0; w < WIDTH; w++)
            some.each[w] = key[place(k + w)];
        *(keys<WIDTH>::type *)&out[start + k] = some.all;
    }
}

// Puts each key where as many are smaller; of equal ones the earlier comes first.
extern "C" __global__ void bitonic_sort_reference(unsigned *__restrict__ out, const unsigned *__restrict__ in)
{
    __shared__ unsigned key[SEGMENT];
    const long long start = (long long)blockIdx.x * SEGMENT;
    for (int k = threadIdx.x; k < SEGMENT; k += blockDim.x)
        key[k] = in[start + k];
    __syncthreads();
    for (int k = threadIdx.x; k < SEGMENT; k += blockDim.x) {
        int before = 0;
        for (int other = 0; other < SEGMENT; other++)
            before += key[other] < key[k] || (key[other] == key[k] && other < k);
        out[start + before] = key[k];
    }
}
