// 3 x 3 convolution of each channel with a filter of its own, borders padded with zeros (NCHW).
#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 8
#define OUT_X   1
#define OUT_Y   1
#define STAGE   0
#define PLANES  1
#endif
#define TILE_X (BLOCK_X * OUT_X)
#define TILE_Y (BLOCK_Y * OUT_Y)

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    depthwise_convolution(float *__restrict__ out, const float *__restrict__ in,
                          const float *__restrict__ filters, int channels, int height, int width)
{
    const int left = blockIdx.x * TILE_X, top = blockIdx.y * TILE_Y;
#if STAGE
    __shared__ float tile[TILE_Y + 2][TILE_X + 2];
#endif
    for (int p = 0; p < PLANES; p++) {
        const int plane = blockIdx.z * PLANES + p;
        const float *image = in + (long long)plane * height * width;
        float filter[9];
#pragma unroll
        for (int k = 0; k < 9; k++)
            filter[k] = filters[plane % channels * 9 + k];
#if STAGE
        __syncthreads();
        for (int v = threadIdx.y; v < TILE_Y + 2; v += BLOCK_Y)
            for (int u = threadIdx.x; u < TILE_X + 2; u += BLOCK_X) {
                const int x = left + u - 1, y = top + v - 1;
                tile[v][u] = x >= 0 && y >= 0 && x < width && y < height ? image[y * width + x] : 0.0f;
            }
        __syncthreads();
#endif
#pragma unroll
        for (int j = 0; j < OUT_Y; j++)
#pragma unroll
            for (int i = 0; i < OUT_X; i++) {
                const int u = threadIdx.x + i * BLOCK_X, v = threadIdx.y + j * BLOCK_Y;
                float sum = 0;
#pragma unroll
                for (int dy = 0; dy < 3; dy++)
#pragma unroll
                    for (int dx = 0; dx < 3; dx++) {
#if STAGE
                        sum = fmaf(filter[dy * 3 + dx], tile[v + dy][u + dx], sum);
#else
                        const int x = left + u + dx - 1, y = top + v + dy - 1;
                        if (x >= 0 && y >= 0 && x < width && y < height)
                            sum = fmaf(filter[dy * 3 + dx], image[y * width + x], sum);
#endif
                    }
                if (left + u < width && top + v < height)
                    out[((long long)plane * height + top + v) * width + left + u] = sum;
            }
    }
}

extern "C" __global__ void depthwise_convolution_reference(float *__restrict__ out,
                                                           const float *__restrict__ in,
                                                           const float *__restrict__ filters, int channels,
                                                           int height, int width)
{
    const int x = threadIdx.x, y = blockIdx.x, plane = blockIdx.y;
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (x + dx >= 0 && y + dy >= 0 && x + dx < width && y + dy < height)
                sum += filters[plane % channels * 9 + (dy + 1) * 3 + dx + 1] *
                       in[((long long)plane * height + y + dy) * width + x + dx];
    out[((long long)plane * height + y) * width + x] = sum;
}
