// Radio signals that arrive the later the lower their frequency: for each trial of the dispersion, the sum
// over the channels of samples shifted by the channel's delay.
#ifndef BLOCK_X
#define BLOCK_X  32
#define BLOCK_Y  4
#define TILE_X   1
#define TILE_Y   1
#define STRIDE_X 1
#define UNROLL   1
#endif
#define CHANNELS 256

__constant__ float delay[CHANNELS]; // samples a trial step

// Sample i of a thread: BLOCK_X apart or beside each other.
__device__ __forceinline__ int sample(int i)
{
    return STRIDE_X ? threadIdx.x + i * BLOCK_X : threadIdx.x * TILE_X + i;
}

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    dedispersion(float *__restrict__ out, const unsigned char *__restrict__ in, int pitch, int samples)
{
    const int start = blockIdx.x * BLOCK_X * TILE_X, trial = blockIdx.y * BLOCK_Y * TILE_Y + threadIdx.y;
    unsigned sum[TILE_Y][TILE_X] = {};
#pragma unroll UNROLL
    for (int channel = 0; channel < CHANNELS; channel++) {
        const unsigned char *row = in + channel * pitch + start;
#pragma unroll
        for (int j = 0; j < TILE_Y; j++) {
            const int shift = (int)(delay[channel] * (trial + j * BLOCK_Y));
#pragma unroll
            for (int i = 0; i < TILE_X; i++)
                sum[j][i] += row[sample(i) + shift];
        }
    }
#pragma unroll
    for (int j = 0; j < TILE_Y; j++)
#pragma unroll
        for (int i = 0; i < TILE_X; i++)
            out[(trial + j * BLOCK_Y) * samples + start + sample(i)] = sum[j][i];
}

extern "C" __global__ void
dedispersion_reference(float *__restrict__ out, const unsigned char *__restrict__ in, int pitch, int samples)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, trial = blockIdx.y;
    float sum = 0;
    for (int channel = 0; channel < CHANNELS; channel++)
        sum += in[channel * pitch + x + (int)(delay[channel] * trial)];
    out[trial * samples + x] = sum;
}
