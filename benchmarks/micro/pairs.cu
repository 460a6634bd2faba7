// Two operations interleaved one to one on separate registers: do they share a pipe?
//   OPERAND_A, STEP_A(x) and OPERAND_B, STEP_B(x): the two, with loop-invariant operands a, b and c, d
//   LENGTH: operations of a pass, both counted
#include "clock.cuh"

extern "C" __global__ void pair(const OPERAND_A *in_a, const OPERAND_B *in_b, OPERAND_A *sink_a, OPERAND_B *sink_b, long long *spans, int passes)
{
    enum { ILP = 4 };
    const int lane = threadIdx.x & 31, thread = blockIdx.x * blockDim.x + threadIdx.x;
    const OPERAND_A a = in_a[lane], b = in_a[lane + 32];
    const OPERAND_B c = in_b[lane], d = in_b[lane + 32];
    const long long enter = clock_now();
    long long start = 0, stop = 0;
    OPERAND_A x[ILP];
    OPERAND_B y[ILP];

    for (int i = 0; i < ILP; i++) {
        x[i] = in_a[64 + i * 32 + lane];
        y[i] = in_b[64 + i * 32 + lane];
    }
#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        start = clock_now();
#pragma unroll 1
        for (int pass = 0; pass < passes; pass++) {
#pragma unroll
            for (int k = 0; k < LENGTH / ILP / 2; k++)
                for (int i = 0; i < ILP; i++) {
                    STEP_A(x[i]);
                    STEP_B(y[i]);
                }
        }
        stop = clock_now();
    }
    for (int i = 0; i < ILP; i++) {
        sink_a[thread * ILP + i] = x[i];
        sink_b[thread * ILP + i] = y[i];
    }
    span_keep(spans, enter, start, stop);
}
