// C = scale A B^T of 8-bit floats (e4m3) on warpgroup matrix instructions, without warp specialisation: every thread waits for a stage, and
// thread 0 refills the one that all have read.
#define E4M3
#include "../wgmma.cuh"

constexpr int K_TILE = 128, GROUPS = BLOCK_M / 64, THREADS = 128 * GROUPS;
constexpr int A_BYTES = BLOCK_M * K_TILE, B_BYTES = BLOCK_N * K_TILE;

extern "C" __global__ void __launch_bounds__(THREADS)
    gemm_e4m3(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b, unsigned short *__restrict__ c, int m,
              int n, int k, float scale)
{
    extern __shared__ __align__(1024) char smem[];
    __shared__ u64 full[STAGES];
    char *const base = smem + ((1024 - smem_u32(smem) % 1024) % 1024);
    const int row0 = blockIdx.y * BLOCK_M, col0 = blockIdx.x * BLOCK_N, tiles = k / K_TILE;
    const int group = threadIdx.x / 128, warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    float d[BLOCK_N / 2];

    auto load = [&](int tile) {
        const int s = tile % STAGES;
        char *const stage = base + s * (A_BYTES + B_BYTES);

        mbar_expect_tx(&full[s], A_BYTES + B_BYTES);
        tma_load_2d(stage, map_a, tile * K_TILE, row0, &full[s]);
        tma_load_2d(stage + A_BYTES, map_b, tile * K_TILE, col0, &full[s]);
    };

    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++)
            mbar_init(&full[s], 1);
        mbar_fence_init();
        for (int s = 0; s < STAGES - 1 && s < tiles; s++)
            load(s);
    }
    __syncthreads();
    for (int tile = 0; tile < tiles; tile++) {
        const int s = tile % STAGES;
        char *const stage = base + s * (A_BYTES + B_BYTES);
        const u64 da = smem_desc(stage + group * 64 * K_TILE), db = smem_desc(stage + A_BYTES);

        mbar_wait(&full[s], tile / STAGES & 1);
        wgmma_fence();
#pragma unroll
        for (int kk = 0; kk < K_TILE / 32; kk++)
            Wgmma<BLOCK_N>::mma(d, da + kk * 2, db + kk * 2, tile > 0 || kk > 0);
        wgmma_commit();
        wgmma_wait<0>();
        __syncthreads();
        if (threadIdx.x == 0 && tile + STAGES - 1 < tiles)
            load(tile + STAGES - 1);
    }
    for (int j = 0; j < BLOCK_N / 8; j++) {
        const int row = row0 + group * 64 + warp * 16 + lane / 4, col = col0 + j * 8 + lane % 4 * 2;

        *(u32 *)&c[(long long)row * n + col] = pack_bf16(d[4 * j] * scale, d[4 * j + 1] * scale);
        *(u32 *)&c[(long long)(row + 8) * n + col] = pack_bf16(d[4 * j + 2] * scale, d[4 * j + 3] * scale);
    }
}

__device__ float to_float(unsigned char v)
{
    const int exponent = v >> 3 & 15, mantissa = v & 7;
    const float size = exponent ? ldexpf(8 + mantissa, exponent - 10) : ldexpf(mantissa, -9);

    return v & 128 ? -size : size;
}

extern "C" __global__ void gemm_reference(const unsigned char *a, const unsigned char *b, unsigned short *c, int m, int n, int k, float scale)
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
        c[(long long)(blockIdx.y * 32 + y + 8 * i) * n + blockIdx.x * 32 + x] = (unsigned short)pack_bf16(sums[i] * scale, 0);
}
