// C = L B^T of bfloat16, L lower triangular by blocks of 128 rows: the product of a row of tiles takes longer the lower it is. Persistent
// blocks take tiles from a counter; an elected thread of a producer warp hands the number on through a ring of two slots.
#include "../wgmma.cuh"

constexpr int BLOCK_M = 128, K_TILE = 64, THREADS = 384, SLOTS = 2;
constexpr int A_BYTES = BLOCK_M * K_TILE * 2, B_BYTES = BLOCK_N * K_TILE * 2, STAGE = A_BYTES + B_BYTES;

struct Shared {
    u64 full[STAGES], empty[STAGES], given[SLOTS], done[SLOTS];
    int number[SLOTS];
};

struct Tile {
    int row, column, steps;
};

__device__ __forceinline__ Tile tile_of(int number, int rows, int columns)
{
    const int row = LARGEST_FIRST ? rows - 1 - number / columns : number / columns;

    return {row * BLOCK_M, number % columns * BLOCK_N, (row + 1) * (BLOCK_M / K_TILE)};
}

__device__ __forceinline__ bool elect()
{
    u32 is;

    asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(is));
    return is;
}

__device__ __forceinline__ void produce(const TensorMap &map_l, const TensorMap &map_b, char *stages, Shared &s, unsigned *counter, int rows,
                                        int columns)
{
    int stage = 0, slot = 0;
    u32 phase = 0, turn = 0;

    while (true) {
        const int number = (int)atomicAdd(counter, 1u);

        mbar_wait(&s.done[slot], turn ^ 1);
        *(volatile int *)&s.number[slot] = number;
        mbar_arrive(&s.given[slot]);
        if (number >= rows * columns)
            break;
        if (++slot == SLOTS)
            slot = 0, turn ^= 1;
        const Tile tile = tile_of(number, rows, columns);
        for (int k = 0; k < tile.steps; k++) {
            char *const to = stages + stage * STAGE;

            mbar_wait(&s.empty[stage], phase ^ 1);
            mbar_expect_tx(&s.full[stage], STAGE);
            tma_load_2d(to, map_l, k * K_TILE, tile.row, &s.full[stage]);
            tma_load_2d(to + A_BYTES, map_b, k * K_TILE, tile.column, &s.full[stage]);
            if (++stage == STAGES)
                stage = 0, phase ^= 1;
        }
    }
}

__device__ __forceinline__ void consume(char *stages, Shared &s, unsigned short *c, int n, int rows, int columns)
{
    const int group = threadIdx.x / 128 - 1, thread = threadIdx.x % 128, lane = thread % 32;
    int stage = 0, slot = 0;
    u32 phase = 0, turn = 0;
    float d[BLOCK_N / 2];

    while (true) {
        mbar_wait(&s.given[slot], turn);
        const int number = *(volatile int *)&s.number[slot];
        __syncwarp();
        if (lane == 0)
            mbar_arrive(&s.done[slot]);
        if (number >= rows * columns)
            break;
        if (++slot == SLOTS)
            slot = 0, turn ^= 1;
        const Tile tile = tile_of(number, rows, columns);
        for (int k = 0; k < tile.steps; k++) {
            char *const at = stages + stage * STAGE;
            const u64 da = smem_desc(at + group * 64 * K_TILE * 2), db = smem_desc(at + A_BYTES);

            mbar_wait(&s.full[stage], phase);
            wgmma_fence();
#pragma unroll
            for (int kk = 0; kk < K_TILE / 16; kk++)
                Wgmma<BLOCK_N>::mma(d, da + kk * 2, db + kk * 2, k > 0 || kk > 0);
            wgmma_commit();
            wgmma_wait<0>();
            if (thread == 0)
                mbar_arrive(&s.empty[stage]);
            if (++stage == STAGES)
                stage = 0, phase ^= 1;
        }
        unsigned short *const to = c + (long long)(tile.row + group * 64 + thread / 32 * 16 + lane / 4) * n + tile.column + lane % 4 * 2;
#pragma unroll
        for (int j = 0; j < BLOCK_N / 8; j++) {
            *(u32 *)&to[j * 8] = pack_bf16(d[4 * j], d[4 * j + 1]);
            *(u32 *)&to[j * 8 + 8ll * n] = pack_bf16(d[4 * j + 2], d[4 * j + 3]);
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    trmm_tickets(const __grid_constant__ TensorMap map_l, const __grid_constant__ TensorMap map_b, unsigned short *c, unsigned *counter, int m,
                 int n)
{
    extern __shared__ __align__(1024) char smem[];
    __shared__ Shared s;
    char *const stages = smem + ((1024 - smem_u32(smem) % 1024) % 1024);
    const int rows = m / BLOCK_M, columns = n / BLOCK_N;

    if (threadIdx.x == 0) {
        for (int k = 0; k < STAGES; k++) {
            mbar_init(&s.full[k], 1);
            mbar_init(&s.empty[k], 2);
        }
        for (int k = 0; k < SLOTS; k++) {
            mbar_init(&s.given[k], 1);
            mbar_init(&s.done[k], 8);
        }
        mbar_fence_init();
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x < 32 && elect())
            produce(map_l, map_b, stages, s, counter, rows, columns);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        consume(stages, s, c, n, rows, columns);
    }
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(counter + 32, 1u) == gridDim.x - 1) // the last block sets both back
        counter[0] = counter[32] = 0;
}

extern "C" __global__ void trmm_reference(const unsigned short *l, const unsigned short *b, unsigned short *c, int m, int n)
{
    const int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;

    for (int k = 0; k < (row / 128 + 1) * 128; k++)
        sum += __uint_as_float((u32)l[(long long)row * m + k] << 16) * __uint_as_float((u32)b[(long long)col * m + k] << 16);
    c[(long long)row * n + col] = (unsigned short)pack_bf16(sum, 0.f);
}
