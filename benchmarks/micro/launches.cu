// What a launch and a thread block cost when they do nothing.
#include "clock.cuh"

extern "C" __global__ void empty(unsigned *sink)
{
    if (sink == nullptr)
        asm volatile("trap;");
}

#ifdef CLUSTER
static __device__ __forceinline__ long long time_now()
{
    long long now;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
    return now;
}

// Long enough that all which run at a time have begun before the first ends.
extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) clustered(long long *spans)
{
    const long long start = time_now();

    while (time_now() - start < 200000)
        ;
    span_keep(spans, start, start, time_now());
}
#endif

// One block after the other on an SM: the gap between the stop of one and the start of the next is what its
// replacement takes.
extern "C" __global__ void successive(long long *spans)
{
    const long long start = clock_now();

    span_keep(spans, start, start, clock_now());
}
