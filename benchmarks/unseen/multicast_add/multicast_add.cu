// out[b][i] = in[b][i] + bias[i] * scale[b]: the blocks of a cluster have a row each and copy the bias once for all.
#include "../hopper.cuh"

constexpr int TILE_BYTES = TILE * 4, PART = TILE / CLUSTER;
constexpr unsigned short ALL = (1 << CLUSTER) - 1;

__device__ __forceinline__ void fetch(float *bias_tile, float *in_tile, const float *bias, const float *row, int tile, u64 *full,
                                      u32 rank)
{
    mbar_expect_tx(full, 2 * TILE_BYTES);
    bulk_load(in_tile, row + tile * TILE, TILE_BYTES, full);
    if (CLUSTER == 1)
        bulk_load(bias_tile, bias + tile * TILE, TILE_BYTES, full);
    else
        bulk_load_multicast(bias_tile + rank * PART, bias + tile * TILE + rank * PART, PART * 4, full, ALL);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    multicast_add(float *__restrict__ out, const float *__restrict__ in, const float *__restrict__ bias,
                  const float *__restrict__ scale, int length)
{
    extern __shared__ __align__(128) float tiles[];
    __shared__ u64 full[STAGES], empty[STAGES];
    const u32 rank = CLUSTER == 1 ? 0 : cluster_rank();
    const float *row = in + (long long)blockIdx.x * length;
    float4 *to = (float4 *)(out + (long long)blockIdx.x * length);
    const float factor = scale[blockIdx.x];
    const int count = length / TILE;

    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            mbar_init(&full[s], 1);
            mbar_init(&empty[s], CLUSTER);
        }
        mbar_fence_init();
    }
    if (CLUSTER > 1)
        cluster_sync();
    else
        __syncthreads();
    if (threadIdx.x == 0)
        for (int s = 0; s < STAGES && s < count; s++)
            fetch(tiles + 2 * s * TILE, tiles + (2 * s + 1) * TILE, bias, row, s, &full[s], rank);
    for (int t = 0; t < count; t++) {
        const int s = t % STAGES, parity = t / STAGES & 1;
        const float4 *b = (const float4 *)(tiles + 2 * s * TILE), *v = (const float4 *)(tiles + (2 * s + 1) * TILE);

        mbar_wait(&full[s], parity);
        for (int i = threadIdx.x; i < TILE / 4; i += THREADS)
            to[t * (TILE / 4) + i] = make_float4(v[i].x + b[i].x * factor, v[i].y + b[i].y * factor, v[i].z + b[i].z * factor,
                                                 v[i].w + b[i].w * factor);
        __syncthreads();
        if (t + STAGES < count) {
            if (threadIdx.x < CLUSTER)
                mbar_arrive_remote(&empty[s], threadIdx.x);
            if (threadIdx.x == 0) {
                mbar_wait(&empty[s], parity);
                fetch(tiles + 2 * s * TILE, tiles + (2 * s + 1) * TILE, bias, row, t + STAGES, &full[s], rank);
            }
        }
    }
    if (CLUSTER > 1)
        cluster_sync();
}

extern "C" __global__ void multicast_add_reference(float *out, const float *in, const float *bias, const float *scale, int length)
{
    const long long at = (long long)blockIdx.y * length;

    for (int i = blockIdx.x * 256 + threadIdx.x; i < length; i += gridDim.x * 256)
        out[at + i] = in[at + i] + bias[i] * scale[blockIdx.y];
}
