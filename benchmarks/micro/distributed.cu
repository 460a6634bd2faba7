// Shared memory of the other block of a cluster of two: LENGTH accesses a pass, lane l at word l * spread, 4 KB apart; warps
// begin a line apart.
#include "clock.cuh"

enum { WORDS = 1024 /* of each access of a pass */ };

__device__ __forceinline__ unsigned cluster_rank()
{
    unsigned rank;

    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ __forceinline__ void cluster_meet()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Where a block of the cluster has what is at `p` in the own shared memory.
__device__ __forceinline__ unsigned long long mapped(const void *p, unsigned rank)
{
    unsigned long long at;

    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(at) : "l"(p), "r"(rank));
    return at;
}

#define BUSY(name, access)                                                                                               \
    extern "C" __global__ void __cluster_dims__(2, 1, 1)                                                                 \
        name(unsigned *sink, long long *spans, int passes, unsigned spread)                                              \
    {                                                                                                                    \
        __shared__ unsigned words[LENGTH * WORDS];                                                                       \
        const unsigned place = (threadIdx.x % 32 * spread + threadIdx.x / 32 * 32) % WORDS;                              \
        const unsigned long long p = mapped(words, cluster_rank() ^ 1) + place * 4;                                      \
        unsigned v = threadIdx.x;                                                                                        \
        const long long enter = clock_now();                                                                             \
        long long start = 0, stop = 0;                                                                                   \
                                                                                                                         \
        _Pragma("unroll 1") for (int round = 0; round < 2; round++)                                                      \
        {                                                                                                                \
            cluster_meet();                                                                                              \
            start = clock_now();                                                                                         \
            _Pragma("unroll 1") for (int pass = 0; pass < passes; pass++)                                                \
            {                                                                                                            \
                _Pragma("unroll") for (int k = 0; k < LENGTH; k++) access;                                               \
            }                                                                                                            \
            stop = clock_now();                                                                                          \
        }                                                                                                                \
        sink[blockIdx.x * blockDim.x + threadIdx.x] = v;                                                                 \
        span_keep(spans, enter, start, stop);                                                                            \
        cluster_meet();                                                                                                  \
    }

BUSY(remote_load, asm volatile("ld.volatile.u32 %0, [%1];" : "=r"(v) : "l"(p + k * WORDS * 4) : "memory"))
BUSY(remote_add, asm volatile("red.relaxed.cluster.add.u32 [%0], %1;" ::"l"(p + k * WORDS * 4), "r"(passes) : "memory"))

// Latency, of one lane: a word holds its own address.
extern "C" __global__ void __cluster_dims__(2, 1, 1) remote_chase(long long *samples)
{
    __shared__ unsigned long long word;
    const unsigned rank = cluster_rank();
    unsigned long long p = mapped(&word, rank ^ 1);

    if (threadIdx.x == 0)
        word = mapped(&word, rank);
    cluster_meet();
    if (threadIdx.x == 0)
#pragma unroll 1
        for (int sample = -1; sample < 32; sample++) {
            asm volatile("ld.volatile.u64 %0, [%0];" : "+l"(p)::"memory");
            const long long first = clock_now();
#pragma unroll
            for (int k = 0; k < 64; k++)
                asm volatile("ld.volatile.u64 %0, [%0];" : "+l"(p)::"memory");
            const long long second = clock_now();
            if (sample >= 0)
                samples[blockIdx.x * 32 + sample] = p ? second - first : 0;
        }
    cluster_meet();
}
