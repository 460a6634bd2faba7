// Pointer chases: each load gives the address of the next, so nothing overlaps and no address is computed.
//   LOAD: the PTX load, "ld.global.ca.u64" and the like
#include "clock.cuh"

#define NEXT(p) asm volatile(LOAD " %0, [%0];" : "+l"(p)::"memory")

// Warps `count` elements of the cycle and then keeps 32 samples of 64 steps. The stamps are read right after a load
// has been issued, so 64 waits lie between them whatever the clock itself costs.
static __device__ __forceinline__ long long walk(unsigned long long p, unsigned warm)
{
    const int lane = threadIdx.x & 31;
    long long kept = 0;

#pragma unroll 1
    for (unsigned i = 0; i < warm; i++)
        NEXT(p);
#pragma unroll 1
    for (int sample = -1; sample < 32; sample++) {
#pragma unroll
        for (int k = 0; k < 8; k++)
            NEXT(p);
        const long long first = clock_now();
#pragma unroll
        for (int k = 0; k < 64; k++)
            NEXT(p);
        const long long second = clock_now();
        if (lane == sample)
            kept = second - first;
    }
    if (p == 0) // never: keeps the last load
        kept = 0;
    return kept;
}

// Blocks lay the cycle out, push it out of the caches by reading `flush` bytes behind it (0: it stays), wait for each other,
// and then chase one after the other, so that each SM has the memory for itself. Element i of the cycle stands at
// i * spacing bytes and points to element order[i]; block b starts at element order[count + b]. control[0] counts arrivals,
// control[1] is the block whose turn it is, control[2] is written to keep the flush.
extern "C" __global__ void chase(const unsigned *order, char *array, unsigned *control, long long *samples, unsigned *sms,
                                 unsigned count, unsigned long long spacing, unsigned warm,
                                 unsigned long long flush)
{
    const unsigned long long threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    volatile unsigned *arrived = control, *turn = control + 1;
    unsigned sum = 0;

    for (unsigned long long i = thread; i < count; i += threads)
        *(unsigned long long *)(array + i * spacing) = (unsigned long long)(array + order[i] * spacing);
    for (unsigned long long at = thread * 32; at < flush; at += threads * 32)
        sum += *(volatile unsigned *)(array + count * spacing + at);
    if (sum == 1)
        control[2] = sum;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(control, 1);
    if (threadIdx.x >= 32)
        return;
    while (*arrived < gridDim.x)
        __nanosleep(500);
    while (*turn != blockIdx.x)
        __nanosleep(500);
    samples[blockIdx.x * 32 + threadIdx.x] =
        walk((unsigned long long)(array + order[count + blockIdx.x] * spacing), warm);
    __syncwarp();
    if (threadIdx.x == 0) {
        sms[blockIdx.x] = sm_now();
        __threadfence();
        *turn = blockIdx.x + 1;
    }
}
