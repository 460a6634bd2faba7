// Atomics in L2: every LANES lanes have a 32-byte sector of their own for each of UNROLL atomics a pass, in order or at random.
// Timed from outside; many more blocks than fit, so that every SM is busy to the end.
//   TYPE: of the words;  LANES: that share a sector;  PLACE(n): where the n-th sector lies;  ACTION: what is done with a word at p

#include "places.cuh"

static __device__ __forceinline__ unsigned add(unsigned *p, unsigned)
{
    asm volatile("red.global.add.u32 [%0], 1;" ::"l"(p) : "memory");
    return 0;
}

static __device__ __forceinline__ unsigned add(double *p, unsigned)
{
    asm volatile("red.global.add.f64 [%0], %1;" ::"l"(p), "d"(1.0) : "memory");
    return 0;
}

static __device__ __forceinline__ unsigned answer(unsigned *p, unsigned)
{
    unsigned old;

    asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(old) : "l"(p) : "memory");
    return old;
}

static __device__ __forceinline__ unsigned compare(unsigned *p, unsigned n)
{
    unsigned old;

    asm volatile("atom.global.cas.b32 %0, [%1], %2, 1;" : "=r"(old) : "l"(p), "r"(n) : "memory");
    return old;
}

// `mask` + 1 sectors are touched, at most 2^27.
extern "C" __global__ void __launch_bounds__(1024, 2) adds(char *data, unsigned *sink, int passes, unsigned mask)
{
    const unsigned step = gridDim.x * blockDim.x / LANES, inside = threadIdx.x % LANES * sizeof(TYPE);
    unsigned n = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, sum = 0;

#pragma unroll 1
    for (int pass = 0; pass < passes; pass++) {
        unsigned old[UNROLL];
#pragma unroll
        for (int k = 0; k < UNROLL; k++) {
            old[k] = ACTION((TYPE *)(data + (PLACE(n) & mask) * 32 + inside), n);
            n += step;
        }
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            sum ^= old[k];
    }
    if (sum == 1)
        sink[threadIdx.x] = sum;
}
