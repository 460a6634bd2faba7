// Chases that stay on the SM: shared, local and constant memory. All SMs at once: they do not meet.
#include "clock.cuh"

// The loop of chase.cu with a 32-bit address.
#define WALK(load, start, count, kept)                                                                              \
    do {                                                                                                            \
        unsigned p = (start);                                                                                       \
        _Pragma("unroll 1") for (unsigned i = 0; i < (count); i++) asm volatile(load " %0, [%0];" : "+r"(p)::"memory"); \
        _Pragma("unroll 1") for (int sample = -1; sample < 32; sample++)                                            \
        {                                                                                                           \
            _Pragma("unroll") for (int k = 0; k < 8; k++) asm volatile(load " %0, [%0];" : "+r"(p)::"memory");      \
            const long long first = clock_now();                                                                    \
            _Pragma("unroll") for (int k = 0; k < 64; k++) asm volatile(load " %0, [%0];" : "+r"(p)::"memory");     \
            const long long second = clock_now();                                                                   \
            if ((threadIdx.x & 31) == sample)                                                                       \
                (kept) = second - first;                                                                            \
        }                                                                                                           \
        if (p == 1)                                                                                                 \
            (kept) = 0;                                                                                             \
    } while (0)

// Lane l walks words l * spread, l * spread + stride, ...: spread words apart they meet in banks as often as wanted.
extern "C" __global__ void shared_chase(long long *samples, unsigned spread)
{
    __shared__ unsigned words[8192];
    const unsigned base = (unsigned)__cvta_generic_to_shared(words), lane = threadIdx.x;
    long long kept = 0;

    for (unsigned i = threadIdx.x; i < 8192; i += blockDim.x)
        words[i] = base + 4 * i; // every word points to itself: the address is known only once it is read
    __syncthreads();
    WALK("ld.shared.u32", base + 4 * (lane * spread & 8191), 8, kept);
    samples[blockIdx.x * 32 + lane] = kept;
}

// Each step stores the address to where the next load reads it.
extern "C" __global__ void shared_store(long long *samples)
{
    __shared__ unsigned words[32];
    const unsigned lane = threadIdx.x;
    unsigned p = (unsigned)__cvta_generic_to_shared(words + lane);
    long long kept = 0;

    words[lane] = p;
    __syncthreads();
#pragma unroll 1
    for (int sample = -1; sample < 32; sample++) {
        asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(p)::"memory");
        const long long first = clock_now();
#pragma unroll
        for (int k = 0; k < 64; k++)
            asm volatile("st.volatile.shared.u32 [%0], %0; ld.volatile.shared.u32 %0, [%0];" : "+r"(p)::"memory");
        const long long second = clock_now();
        if (lane == sample)
            kept = second - first;
    }
    if (p == 1)
        kept = 0;
    samples[blockIdx.x * 32 + lane] = kept;
}

extern "C" __global__ void local_chase(long long *samples)
{
    unsigned words[64], base;
    long long kept = 0;

    asm("{.reg .u64 p; cvta.to.local.u64 p, %1; cvt.u32.u64 %0, p;}" : "=r"(base) : "l"(words));
    for (unsigned i = 0; i < 64; i++)
        asm volatile("st.local.u32 [%0], %1;" ::"r"(base + 4 * i), "r"(base + 4 * ((i + 5) % 64)) : "memory");
    WALK("ld.local.u32", base, 8, kept);
    samples[blockIdx.x * 32 + threadIdx.x] = kept + (words[0] == 1);
}

// The constant bank holds byte offsets that close a ring of `count` steps.
__constant__ unsigned ring[16384];

extern "C" __global__ void constant_chase(long long *samples, unsigned count)
{
    long long kept = 0;

    WALK("ld.const.u32", ring[0], count, kept);
    samples[blockIdx.x * 32 + threadIdx.x] = kept;
}
