// C = A B^T of bfloat16, persistent and warp-specialised: a producer warpgroup takes tiles from a counter in global memory and
// copies their stages, two consumer warpgroups multiply, named barriers keep their stores through shared memory apart.
#include "../wgmma.cuh"
#include "../gemm_reference.cuh"

constexpr int BLOCK_M = 128, K_TILE = 64, THREADS = 384;
constexpr int A_BYTES = BLOCK_M * K_TILE * 2, B_BYTES = BLOCK_N * K_TILE * 2, C_BYTES = 64 * 64 * 2;

struct Ring {
    int stage = 0;
    u32 phase = 0;

    __device__ void next()
    {
        if (++stage == STAGES) {
            stage = 0;
            phase ^= 1;
        }
    }
};

struct Barriers {
    u64 full[STAGES], empty[STAGES], tile_full, tile_empty;
};

__device__ __forceinline__ void produce(const TensorMap &map_a, const TensorMap &map_b, char *stages, Barriers &bars, int *tile_at,
                                        unsigned *counter, int columns, int tiles, int k)
{
    Ring ring;

    for (u32 round = 0;; round++) {
        int tile;

        if (DYNAMIC)
            tile = (int)atomicAdd(counter, 1u);
        else
            tile = blockIdx.x + round * gridDim.x;
        mbar_wait(&bars.tile_empty, (round & 1) ^ 1);
        *tile_at = tile;
        mbar_arrive(&bars.tile_full);
        if (tile >= tiles)
            return;
        for (int t = 0; t < k / K_TILE; t++, ring.next()) {
            char *const stage = stages + ring.stage * (A_BYTES + B_BYTES);

            mbar_wait(&bars.empty[ring.stage], ring.phase ^ 1);
            mbar_expect_tx(&bars.full[ring.stage], A_BYTES + B_BYTES);
            tma_load_2d(stage, map_a, t * K_TILE, tile / columns * BLOCK_M, &bars.full[ring.stage]);
            tma_load_2d(stage + A_BYTES, map_b, t * K_TILE, tile % columns * BLOCK_N, &bars.full[ring.stage]);
        }
    }
}

// 64 x 64 at a time through shared memory.
__device__ __forceinline__ void store(const TensorMap &map_c, char *staging, float (&d)[BLOCK_N / 2], int group, int row, int col)
{
    const int thread = threadIdx.x % 128, lane = thread % 32, r = thread / 32 * 16 + lane / 4;

#pragma unroll
    for (int part = 0; part < BLOCK_N / 64; part++) {
        if (thread == 0)
            store_wait_read<0>();
        asm volatile("bar.sync %0, 128;" ::"r"(1 + group) : "memory");
#pragma unroll
        for (int j = 0; j < 8; j++) {
            const int at = part * 32 + 4 * j;

            *(u32 *)(staging + r * 128 + ((j ^ r % 8) * 16) + lane % 4 * 4) = pack_bf16(d[at], d[at + 1]);
            *(u32 *)(staging + (r + 8) * 128 + ((j ^ r % 8) * 16) + lane % 4 * 4) = pack_bf16(d[at + 2], d[at + 3]);
        }
        fence_async();
        asm volatile("bar.sync %0, 128;" ::"r"(1 + group) : "memory");
        if (thread == 0) {
            tma_store_2d(map_c, col + part * 64, row, staging);
            store_commit();
        }
    }
}

__device__ __forceinline__ void consume(const TensorMap &map_c, char *stages, char *staging, Barriers &bars, const int *tile_at,
                                        int columns, int tiles, int k)
{
    const int group = threadIdx.x / 128 - 1;
    float d[BLOCK_N / 2];
    Ring ring;

    for (u32 round = 0;; round++) {
        int tile;

        mbar_wait(&bars.tile_full, round & 1);
        tile = *(volatile const int *)tile_at;
        if (threadIdx.x % 32 == 0)
            mbar_arrive(&bars.tile_empty);
        if (tile >= tiles)
            break;
        for (int t = 0; t < k / K_TILE; t++) {
            char *const stage = stages + ring.stage * (A_BYTES + B_BYTES);
            const u64 da = smem_desc(stage + group * 64 * K_TILE * 2), db = smem_desc(stage + A_BYTES);

            mbar_wait(&bars.full[ring.stage], ring.phase);
            wgmma_fence();
#pragma unroll
            for (int kk = 0; kk < K_TILE / 16; kk++)
                Wgmma<BLOCK_N>::mma(d, da + kk * 2, db + kk * 2, t > 0 || kk > 0);
            wgmma_commit();
            wgmma_wait<0>();
            if (threadIdx.x % 128 == 0)
                mbar_arrive(&bars.empty[ring.stage]);
            ring.next();
        }
        store(map_c, staging + group * C_BYTES, d, group, tile / columns * BLOCK_M + group * 64, tile % columns * BLOCK_N);
    }
    if (threadIdx.x % 128 == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    gemm_scheduler(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,
                   const __grid_constant__ TensorMap map_c, unsigned *counter, int m, int n, int k)
{
    extern __shared__ __align__(1024) char smem[];
    __shared__ Barriers bars;
    __shared__ int tile_at;
    char *const staging = smem + ((1024 - smem_u32(smem) % 1024) % 1024), *const stages = staging + 2 * C_BYTES;
    const int columns = n / BLOCK_N, tiles = m / BLOCK_M * columns;

    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            mbar_init(&bars.full[s], 1);
            mbar_init(&bars.empty[s], 2);
        }
        mbar_init(&bars.tile_full, 1);
        mbar_init(&bars.tile_empty, 8);
        mbar_fence_init();
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0)
            produce(map_a, map_b, stages, bars, &tile_at, counter, columns, tiles, k);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        consume(map_c, stages, staging, bars, &tile_at, columns, tiles, k);
    }
    __syncthreads();
    if (DYNAMIC && threadIdx.x == 0 && atomicAdd(counter + 1, 1u) == gridDim.x - 1) // the last block leaves both counters at zero
        counter[0] = counter[1] = 0;
}
