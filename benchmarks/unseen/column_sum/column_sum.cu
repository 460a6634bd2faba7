// Sums of the columns of a matrix. A block sums STRIP rows of BLOCK_X x WIDTH columns, its BLOCK_Y rows of
// threads in turns, and adds to the result.
#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 8
#define WIDTH   1
#define STRIP   256
#endif

template <int width> struct vector;
template <> struct vector<1> {
    typedef float type;
};
template <> struct vector<2> {
    typedef float2 type;
};
template <> struct vector<4> {
    typedef float4 type;
};

union columns {
    vector<WIDTH>::type all;
    float each[WIDTH];
};

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    column_sum(float *__restrict__ sums, const float *__restrict__ matrix, int rows, int pitch)
{
    __shared__ float parts[BLOCK_Y][BLOCK_X * WIDTH];
    const int column = (blockIdx.x * BLOCK_X + threadIdx.x) * WIDTH;
    const int end = min((blockIdx.y + 1) * STRIP, rows);
    columns sum = {};

    for (int row = blockIdx.y * STRIP + threadIdx.y; row < end; row += BLOCK_Y) {
        columns some;
        some.all = *(const vector<WIDTH>::type *)&matrix[(long long)row * pitch + column];
#pragma unroll
        for (int c = 0; c < WIDTH; c++)
            sum.each[c] += some.each[c];
    }
#pragma unroll
    for (int c = 0; c < WIDTH; c++)
        parts[threadIdx.y][c * BLOCK_X + threadIdx.x] = sum.each[c];
    __syncthreads();
    if (threadIdx.y > 0)
        return;
#pragma unroll
    for (int c = 0; c < WIDTH; c++) {
        float all = 0.0f;
#pragma unroll
        for (int y = 0; y < BLOCK_Y; y++)
            all += parts[y][c * BLOCK_X + threadIdx.x];
        atomicAdd(&sums[column + c], all);
    }
}

extern "C" __global__ void column_sum_reference(float *__restrict__ sums, const float *__restrict__ matrix,
                                                int rows, int pitch)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0;
    for (int row = 0; row < rows; row++)
        sum += matrix[(long long)row * pitch + column];
    sums[column] = (float)sum;
}
