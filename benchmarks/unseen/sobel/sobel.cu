// Sobel's edges of a grey image: |gx| + |gy|, bytes in and out. A thread computes WIDTH neighbouring pixels of
// ROWS rows, walking down with three rows in registers; the image's border stays black.
#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 4
#define WIDTH   4
#define ROWS    1
#endif

template <int width> struct bytes;
template <> struct bytes<1> {
    typedef unsigned char type;
};
template <> struct bytes<4> {
    typedef uchar4 type;
};
template <> struct bytes<8> {
    typedef uint2 type;
};
template <> struct bytes<16> {
    typedef uint4 type;
};

union pixels {
    bytes<WIDTH>::type all;
    unsigned char each[WIDTH];
};

struct line {
    int at[WIDTH + 2];
};

__device__ __forceinline__ line load(const unsigned char *__restrict__ row, int x, int width)
{
    pixels some;
    line l;
    some.all = *(const bytes<WIDTH>::type *)(row + x);
    l.at[0] = x > 0 ? row[x - 1] : 0;
    l.at[WIDTH + 1] = x + WIDTH < width ? row[x + WIDTH] : 0;
#pragma unroll
    for (int k = 0; k < WIDTH; k++)
        l.at[k + 1] = some.each[k];
    return l;
}

// width is a multiple of WIDTH.
extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    sobel(unsigned char *__restrict__ out, const unsigned char *__restrict__ in, int width, int height)
{
    const int x = (blockIdx.x * BLOCK_X + threadIdx.x) * WIDTH;
    const int first = (blockIdx.y * BLOCK_Y + threadIdx.y) * ROWS;
    if (x >= width || first >= height)
        return;
    line above = load(in + (long long)max(first - 1, 0) * width, x, width);
    line here = load(in + (long long)first * width, x, width);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int y = first + r;
        if (y >= height)
            return;
        const line below = load(in + (long long)min(y + 1, height - 1) * width, x, width);
        pixels result;
#pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            const int gx = above.at[k + 2] + 2 * here.at[k + 2] + below.at[k + 2] -
                           (above.at[k] + 2 * here.at[k] + below.at[k]);
            const int gy = below.at[k] + 2 * below.at[k + 1] + below.at[k + 2] -
                           (above.at[k] + 2 * above.at[k + 1] + above.at[k + 2]);
            const bool border = x + k == 0 || x + k == width - 1 || y == 0 || y == height - 1;
            result.each[k] = border ? 0 : min(abs(gx) + abs(gy), 255);
        }
        *(bytes<WIDTH>::type *)(out + (long long)y * width + x) = result.all;
        above = here;
        here = below;
    }
}
