// When the k-th of 64 independent instructions of a warp issues, cycles after the first.
//   ACCESS_LOAD, ACCESS_STORE or ACCESS_SHARED
#include "clock.cuh"

#if defined ACCESS_LOAD
#define ACCESS(v, k) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(own + (k)*32) : "memory")
#elif defined ACCESS_STORE
#define ACCESS(v, k) asm volatile("st.global.u32 [%1], %2; mov.u32 %0, 0;" : "=r"(v) : "l"(own + (k)*32), "r"(lane) : "memory")
#else
#define ACCESS(v, k) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(shared) : "memory")
#endif

static __device__ __forceinline__ unsigned clock_low()
{
    unsigned now;

    asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
    return now;
}

// Each warp has 64 lines of its own in each pass; the stamps kept are those of the last. Warp w writes its 64 at w * 64.
extern "C" __global__ void issue(unsigned *data, unsigned *stamps, unsigned *sink, int passes, unsigned long long pass_words)
{
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    unsigned *own = data + warp * 64ull * 32 + lane, sum = 0, t[64];
#ifdef ACCESS_SHARED
    extern __shared__ unsigned words[];
    const unsigned shared = (unsigned)__cvta_generic_to_shared(words + threadIdx.x);
#endif

#pragma unroll 1
    for (int pass = 0; pass < passes; pass++, own += pass_words) {
        unsigned v[64];

        __syncthreads();
#pragma unroll
        for (int k = 0; k < 64; k++) {
            t[k] = clock_low();
            ACCESS(v[k], k);
        }
#pragma unroll
        for (int k = 0; k < 64; k++)
            sum += v[k];
    }
    for (int k = 0; k < 64; k++)
        if (lane == k % 32)
            stamps[warp * 64 + k] = t[k] - t[0];
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// The gap between independent accesses of one warp while nothing is full: 8 of them, then 24; samples are of the
// 16 more. Each lane has words of its own; warps meet nowhere.
extern "C" __global__ void gap(unsigned *data, long long *samples, unsigned *sink)
{
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    unsigned *own = data + warp * 64ull * 32 + lane, sum = 0, v[32];
    long long kept = 0;
#ifdef ACCESS_SHARED
    extern __shared__ unsigned words[];
    const unsigned shared = (unsigned)__cvta_generic_to_shared(words + threadIdx.x);
#endif

#pragma unroll 1
    for (int sample = -1; sample < 32; sample++) {
        __syncthreads();
        const long long first = clock_now();
#pragma unroll
        for (int k = 0; k < 8; k++)
            ACCESS(v[k], k);
        const long long second = clock_now();
#pragma unroll
        for (int k = 8; k < 32; k++)
            ACCESS(v[k], k);
        const long long third = clock_now();
#pragma unroll
        for (int k = 0; k < 32; k++)
            sum += v[k];
        if (lane == sample)
            kept = (third - second) - (second - first);
    }
    samples[blockIdx.x * 32 + lane] = kept;
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Each warp loads a line word after word, 32 times at once: one load misses as far as DRAM, the others want what is
// under way. The next pass has other lines, `pass_words` on.
extern "C" __global__ void lines(const unsigned *data, unsigned *sink, long long *spans, int passes,
                                 unsigned long long pass_words)
{
    const unsigned *own = data + (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 32;
    const long long enter = clock_now();
    long long start = 0, stop = 0;
    unsigned sum = 0;

#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        start = clock_now();
#pragma unroll 1
        for (int pass = 0; pass < passes; pass++, own += pass_words) {
            unsigned v[32];
#pragma unroll
            for (int k = 0; k < 32; k++)
                asm volatile("ld.global.u32 %0, [%1];" : "=r"(v[k]) : "l"(own + k) : "memory");
#pragma unroll
            for (int k = 0; k < 32; k++)
                sum ^= v[k];
        }
        stop = clock_now();
    }
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    span_keep(spans, enter, start, stop);
}
