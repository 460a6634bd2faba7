// Who shares a constant cache: a warp chases through one ring of constant memory while another warp, on the same SM or
// elsewhere, goes round a second ring or through long code. And constant memory kept busy.
//   PARTNER_CODE: instructions of the long code, a multiple of 64; 0: the second ring
#include "clock.cuh"

__constant__ unsigned ring[16384]; // byte offsets: two rings, the second begins in the middle

#define FMA_4  "fma.rn.f32 %0, %0, %1, %0; fma.rn.f32 %0, %0, %1, %0; fma.rn.f32 %0, %0, %1, %0; fma.rn.f32 %0, %0, %1, %0; "
#define FMA_16 FMA_4 FMA_4 FMA_4 FMA_4
#define FMA_64 FMA_16 FMA_16 FMA_16 FMA_16
#define NEXT(p) asm volatile("ld.const.u32 %0, [%0];" : "+r"(p)::"memory")

static __device__ __forceinline__ void keep_busy(volatile unsigned *control, unsigned p)
{
    float x = threadIdx.x, a = p;

#pragma unroll 1
    while (control[1] == 0) {
        if (PARTNER_CODE == 0) {
#pragma unroll
            for (int k = 0; k < 64; k++)
                NEXT(p);
        }
#pragma unroll
        for (int k = 0; k < PARTNER_CODE / 64; k++)
            asm volatile(FMA_64 : "+f"(x) : "f"(a));
        control[2] = 1; // has been round
    }
    if (p == 1 || x == a)
        control[3] = p;
}

// One block an SM. Warp 0 of the block on SM `chaser` is measured once warp 1 of the block on SM `partner` has been round; no
// SM has a number as large as "none".
extern "C" __global__ void share(volatile unsigned *control, long long *samples, unsigned chaser, unsigned partner,
                                 unsigned sms, unsigned count)
{
    const unsigned sm = sm_now(), warp = threadIdx.x / 32, lane = threadIdx.x & 31;
    long long kept = 0;

    if (threadIdx.x == 0)
        atomicAdd((unsigned *)control, 1);
    while (control[0] < gridDim.x)
        __nanosleep(500);
    if (warp == 1 && sm == partner)
        keep_busy(control, ring[8192]);
    if (warp == 1 || sm != chaser)
        return;
    while (partner < sms && control[2] == 0)
        __nanosleep(500);
    unsigned p = ring[0];
#pragma unroll 1
    for (unsigned i = 0; i < count; i++)
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
    samples[lane] = kept + (p == 1);
    __threadfence();
    control[1] = 1;
}

// Loads a line apart, in a part of `mask` + 1 bytes that belongs to this block alone.
extern "C" __global__ void constant_stream(unsigned *sink, long long *spans, int passes, unsigned mask)
{
    const unsigned base = blockIdx.x * (mask + 1);
    unsigned at = threadIdx.x / 32 * 64 * LENGTH, sum = 0;
    const long long enter = clock_now();
    long long start = 0, stop = 0;

#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        start = clock_now();
#pragma unroll 1
        for (int pass = 0; pass < passes; pass++, at += 64 * LENGTH) {
            const unsigned from = base + (at & mask);
            unsigned v[LENGTH];
#pragma unroll
            for (int k = 0; k < LENGTH; k++)
                asm volatile("ld.const.u32 %0, [%1];" : "=r"(v[k]) : "r"(from + k * 64) : "memory");
#pragma unroll
            for (int k = 0; k < LENGTH; k++)
                sum ^= v[k];
        }
        stop = clock_now();
    }
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum + ring[sum & 1];
    span_keep(spans, enter, start, stop);
}
