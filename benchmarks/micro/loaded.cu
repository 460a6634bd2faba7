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

enum { ROWS = 8 };

// The first warp walks a chain as above, a line of its own a step, anywhere; the others store meanwhile, out of step, each ROWS
// rows of 512 bytes and then nothing for `rest` cycles. Samples, four a block: cycles of the walk, its steps, rows stored, 0.
extern "C" __global__ void loaded_by_stores(const unsigned *zeros, uint4 *stored, long long *samples, int steps, unsigned mask,
                                            unsigned stored_mask, int rest)
{
    __shared__ volatile bool over;
    __shared__ unsigned rows;
    const unsigned lane = threadIdx.x & 31, warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;

    over = false;
    rows = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        unsigned at = blockIdx.x * 2654435761u;
        const long long start = clock_now();

#pragma unroll 1
        for (int step = 0; step < steps; step++) {
            at = at * 1664525u + 1013904223u;
            at += __ldcg(zeros + ((at >> 5) * 32 + lane & mask));
        }
        over = at != 1; // true, but not before the walk is over
        if (lane == 0) {
            samples[4 * blockIdx.x] = clock_now() - start;
            samples[4 * blockIdx.x + 1] = steps;
        }
    } else {
        const long long first = clock_now() + (long long)(warp * 2654435761u >> 16) * rest / 65536;
        unsigned count = 0;

        while (clock_now() < first)
            continue;
        for (unsigned at = warp * ROWS; !over; at += gridDim.x * (blockDim.x / 32) * ROWS, count += ROWS) {
            const long long start = clock_now();

#pragma unroll
            for (unsigned row = 0; row < ROWS; row++)
                stored[(at + row & stored_mask) * 32 + lane] = make_uint4(at, row, lane, 1);
            while (clock_now() - start < rest)
                continue;
        }
        if (lane == 0)
            atomicAdd(&rows, count);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        samples[4 * blockIdx.x + 2] = rows;
        samples[4 * blockIdx.x + 3] = 0;
    }
}
