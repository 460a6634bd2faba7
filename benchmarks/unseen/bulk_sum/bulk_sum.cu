// Sums of rows: a ring of stages that bulk copies fill, one elected thread ahead of all.
#include "../hopper.cuh"

constexpr int STAGE_FLOATS = STAGE_BYTES / 4;

extern "C" __global__ void __launch_bounds__(THREADS) bulk_sum(float *__restrict__ sums, const float *__restrict__ rows, int length)
{
    extern __shared__ __align__(128) float ring[];
    __shared__ u64 full[STAGES], empty[STAGES];
    __shared__ float partial[THREADS / 32];
    const float *row = rows + (long long)blockIdx.x * length;
    const int steps = length / STAGE_FLOATS;
    float sum = 0;

    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            mbar_init(&full[s], 1);
            mbar_init(&empty[s], THREADS / 32);
        }
        mbar_fence_init();
    }
    __syncthreads();
    if (threadIdx.x == 0)
        for (int s = 0; s < STAGES && s < steps; s++) {
            mbar_expect_tx(&full[s], STAGE_BYTES);
            bulk_load(ring + s * STAGE_FLOATS, row + s * STAGE_FLOATS, STAGE_BYTES, &full[s]);
        }
    for (int step = 0; step < steps; step++) {
        const int s = step % STAGES, parity = step / STAGES & 1;
        const float4 *data = (const float4 *)(ring + s * STAGE_FLOATS);

        mbar_wait(&full[s], parity);
#pragma unroll 4
        for (int i = threadIdx.x; i < STAGE_FLOATS / 4; i += THREADS) {
            const float4 v = data[i];

            sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
        }
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            mbar_arrive(&empty[s]);
        if (threadIdx.x == 0 && step + STAGES < steps) {
            mbar_wait(&empty[s], parity);
            mbar_expect_tx(&full[s], STAGE_BYTES);
            bulk_load(ring + s * STAGE_FLOATS, row + (long long)(step + STAGES) * STAGE_FLOATS, STAGE_BYTES, &full[s]);
        }
    }
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < THREADS / 32; w++)
            sum += partial[w];
        sums[blockIdx.x] = sum;
    }
}

extern "C" __global__ void bulk_sum_reference(float *sums, const float *rows, int length)
{
    __shared__ float partial[256];
    float sum = 0;

    for (int i = threadIdx.x; i < length; i += 256) {
        const float v = rows[(long long)blockIdx.x * length + i];

        sum += v * v;
    }
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int d = 128; d; d /= 2) {
        if (threadIdx.x < d)
            partial[threadIdx.x] += partial[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = partial[0];
}
