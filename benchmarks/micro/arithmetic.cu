// One operation, alone: `chain` times dependent ones in a single warp, `saturated` keeps the pipe busy.
//   OPERAND, STEP(x): type of the operands, and the operation on x with the loop-invariant operands a and b
//   CHAIN: operations between the first two stamps; ILP: independent chains; LENGTH: operations of a pass of `saturated`
#include "clock.cuh"

#ifndef CHAIN
#define CHAIN 32
#endif

#ifdef KERNEL_chain
// Samples of a warp: cycles of 2 * CHAIN operations of ILP chains, the cost of the clock subtracted (3 * CHAIN less CHAIN of
// the same).
extern "C" __global__ void chain(const OPERAND *in, OPERAND *sink, long long *samples)
{
    const int lane = threadIdx.x & 31;
    const OPERAND a = in[lane], b = in[lane + 32];
    long long kept = 0;
    OPERAND x[ILP];

    for (int i = 0; i < ILP; i++)
        x[i] = in[64 + i * 32 + lane];
#pragma unroll 1
    for (int sample = -1; sample < 32; sample++) {
        const long long first = clock_now();
#pragma unroll
        for (int k = 0; k < CHAIN / ILP; k++)
            for (int i = 0; i < ILP; i++)
                STEP(x[i]);
        const long long second = clock_now();
#pragma unroll
        for (int k = 0; k < 3 * CHAIN / ILP; k++)
            for (int i = 0; i < ILP; i++)
                STEP(x[i]);
        const long long third = clock_now();
        if (lane == sample)
            kept = (third - second) - (second - first);
    }
    for (int i = 0; i < ILP; i++)
        sink[(blockIdx.x * ILP + i) * 32 + lane] = x[i];
    samples[blockIdx.x * 32 + lane] = kept;
}
#endif

#ifdef KERNEL_saturated
extern "C" __global__ void saturated(const OPERAND *in, OPERAND *sink, long long *spans, int passes)
{
    const int lane = threadIdx.x & 31;
    const OPERAND a = in[lane], b = in[lane + 32];
    const long long enter = clock_now();
    long long start = 0, stop = 0;
    OPERAND x[ILP];

    for (int i = 0; i < ILP; i++)
        x[i] = in[64 + i * 32 + lane];
#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        start = clock_now();
#pragma unroll 1
        for (int pass = 0; pass < passes; pass++) {
#pragma unroll
            for (int k = 0; k < LENGTH / ILP; k++)
                for (int i = 0; i < ILP; i++)
                    STEP(x[i]);
        }
        stop = clock_now();
    }
    for (int i = 0; i < ILP; i++)
        sink[(blockIdx.x * ILP + i) * blockDim.x + threadIdx.x] = x[i];
    span_keep(spans, enter, start, stop);
}
#endif
