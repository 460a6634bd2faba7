// y = A x, the entries of A in columns of a padded table (ELL); a row ends where its length says.
#ifndef THREADS
#define THREADS 128
#define LANES   1
#define UNROLL  1
#define HINT    0
#define PADDED  0
#endif

// The values of HINT: how entries and columns are loaded.
#define HINT_NONE      0
#define HINT_STREAMING 1
#define HINT_NO_L1     2

template <typename type> __device__ __forceinline__ type read(const type *from)
{
#if HINT == HINT_STREAMING
    return __ldcs(from);
#elif HINT == HINT_NO_L1
    return __ldcg(from);
#else
    return *from;
#endif
}

extern "C" __global__ void __launch_bounds__(THREADS)
    spmv_ell(int rows, int widest, const unsigned char *__restrict__ length, const int *__restrict__ column,
             const float *__restrict__ value, const float *__restrict__ x, float *__restrict__ y)
{
    __shared__ float parts[THREADS];
    const int row = blockIdx.x * (THREADS / LANES) + threadIdx.x % (THREADS / LANES),
              lane = threadIdx.x / (THREADS / LANES);
    // with PADDED the zeros at the end are computed too, and no length is read
    const int entries = row >= rows ? 0 : PADDED ? widest : length[row];
    float sum = 0;
#pragma unroll UNROLL
    for (int k = lane; k < entries; k += LANES)
        sum = fmaf(read(&value[k * rows + row]), x[read(&column[k * rows + row])], sum);
#if LANES > 1
    parts[threadIdx.x] = sum;
    __syncthreads();
    if (lane > 0)
        return;
    sum = 0;
#pragma unroll
    for (int l = 0; l < LANES; l++)
        sum += parts[l * (THREADS / LANES) + threadIdx.x];
#endif
    if (row < rows)
        y[row] = sum;
}

extern "C" __global__ void spmv_ell_reference(int rows, int widest, const unsigned char *__restrict__ length,
                                              const int *__restrict__ column, const float *__restrict__ value,
                                              const float *__restrict__ x, float *__restrict__ y)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0;
    if (row >= rows)
        return;
    for (int k = 0; k < length[row]; k++)
        sum += (double)value[k * rows + row] * x[column[k * rows + row]];
    y[row] = (float)sum;
}
