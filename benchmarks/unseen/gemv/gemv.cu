// y = A x: `lanes` threads share a row of A, or `per` rows.
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

template <int width> union pack {
    typename vector<width>::type all;
    float each[width];
};

template <int threads, int lanes, int per, int width>
__global__ void __launch_bounds__(threads) gemv(float *__restrict__ y, const float *__restrict__ a,
                                                const float *__restrict__ x, int rows, int columns)
{
    typedef pack<width> floats;
    const int lane = threadIdx.x % lanes, row = (blockIdx.x * (threads / lanes) + threadIdx.x / lanes) * per;
    float sum[per] = {};
#pragma unroll 2
    for (int k = lane * width; k < columns; k += lanes * width) {
        floats by, from[per];
        by.all = *(const typename vector<width>::type *)&x[k];
#pragma unroll
        for (int r = 0; r < per; r++)
            from[r].all = *(const typename vector<width>::type *)&a[(long long)(row + r) * columns + k];
#pragma unroll
        for (int r = 0; r < per; r++)
#pragma unroll
            for (int w = 0; w < width; w++)
                sum[r] = fmaf(from[r].each[w], by.each[w], sum[r]);
    }
    __shared__ float parts[threads / 32 + 1][per];
#pragma unroll
    for (int r = 0; r < per; r++) {
#pragma unroll
        for (int d = (lanes < 32 ? lanes : 32) / 2; d > 0; d /= 2)
            sum[r] += __shfl_xor_sync(0xffffffff, sum[r], d);
        if (lanes > 32 && threadIdx.x % 32 == 0)
            parts[threadIdx.x / 32][r] = sum[r];
    }
    if (lanes > 32)
        __syncthreads();
    if (lane >= per)
        return;
    float all = 0;
    if (lanes > 32) {
        for (int w = 0; w < lanes / 32; w++)
            all += parts[threadIdx.x / 32 + w][lane];
    } else {
#pragma unroll
        for (int r = 0; r < per; r++)
            all = lane == r ? sum[r] : all;
    }
    y[row + lane] = all;
}

extern "C" __global__ void gemv_reference(float *__restrict__ y, const float *__restrict__ a,
                                          const float *__restrict__ x, int rows, int columns)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0;
    for (int k = 0; k < columns; k++)
        sum += (double)a[(long long)row * columns + k] * x[k];
    y[row] = (float)sum;
}
