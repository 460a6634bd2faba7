// Sums of rows of a table that lists of indices choose: 64 floats a row, 32 indices a list. 64 / WIDTH
// neighbouring threads work on a list, each on WIDTH columns.
#ifndef THREADS
#define THREADS   256
#define WIDTH     1
#define UNROLL    1
#define STREAMING 0
#endif
#define COLUMNS 64
#define LENGTH  32
#define LANES   (COLUMNS / WIDTH)

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
typedef vector<WIDTH>::type floats;

union columns {
    floats all;
    float each[WIDTH];
};

extern "C" __global__ void __launch_bounds__(THREADS)
    embedding_bag(float *__restrict__ out, const float *__restrict__ table, const int *__restrict__ index,
                  int bags)
{
    const int thread = blockIdx.x * THREADS + threadIdx.x, bag = thread / LANES, lane = thread % LANES;
    columns sum = {};
    if (bag >= bags)
        return;
#pragma unroll UNROLL
    for (int k = 0; k < LENGTH; k++) {
        const floats *row = (const floats *)(table + (long long)index[bag * LENGTH + k] * COLUMNS) + lane;
        columns some;
        some.all = STREAMING ? __ldcs(row) : __ldg(row);
#pragma unroll
        for (int c = 0; c < WIDTH; c++)
            sum.each[c] += some.each[c];
    }
    ((floats *)out)[(long long)bag * LANES + lane] = sum.all;
}

extern "C" __global__ void embedding_bag_reference(float *__restrict__ out, const float *__restrict__ table,
                                                   const int *__restrict__ index, int bags)
{
    const int bag = blockIdx.x;
    double sum = 0;
    for (int k = 0; k < LENGTH; k++)
        sum += table[(long long)index[bag * LENGTH + k] * COLUMNS + threadIdx.x];
    out[(long long)bag * COLUMNS + threadIdx.x] = (float)sum;
}
