// Latency under load. Each warp walks CHAINS independent chains: the next address of a chain waits for its last value,
// so the mean latency of a load is the mean time of a step, and the number of warps and chains sets the load.
//   LEVEL_SHARED, LEVEL_POINTERS or neither;  READ(p): the load;  STEPS: of a pass
#include "clock.cuh"

// `zeros` holds zeros, so each value adds nothing to the address, but the hardware cannot know. Windows: the words a warp
// walks begin at warp * warp_step (mod mask + 1) and go on in steps of `step`. The first `warm` words are read beforehand.
extern "C" __global__ void loaded(unsigned *zeros, unsigned *sink, long long *spans, int passes, unsigned step,
                                  unsigned mask, unsigned warp_step, unsigned warm)
{
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    const long long enter = clock_now();
    long long start = 0, stop = 0;
    // Near levels hold the address of the next, so that a step is nothing but its load.
#ifdef LEVEL_SHARED
    extern __shared__ unsigned words[];
    unsigned at[CHAINS], sum = 0;
    const unsigned base = (unsigned)__cvta_generic_to_shared(words);

    for (unsigned i = threadIdx.x; i <= mask; i += blockDim.x)
        words[i] = base + 4 * (i + step & mask);
    __syncthreads();
    for (int c = 0; c < CHAINS; c++)
        at[c] = base + 4 * (lane + (warp * CHAINS + c) * 32 & mask);
#define NEXT(at) asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(at)::"memory")
#elif defined LEVEL_POINTERS
    // All blocks write the same.
    unsigned long long *pointers = (unsigned long long *)zeros, at[CHAINS], sum = 0;

    for (unsigned i = threadIdx.x; i <= mask; i += blockDim.x)
        pointers[i] = (unsigned long long)(pointers + (i + step & mask));
    __threadfence();
    __syncthreads();
    for (int c = 0; c < CHAINS; c++)
        at[c] = (unsigned long long)(pointers + (lane + (warp * CHAINS + c) * 32 & mask));
#define NEXT(at) asm volatile("ld.global.u64 %0, [%0];" : "+l"(at)::"memory")
#else
    unsigned at[CHAINS], sum = 0;

    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; 8 * i < warm; i += gridDim.x * blockDim.x)
        sum += READ(zeros + 8 * i);
    for (int c = 0; c < CHAINS; c++)
        at[c] = lane + (warp * CHAINS + c) * warp_step;
#define NEXT(at) (at) += step + READ(zeros + ((at)&mask))
#endif
#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        start = clock_now();
#pragma unroll 1
        for (int pass = 0; pass < passes; pass++) {
#pragma unroll
            for (int k = 0; k < STEPS; k++)
                for (int c = 0; c < CHAINS; c++)
                    NEXT(at[c]);
        }
        stop = clock_now();
    }
    for (int c = 0; c < CHAINS; c++)
        sum += at[c];
    sink[blockIdx.x * blockDim.x + threadIdx.x] = (unsigned)sum;
    span_keep(spans, enter, start, stop);
}
