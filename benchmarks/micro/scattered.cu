// Sectors, in order or far apart, whole or in part: every LANES lanes have a 32-byte sector of their own for each
// access. Timed from outside; many more blocks than fit, so that every SM is busy to the end.
//   VECTOR: unsigned or uint4;  LANES: that share a sector;  PLACE(n): where the n-th sector lies;  UNROLL: accesses in flight

#include "places.cuh"

static __device__ __forceinline__ unsigned fold(unsigned v)
{
    return v;
}
static __device__ __forceinline__ unsigned fold(uint4 v)
{
    return v.x ^ v.y ^ v.z ^ v.w;
}
static __device__ __forceinline__ void make(unsigned &v, unsigned from)
{
    v = from;
}
static __device__ __forceinline__ void make(uint4 &v, unsigned from)
{
    v = make_uint4(from, from, from, from);
}

#ifdef KERNEL_scattered_read
// Both walk the sectors n = first, first + threads / LANES, ...; `mask` + 1 sectors are touched, at most 2^27.
extern "C" __global__ void __launch_bounds__(1024, 2)
    scattered_read(const char *data, unsigned *sink, int passes, unsigned mask)
{
    const unsigned step = gridDim.x * blockDim.x / LANES, inside = threadIdx.x % (32 / sizeof(VECTOR)) * sizeof(VECTOR);
    unsigned n = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, sum = 0;

#pragma unroll 1
    for (int pass = 0; pass < passes; pass++) {
        VECTOR v[UNROLL];
#pragma unroll
        for (int k = 0; k < UNROLL; k++) {
            v[k] = *(const VECTOR *)(data + (PLACE(n) & mask) * 32 + inside);
            n += step;
        }
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            sum ^= fold(v[k]);
    }
    if (sum == 1)
        sink[threadIdx.x] = sum;
}
#endif

#ifdef KERNEL_repeated_read
// Each sector is asked for UNROLL times in a row, for another word each time, past L1.
extern "C" __global__ void __launch_bounds__(1024, 2)
    repeated_read(const char *data, unsigned *sink, int passes, unsigned mask)
{
    const unsigned step = gridDim.x * blockDim.x;
    unsigned n = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;

#pragma unroll 1
    for (int pass = 0; pass < passes; pass++) {
        const unsigned *words = (const unsigned *)(data + (PLACE(n) & mask) * 32);
        unsigned v[UNROLL];
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            v[k] = __ldcg(words + k);
        n += step;
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            sum ^= v[k];
    }
    if (sum == 1)
        sink[threadIdx.x] = sum;
}
#endif

#ifdef KERNEL_scattered_write
extern "C" __global__ void __launch_bounds__(1024, 2) scattered_write(char *data, int passes, unsigned mask)
{
    const unsigned step = gridDim.x * blockDim.x / LANES, inside = threadIdx.x % (32 / sizeof(VECTOR)) * sizeof(VECTOR);
    unsigned n = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    VECTOR v;

    make(v, threadIdx.x);
#pragma unroll 1
    for (int pass = 0; pass < passes; pass++) {
#pragma unroll
        for (int k = 0; k < UNROLL; k++) {
            *(VECTOR *)(data + (PLACE(n) & mask) * 32 + inside) = v;
            n += step;
        }
    }
}
#endif
