// Sectors far apart: every lane, or every pair of lanes, has a 32-byte sector of its own for each access.
//   VECTOR: unsigned or uint4;  LANES: that share a sector;  PLACE(n): where the n-th sector lies;  UNROLL: accesses in flight
#include "clock.cuh"

// A bijection of 32 bits without visible order.
static __device__ __forceinline__ unsigned mixed(unsigned x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static __device__ __forceinline__ unsigned ordered(unsigned x)
{
    return x;
}

// Both walk the sectors n = first, first + threads / LANES, ...; `mask` + 1 sectors are touched, at most 2^27.
extern "C" __global__ void __launch_bounds__(1024, 2)
    scattered_read(const char *data, unsigned *sink, long long *spans, int passes, unsigned mask)
{
    unsigned n = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    const long long enter = clock_now();
    long long start = 0, stop = 0;

#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        start = clock_now();
#pragma unroll 1
        for (int pass = 0; pass < passes; pass++) {
            unsigned v[UNROLL];
#pragma unroll
            for (int k = 0; k < UNROLL; k++) {
                v[k] = __ldcg((const unsigned *)(data + (PLACE(n) & mask) * 32));
                n += gridDim.x * blockDim.x;
            }
#pragma unroll
            for (int k = 0; k < UNROLL; k++)
                sum ^= v[k];
        }
        stop = clock_now();
    }
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    span_keep(spans, enter, start, stop);
}

static __device__ __forceinline__ void put(char *sector, unsigned lane, unsigned v)
{
    *(unsigned *)(sector + lane % 8 * 4) = v;
}
static __device__ __forceinline__ void put(char *sector, unsigned lane, uint4 v)
{
    *(uint4 *)(sector + lane % 2 * 16) = v;
}
static __device__ __forceinline__ void make(unsigned &v, unsigned from)
{
    v = from;
}
static __device__ __forceinline__ void make(uint4 &v, unsigned from)
{
    v = make_uint4(from, from, from, from);
}

extern "C" __global__ void __launch_bounds__(1024, 2)
    scattered_write(char *data, long long *spans, int passes, unsigned mask)
{
    unsigned n = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    const long long enter = clock_now();
    long long start = 0, stop = 0;
    VECTOR v;

    make(v, threadIdx.x);
#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        start = clock_now();
#pragma unroll 1
        for (int pass = 0; pass < passes; pass++) {
#pragma unroll
            for (int k = 0; k < UNROLL; k++) {
                put(data + (PLACE(n) & mask) * 32, threadIdx.x, v);
                n += gridDim.x * blockDim.x / LANES;
            }
        }
        stop = clock_now();
    }
    span_keep(spans, enter, start, stop);
}
