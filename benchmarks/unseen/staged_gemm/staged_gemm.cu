// C = A^T B in the manner of BLAS libraries: a block computes MWG x NWG elements, KWG of the K dimension at a
// time.
#ifndef MWG
#define MWG   64
#define NWG   64
#define KWG   16
#define MDIMC 8
#define NDIMC 8
#define VWM   1
#define VWN   1
#define SA    1
#define SB    1
#define STRM  0
#endif
#define THREADS (MDIMC * NDIMC)
#define MWI     (MWG / MDIMC) // elements of a thread
#define NWI     (NWG / NDIMC)

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

// Copies KWG rows of `width` elements, `pitch` apart, to shared memory.
template <int width, int lanes>
__device__ __forceinline__ void stage(float *to, const float *__restrict__ from, int pitch, int thread)
{
    typedef typename vector<lanes>::type pack;
#pragma unroll
    for (int k = 0; k < KWG * width / lanes; k += THREADS) {
        const int at = (k + thread) * lanes;
        *(pack *)&to[at] = *(const pack *)&from[(long long)(at / width) * pitch + at % width];
    }
}

// Where the element i of a thread lies in the tile: beside each other, or vectors with a stride.
template <int dim, int per, int lanes, bool strided> __device__ __forceinline__ int place(int thread, int i)
{
    return strided ? (i / lanes * dim + thread) * lanes + i % lanes : thread * per + i;
}

template <int dim, int per, int lanes, bool strided>
__device__ __forceinline__ void fetch(float *to, const float *row, int thread)
{
    typedef typename vector<lanes>::type pack;
#pragma unroll
    for (int i = 0; i < per; i += lanes)
        *(pack *)&to[i] = *(const pack *)&row[place<dim, per, lanes, strided>(thread, i)];
}

extern "C" __global__ void __launch_bounds__(THREADS)
    staged_gemm(int m, int n, int k, float alpha, const float *__restrict__ a, const float *__restrict__ b,
                float *__restrict__ c)
{
#if SA
    __shared__ __align__(16) float left[KWG * MWG];
#endif
#if SB
    __shared__ __align__(16) float right[KWG * NWG];
#endif
    const int x = threadIdx.x, y = threadIdx.y, thread = y * MDIMC + x;
    const int row = blockIdx.x * MWG, column = blockIdx.y * NWG;
    float sum[MWI][NWI] = {};

    for (int step = 0; step < k; step += KWG) {
        const float *from = a + (long long)step * m + row, *by = b + (long long)step * n + column;
#if SA
        stage<MWG, VWM>(left, from, m, thread);
#endif
#if SB
        stage<NWG, VWN>(right, by, n, thread);
#endif
#if SA || SB
        __syncthreads();
#endif
#pragma unroll
        for (int q = 0; q < KWG; q++) {
            __align__(16) float p[MWI], r[NWI];
#if SA
            fetch<MDIMC, MWI, VWM, STRM>(p, left + q * MWG, x);
#else
            fetch<MDIMC, MWI, VWM, STRM>(p, from + (long long)q * m, x);
#endif
#if SB
            fetch<NDIMC, NWI, VWN, true>(r, right + q * NWG, y);
#else
            fetch<NDIMC, NWI, VWN, true>(r, by + (long long)q * n, y);
#endif
#pragma unroll
            for (int i = 0; i < MWI; i++)
#pragma unroll
                for (int j = 0; j < NWI; j++)
                    sum[i][j] = fmaf(p[i], r[j], sum[i][j]);
        }
#if SA || SB
        __syncthreads();
#endif
    }
#pragma unroll
    for (int j = 0; j < NWI; j++)
#pragma unroll
        for (int i = 0; i < MWI; i++)
            c[(long long)(column + place<NDIMC, NWI, VWN, true>(y, j)) * m + row +
              place<MDIMC, MWI, VWM, STRM>(x, i)] = alpha * sum[i][j];
}

extern "C" __global__ void staged_gemm_reference(int m, int n, int k, float alpha,
                                                 const float *__restrict__ a, const float *__restrict__ b,
                                                 float *__restrict__ c)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y;
    double sum = 0;
    for (int q = 0; q < k; q++)
        sum += (double)a[(long long)q * m + row] * b[(long long)q * n + column];
    c[(long long)column * m + row] = (float)(alpha * sum);
}
