// Bulk copies (cp.async.bulk) from global to shared memory: a block keeps STAGES copies of PIECE bytes under way, one thread
// of it asks for all.
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
