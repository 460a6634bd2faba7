// What a launch and a thread block cost when they do nothing.
#include "clock.cuh"

extern "C" __global__ void empty(unsigned *sink)
{
    if (sink == nullptr)
        asm volatile("trap;");
}

// One block after the other on an SM: the gap between the stop of one and the start of the next is what its
// replacement takes.
extern "C" __global__ void successive(long long *spans)
{
    const long long start = clock_now();

    span_keep(spans, start, start, clock_now());
}
