// How often each byte occurs. A block counts in COPIES histograms in shared memory, neighbouring threads in
// different ones, and adds what it found to the result at its end. n is a multiple of WIDTH.
#ifndef THREADS
#define THREADS 256
#define COPIES  1
#define WIDTH   4
#endif
#define BINS 256

template <int width> struct bytes;
template <> struct bytes<4> {
    typedef unsigned type;
};
template <> struct bytes<16> {
    typedef uint4 type;
};

union chunk {
    bytes<WIDTH>::type all;
    unsigned word[WIDTH / 4];
};

extern "C" __global__ void __launch_bounds__(THREADS)
    histogram(unsigned *__restrict__ bins, const unsigned char *__restrict__ in, int n)
{
    __shared__ unsigned local[BINS * COPIES];
    const int copy = threadIdx.x % COPIES;

    for (int k = threadIdx.x; k < BINS * COPIES; k += THREADS)
        local[k] = 0;
    __syncthreads();
    for (int k = blockIdx.x * THREADS + threadIdx.x; k < n / WIDTH; k += gridDim.x * THREADS) {
        chunk some;
        some.all = ((const bytes<WIDTH>::type *)in)[k];
#pragma unroll
        for (int w = 0; w < WIDTH / 4; w++)
#pragma unroll
            for (int shift = 0; shift < 32; shift += 8)
                atomicAdd(&local[(some.word[w] >> shift & 255) * COPIES + copy], 1);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += THREADS) {
        unsigned sum = 0;
#pragma unroll
        for (int c = 0; c < COPIES; c++)
            sum += local[bin * COPIES + c];
        atomicAdd(&bins[bin], sum);
    }
}

extern "C" __global__ void histogram_reference(unsigned *__restrict__ bins,
                                               const unsigned char *__restrict__ in, int n)
{
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[k]], 1);
}
