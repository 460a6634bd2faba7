// Rows that blocks walk along by bulk copies (cp.async.bulk): a block keeps STAGES copies of PIECE bytes of its row under way, one
// thread of it asks for all.
#include "bulk.cuh"
#include "clock.cuh"

extern "C" __global__ void __launch_bounds__(32) rows_read(const char *in, unsigned *sink, long long *spans, unsigned long long distance,
                                                           unsigned pieces)
{
    extern __shared__ __align__(128) char stages[];
    __shared__ alignas(8) unsigned long long full[STAGES];
    const char *row = in + blockIdx.x * distance;
    const long long enter = clock_now();
    long long start = 0, stop = 0;

    if (threadIdx.x == 0) {
        unsigned s = 0, phase = 1;

        for (int k = 0; k < STAGES; k++)
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&full[k])) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        start = clock_now();
#pragma unroll 1
        for (unsigned k = 0; k < pieces + STAGES; k++) {
            if (k >= STAGES)
                wait(&full[s], phase);
            if (k < pieces)
                ask(stages + s * PIECE, row + (size_t)k * PIECE, &full[s]);
            if (++s == STAGES) {
                s = 0;
                phase ^= 1;
            }
        }
        stop = clock_now();
    }
    __syncwarp();
    sink[blockIdx.x * 32 + threadIdx.x] = stages[threadIdx.x];
    span_keep(spans, enter, start, stop);
}
