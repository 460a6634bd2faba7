// y = A x for a sparse matrix in compressed rows: the entries of row r are value[k] in column column[k] for k
// from start[r] to start[r + 1] - 1. LANES threads work on a row and add up by shuffles.
#ifndef BLOCK
#define BLOCK     256
#define LANES     32
#define UNROLL    1
#define GATHER    0
#define STREAMING 0
#endif

__device__ __forceinline__ float product(const float *__restrict__ value, const int *__restrict__ column,
                                         const float *__restrict__ x, int k)
{
    const int c = STREAMING ? __ldcs(column + k) : __ldg(column + k);
    const float v = STREAMING ? __ldcs(value + k) : __ldg(value + k);
    return v * (GATHER ? __ldcg(x + c) : __ldg(x + c));
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    spmv_csr(int rows, const int *__restrict__ start, const int *__restrict__ column,
             const float *__restrict__ value, const float *__restrict__ x, float *__restrict__ y)
{
    const long long thread = (long long)blockIdx.x * BLOCK + threadIdx.x;
    const long long row = thread / LANES;
    const int lane = thread % LANES;
    float sum[UNROLL] = {};
    if (row < rows) {
        const int end = __ldg(start + row + 1);
        int k = __ldg(start + row) + lane;
#pragma unroll 1
        for (; k + (UNROLL - 1) * LANES < end; k += UNROLL * LANES)
#pragma unroll
            for (int u = 0; u < UNROLL; u++)
                sum[u] += product(value, column, x, k + u * LANES);
#pragma unroll 1
        for (; k < end; k += LANES)
            sum[0] += product(value, column, x, k);
    }
#pragma unroll
    for (int u = 1; u < UNROLL; u++)
        sum[0] += sum[u];
#pragma unroll
    for (int d = LANES / 2; d > 0; d /= 2)
        sum[0] += __shfl_down_sync(0xffffffff, sum[0], d, LANES);
    if (row < rows && lane == 0)
        y[row] = sum[0];
}

// One thread a row, in double precision.
extern "C" __global__ void spmv_csr_reference(int rows, const int *__restrict__ start,
                                              const int *__restrict__ column, const float *__restrict__ value,
                                              const float *__restrict__ x, float *__restrict__ y)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    double sum = 0;
    for (int k = start[row]; k < start[row + 1]; k++)
        sum += (double)value[k] * x[column[k]];
    y[row] = (float)sum;
}
