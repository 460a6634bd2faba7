// Cholesky factors of many small symmetric matrices in double precision, in place, lower triangle. TPM threads share a
// matrix of DIM x DIM; a thread holds rows r, r + TPM, ... in registers or all stay in shared memory.
template <int D> struct Config {
    static constexpr int dim = D;
    static constexpr int rows = D / TPM;
};
typedef Config<DIM> C;

extern "C" __global__ void __launch_bounds__(TPM *BATCH)
    cholesky(double *__restrict__ a, int *__restrict__ info, int count)
{
    __shared__ double column[BATCH][DIM + 1];
#if !REGISTERS
    __shared__ double m[BATCH][DIM][DIM + 1];
#endif
    const int which = blockIdx.x * BATCH + threadIdx.y, r0 = threadIdx.x;
    double *mine = a + (size_t)which * DIM * DIM;
#if REGISTERS
    double row[C::rows][DIM];
#pragma unroll
    for (int k = 0; k < C::rows; k++)
#pragma unroll
        for (int j = 0; j < DIM; j++)
            row[k][j] = mine[j * DIM + k * TPM + r0];
#define AT(k, j) row[k][j]
#else
    for (int j = 0; j < DIM; j++)
#pragma unroll
        for (int k = 0; k < C::rows; k++)
            m[threadIdx.y][k * TPM + r0][j] = mine[j * DIM + k * TPM + r0];
#define AT(k, j) m[threadIdx.y][(k) * TPM + r0][j]
#endif
    int bad = 0;
#if REGISTERS
#pragma unroll
#endif
    for (int j = 0; j < DIM; j++) {
#pragma unroll
        for (int k = 0; k < C::rows; k++)
            column[threadIdx.y][k * TPM + r0] = AT(k, j);
        __syncthreads();
        const double pivot = column[threadIdx.y][j];
        if (pivot <= 0 && !bad)
            bad = j + 1;
#if ROOT == 0
        const double inverse = 1.0 / sqrt(pivot);
#else
        const double inverse = rsqrt(pivot);
#endif
#pragma unroll
        for (int k = 0; k < C::rows; k++) {
            const double l = AT(k, j) * inverse, scaled = l * inverse;
#if REGISTERS
#pragma unroll
#endif
            for (int c = j + 1; c < DIM; c++)
                AT(k, c) -= scaled * column[threadIdx.y][c];
            AT(k, j) = l;
        }
        __syncthreads();
    }
#pragma unroll
    for (int k = 0; k < C::rows; k++)
#if REGISTERS
#pragma unroll
#endif
        for (int j = 0; j < DIM; j++)
            if (j <= k * TPM + r0)
                mine[j * DIM + k * TPM + r0] = AT(k, j);
    if (r0 == 0)
        info[which] = bad;
}

extern "C" __global__ void cholesky_reference(double *a, int *info, int count)
{
    double *m = a + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * DIM * DIM;
    int bad = 0;
    for (int j = 0; j < DIM; j++) {
        double d = m[j * DIM + j];
        for (int k = 0; k < j; k++)
            d -= m[k * DIM + j] * m[k * DIM + j];
        if (d <= 0 && !bad)
            bad = j + 1;
        d = sqrt(d);
        m[j * DIM + j] = d;
        for (int i = j + 1; i < DIM; i++) {
            double s = m[j * DIM + i];
            for (int k = 0; k < j; k++)
                s -= m[k * DIM + i] * m[k * DIM + j];
            m[j * DIM + i] = s / d;
        }
    }
    info[blockIdx.x * blockDim.x + threadIdx.x] = bad;
}
