// A 5 x 5 box filter, the border copied: each thread makes ROWS pixels, one below the other.
extern "C" __global__ void blur(float *out, const float *in, int width, int height)
{
    const int x = blockIdx.x * BLOCK_X + threadIdx.x;
    const int first = (blockIdx.y * BLOCK_Y + threadIdx.y) * ROWS;

    if (x >= width)
        return;
#pragma unroll
    for (int y = first; y < first + ROWS; y++) {
        float sum = 0;

        if (y >= height)
            return;
        if (x < 2 || x >= width - 2 || y < 2 || y >= height - 2) {
            out[y * width + x] = in[y * width + x];
            continue;
        }
        for (int dy = -2; dy <= 2; dy++)
            for (int dx = -2; dx <= 2; dx++)
                sum += in[(y + dy) * width + x + dx];
        out[y * width + x] = sum / 25;
    }
}
