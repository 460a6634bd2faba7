// Sampled dense-dense product: for each nonzero (i, j) of a CSR matrix, out = mask * dot(U[i], V[j]), as graph attention and
// matrix factorisation need it. A group of LANES threads takes a nonzero; a warp stays within a row.
#ifndef DEPTH
#define DEPTH 64
#endif
#define CHUNK (DEPTH / LANES / VEC)

template <int N> struct packed;
template <> struct packed<1> { typedef float type; };
template <> struct packed<2> { typedef float2 type; };
template <> struct packed<4> { typedef float4 type; };

__device__ __forceinline__ float dot(float a, float b, float s) { return fmaf(a, b, s); }
__device__ __forceinline__ float dot(float2 a, float2 b, float s) { return fmaf(a.y, b.y, fmaf(a.x, b.x, s)); }
__device__ __forceinline__ float dot(float4 a, float4 b, float s)
{
    return fmaf(a.w, b.w, fmaf(a.z, b.z, fmaf(a.y, b.y, fmaf(a.x, b.x, s))));
}

extern "C" __global__ void __launch_bounds__(32 * ROWS)
    sddmm(float *__restrict__ out, const int *__restrict__ offsets, const int *__restrict__ columns,
          const float *__restrict__ mask, const float *__restrict__ u, const float *__restrict__ v, int rows)
{
    typedef packed<VEC>::type pack;
    const int row = blockIdx.x * ROWS + threadIdx.y;
    if (row >= rows)
        return;
    const int lane = threadIdx.x % LANES, slot = threadIdx.x / LANES;
    const pack *left = reinterpret_cast<const pack *>(u + (size_t)row * DEPTH);
    pack mine[CHUNK];
#pragma unroll
    for (int c = 0; c < CHUNK; c++)
        mine[c] = left[c * LANES + lane];

    const int end = offsets[row + 1];
    for (int at = offsets[row]; at < end; at += 32 / LANES * UNROLL) {
        float sum[UNROLL];
#pragma unroll
        for (int k = 0; k < UNROLL; k++) {
            const int nz = at + k * (32 / LANES) + slot;
            const int column = columns[min(nz, end - 1)];
            const pack *right = reinterpret_cast<const pack *>(v + (size_t)column * DEPTH);
            sum[k] = 0;
#pragma unroll
            for (int c = 0; c < CHUNK; c++)
                sum[k] = dot(mine[c], right[c * LANES + lane], sum[k]);
        }
#pragma unroll
        for (int k = 0; k < UNROLL; k++) {
#pragma unroll
            for (int s = LANES / 2; s; s >>= 1)
                sum[k] += __shfl_xor_sync(0xffffffffu, sum[k], s);
            const int nz = at + k * (32 / LANES) + slot;
            if (lane == 0 && nz < end)
                out[nz] = mask[nz] * sum[k];
        }
    }
}

extern "C" __global__ void sddmm_reference(float *out, const int *offsets, const int *columns, const float *mask,
                                           const float *u, const float *v, int rows)
{
    const int row = blockIdx.x;
    for (int nz = offsets[row] + threadIdx.x; nz < offsets[row + 1]; nz += blockDim.x) {
        float sum = 0;
        for (int d = 0; d < DEPTH; d++)
            sum = fmaf(u[(size_t)row * DEPTH + d], v[(size_t)columns[nz] * DEPTH + d], sum);
        out[nz] = mask[nz] * sum;
    }
}
