// Pieces of LANES * 16 bytes far apart: the next piece in order lies at the next multiple of an odd number, so that all are
// touched once. Timed from outside; many more blocks than fit.

enum { UNROLL = 4 };

// Where element e lies, of mask + 1, a power of two.
static __device__ __forceinline__ unsigned place(unsigned e, unsigned mask)
{
    return (e / LANES * 0x9e3779b1u * LANES + e % LANES) & mask;
}

extern "C" __global__ void __launch_bounds__(512) pieces_read(const uint4 *data, unsigned *sink, int passes, unsigned mask)
{
    unsigned e = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;

#pragma unroll 1
    for (int pass = 0; pass < passes; pass++) {
        uint4 v[UNROLL];
#pragma unroll
        for (int k = 0; k < UNROLL; k++) {
            v[k] = data[place(e, mask)];
            e += gridDim.x * blockDim.x;
        }
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            sum ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
    }
    if (sum == 1)
        sink[threadIdx.x] = sum;
}

extern "C" __global__ void __launch_bounds__(512) pieces_write(uint4 *data, int passes, unsigned mask)
{
    unsigned e = blockIdx.x * blockDim.x + threadIdx.x;

#pragma unroll 1
    for (int pass = 0; pass < passes; pass++)
#pragma unroll
        for (int k = 0; k < UNROLL; k++) {
            data[place(e, mask)] = make_uint4(e, e, e, e);
            e += gridDim.x * blockDim.x;
        }
}
