// What gemm_wgmma, gemm_scheduler and gemm_multistage are checked against: tiles of 32 x 32, sums in the order of k.
#pragma once

__device__ float to_float(unsigned short v)
{
    return __uint_as_float((unsigned)v << 16);
}

__device__ unsigned short to_bf16(float v)
{
    unsigned short out;

    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(out) : "f"(v));
    return out;
}

extern "C" __global__ void gemm_reference(const unsigned short *a, const unsigned short *b, unsigned short *c, int m, int n, int k)
{
    __shared__ float left[32][33], right[32][33];
    const int x = threadIdx.x, y = threadIdx.y;
    float sums[4] = {};

    for (int k0 = 0; k0 < k; k0 += 32) {
        for (int i = 0; i < 4; i++) {
            left[y + 8 * i][x] = to_float(a[(long long)(blockIdx.y * 32 + y + 8 * i) * k + k0 + x]);
            right[y + 8 * i][x] = to_float(b[(long long)(blockIdx.x * 32 + y + 8 * i) * k + k0 + x]);
        }
        __syncthreads();
        for (int j = 0; j < 32; j++)
            for (int i = 0; i < 4; i++)
                sums[i] += left[y + 8 * i][j] * right[x][j];
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        c[(long long)(blockIdx.y * 32 + y + 8 * i) * n + blockIdx.x * 32 + x] = to_bf16(sums[i]);
}
