// Bulk copies (cp.async.bulk) from global to shared memory: a block keeps STAGES copies of PIECE bytes under way, one thread
// of it asks for all. And bulk reductions (cp.reduce.async.bulk) of PIECE bytes, one thread of each warp asking.
#include "bulk.cuh"
#include "clock.cuh"

// Block b reads the pieces b, b + blocks, ... of `pieces` in all, `passes` times over.
extern "C" __global__ void __launch_bounds__(32) bulk_read(const char *in, unsigned *sink, long long *spans, unsigned pieces,
                                                           unsigned passes)
{
    extern __shared__ __align__(128) char stages[];
    __shared__ alignas(8) unsigned long long full[STAGES];
    const unsigned own = (pieces - blockIdx.x + gridDim.x - 1) / gridDim.x, all = own * passes;
    const long long enter = clock_now();
    long long start = 0, stop = 0;

    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++)
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&full[s])) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        start = clock_now();
        for (unsigned k = 0; k < all + STAGES; k++) {
            const unsigned s = k % STAGES;

            if (k >= STAGES)
                wait(&full[s], (k / STAGES - 1) & 1);
            if (k < all)
                ask(stages + s * PIECE, in + (size_t)(blockIdx.x + k % own * gridDim.x) * PIECE, &full[s]);
        }
        stop = clock_now();
    }
    __syncwarp();
    sink[blockIdx.x * 32 + threadIdx.x] = stages[threadIdx.x];
    span_keep(spans, enter, start, stop);
}

#ifdef TYPE
// A block adds what it has in shared memory to its own OWN bytes of `words`, `passes` times over; each warp to its part.
extern "C" __global__ void bulk_add(char *words, long long *spans, unsigned passes)
{
    extern __shared__ __align__(128) char stages[];
    const unsigned warp = threadIdx.x / 32, part = OWN / (blockDim.x / 32), all = part / PIECE * passes;
    const unsigned from = shared_address(stages) + warp * part;
    char *to = words + (size_t)blockIdx.x * OWN + warp * part;
    const long long enter = clock_now();
    long long start = 0, stop = 0;

    for (unsigned i = threadIdx.x; i < OWN / 4; i += blockDim.x)
        ((unsigned *)stages)[i] = 0;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        start = clock_now();
        if (threadIdx.x % 32 == 0) {
#pragma unroll 1
            for (unsigned k = 0; k < all; k++) {
                const unsigned at = k * PIECE & (part - 1); // a power of two

                asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add." TYPE " [%0], [%1], %2;" ::"l"(to + at),
                             "r"(from + at), "r"(PIECE)
                             : "memory");
                asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 8;" ::: "memory");
            }
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        }
        __syncwarp();
        stop = clock_now();
    }
    span_keep(spans, enter, start, stop);
}
#endif
