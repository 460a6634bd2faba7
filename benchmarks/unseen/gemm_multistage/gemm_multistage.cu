// C = A B^T of bfloat16 as on compute capability 8.0: stages filled by cp.async, ldmatrix, mma.sync.
#include "../gemm_reference.cuh"

typedef unsigned u32;

constexpr int K_TILE = 32, WARPS_M = BLOCK_M / WARP_M, WARPS_N = BLOCK_N / WARP_N, THREADS = 32 * WARPS_M * WARPS_N;
constexpr int MI = WARP_M / 16, NI = WARP_N / 8;
constexpr int A_BYTES = BLOCK_M * K_TILE * 2, STAGE = (BLOCK_M + BLOCK_N) * K_TILE * 2;

__device__ __forceinline__ u32 smem_u32(const void *p)
{
    return (u32)__cvta_generic_to_shared(p);
}

// Rows of 64 bytes, chunks of 16 exchanged so that 8 rows lie in different banks.
__device__ __forceinline__ u32 place(int row, int chunk)
{
    return row * 64 + ((chunk ^ (row >> 1 & 3)) << 4);
}

template <int ROWS>
__device__ __forceinline__ void copy(u32 to, const unsigned short *from, int k)
{
#pragma unroll
    for (int i = threadIdx.x; i < ROWS * 4; i += THREADS)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + place(i / 4, i % 4)),
                     "l"(from + (long long)(i / 4) * k + i % 4 * 8));
}

__device__ __forceinline__ void load_matrix(u32 (&r)[4], u32 at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at)
                 : "memory");
}

__device__ __forceinline__ void mma(float (&d)[4], const u32 (&a)[4], u32 b0, u32 b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ u32 pack(float low, float high)
{
    u32 out;

    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(out) : "f"(high), "f"(low));
    return out;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    gemm_multistage(const unsigned short *__restrict__ a, const unsigned short *__restrict__ b, unsigned short *__restrict__ c, int m,
                    int n, int k)
{
    extern __shared__ __align__(128) char smem[];
    const u32 base = smem_u32(smem);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, wm = warp / WARPS_N * WARP_M, wn = warp % WARPS_N * WARP_N;
    const int tiles = k / K_TILE;
    float d[MI][NI][4] = {};

    a += (long long)blockIdx.y * BLOCK_M * k;
    b += (long long)blockIdx.x * BLOCK_N * k;
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        copy<BLOCK_M>(base + s * STAGE, a + s * K_TILE, k);
        copy<BLOCK_N>(base + s * STAGE + A_BYTES, b + s * K_TILE, k);
        asm volatile("cp.async.commit_group;");
    }
    for (int tile = 0; tile < tiles; tile++) {
        const u32 at = base + tile % STAGES * STAGE;

        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
        __syncthreads();
        if (tile + STAGES - 1 < tiles) {
            const u32 to = base + (tile + STAGES - 1) % STAGES * STAGE;

            copy<BLOCK_M>(to, a + (tile + STAGES - 1) * K_TILE, k);
            copy<BLOCK_N>(to + A_BYTES, b + (tile + STAGES - 1) * K_TILE, k);
        }
        asm volatile("cp.async.commit_group;");
#pragma unroll
        for (int kk = 0; kk < 2; kk++) {
            u32 fa[MI][4], fb[NI / 2][4];

#pragma unroll
            for (int i = 0; i < MI; i++)
                load_matrix(fa[i], at + place(wm + i * 16 + lane % 16, kk * 2 + lane / 16));
#pragma unroll
            for (int j = 0; j < NI / 2; j++)
                load_matrix(fb[j], at + A_BYTES + place(wn + j * 16 + lane % 8 + lane / 16 * 8, kk * 2 + lane / 8 % 2));
#pragma unroll
            for (int i = 0; i < MI; i++)
#pragma unroll
                for (int j = 0; j < NI; j++)
                    mma(d[i][j], fa[i], fb[j / 2][j % 2 * 2], fb[j / 2][j % 2 * 2 + 1]);
        }
    }
#pragma unroll
    for (int i = 0; i < MI; i++)
#pragma unroll
        for (int j = 0; j < NI; j++) {
            const int row = blockIdx.y * BLOCK_M + wm + i * 16 + lane / 4, col = blockIdx.x * BLOCK_N + wn + j * 8 + lane % 4 * 2;

            *(u32 *)&c[(long long)row * n + col] = pack(d[i][j][0], d[i][j][1]);
            *(u32 *)&c[(long long)(row + 8) * n + col] = pack(d[i][j][2], d[i][j][3]);
        }
}
