// Largest magnitudes of rows of unequal length: blocks take rows from a counter, one thread tells the others through shared memory; pieces of a
// row come by bulk copies into a ring.
#include "../hopper.cuh"

constexpr int PIECE = PIECE_BYTES / 4;

// Floats of a row: a multiple of the largest piece.
__device__ __forceinline__ int length_of(int row, int length)
{
    return (1 + (int)((row * 2654435761u) >> 8) % (length / 2048)) * 2048;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    ragged_bulk(float *__restrict__ out, const float *__restrict__ in, unsigned *counter, int rows, int length)
{
    extern __shared__ __align__(128) float ring[];
    __shared__ u64 full[STAGES];
    __shared__ float partial[THREADS / 32];
    __shared__ int taken;
    u32 filled = 0; // pieces consumed so far by the block: stage and parity follow from it

    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++)
            mbar_init(&full[s], 1);
        mbar_fence_init();
    }
    while (true) {
        if (threadIdx.x == 0)
            taken = atomicAdd(counter, 1u);
        __syncthreads();
        const int row = taken;
        if (row >= rows)
            break;
        const int count = length_of(row, length) / PIECE;
        const float *from = in + (long long)row * length;
        float most = 0;

        if (threadIdx.x == 0)
            for (int p = 0; p < STAGES && p < count; p++) {
                const int s = (filled + p) % STAGES;

                mbar_expect_tx(&full[s], PIECE_BYTES);
                bulk_load(ring + s * PIECE, from + p * PIECE, PIECE_BYTES, &full[s]);
            }
        for (int p = 0; p < count; p++, filled++) {
            const int s = filled % STAGES;
            const float4 *data = (const float4 *)(ring + s * PIECE);

            mbar_wait(&full[s], filled / STAGES & 1);
            for (int i = threadIdx.x; i < PIECE / 4; i += THREADS) {
                const float4 v = data[i];

                most = fmaxf(most, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w))));
            }
            __syncthreads();
            if (threadIdx.x == 0 && p + STAGES < count) {
                mbar_expect_tx(&full[s], PIECE_BYTES);
                bulk_load(ring + s * PIECE, from + (p + STAGES) * PIECE, PIECE_BYTES, &full[s]);
            }
        }
        for (int d = 16; d; d /= 2)
            most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
        if (threadIdx.x % 32 == 0)
            partial[threadIdx.x / 32] = most;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int w = 1; w < THREADS / 32; w++)
                most = fmaxf(most, partial[w]);
            out[row] = most;
        }
    }
    if (threadIdx.x == 0 && atomicAdd(counter + 32, 1u) == gridDim.x - 1)
        counter[0] = counter[32] = 0;
}

extern "C" __global__ void ragged_reference(float *out, const float *in, int rows, int length)
{
    __shared__ float partial[256];
    const int row = blockIdx.x, count = length_of(row, length);
    float most = 0;

    for (int i = threadIdx.x; i < count; i += 256)
        most = fmaxf(most, fabsf(in[(long long)row * length + i]));
    partial[threadIdx.x] = most;
    __syncthreads();
    for (int d = 128; d; d /= 2) {
        if (threadIdx.x < d)
            partial[threadIdx.x] = fmaxf(partial[threadIdx.x], partial[threadIdx.x + d]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[row] = partial[0];
}
