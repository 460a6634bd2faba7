// Quantised GEMM: int8 activations (row major) times int8 weights (stored transposed), int32 accumulators by
// __dp4a, a scale per row of weights and a zero point, requantised to int8.
typedef signed char i8;

#define THREADS_X (TILE_N / PER_N)
#define THREADS_Y (TILE_M / PER_M)
#define NTHREADS  (THREADS_X * THREADS_Y)
#define WORDS     (TILE_K / 4)
#define LINE      (WORDS + PAD)

static __device__ __forceinline__ i8 requantise(int sum, float scale, int zero)
{
    int q = __float2int_rn(sum * scale) + zero;
    return (i8)(q > 127 ? 127 : q < -128 ? -128 : q);
}

#if VEC == 4
typedef int4 vec_t;
#elif VEC == 2
typedef int2 vec_t;
#else
typedef int vec_t;
#endif

extern "C" __global__ void __launch_bounds__(NTHREADS)
igemm(const i8 *__restrict__ act, const i8 *__restrict__ wgt, const float *__restrict__ scale,
      i8 *__restrict__ out, int M, int N, int K, int zero)
{
    __shared__ __align__(16) int sa[TILE_M][LINE];
    __shared__ __align__(16) int sb[TILE_N][LINE];
    const int tid = threadIdx.y * THREADS_X + threadIdx.x;
    const int row0 = blockIdx.y * TILE_M, col0 = blockIdx.x * TILE_N;

    int acc[PER_M][PER_N];
#pragma unroll
    for (int i = 0; i < PER_M; i++)
#pragma unroll
        for (int j = 0; j < PER_N; j++)
            acc[i][j] = 0;

    for (int k0 = 0; k0 < K; k0 += TILE_K) {
#pragma unroll
        for (int v = tid; v < TILE_M * WORDS / VEC; v += NTHREADS) {
            const int r = v / (WORDS / VEC), c = v % (WORDS / VEC);
            const vec_t x = *(const vec_t *)(act + (size_t)(row0 + r) * K + k0 + c * VEC * 4);
#pragma unroll
            for (int e = 0; e < VEC; e++)
                sa[r][c * VEC + e] = ((const int *)&x)[e];
        }
#pragma unroll
        for (int v = tid; v < TILE_N * WORDS / VEC; v += NTHREADS) {
            const int r = v / (WORDS / VEC), c = v % (WORDS / VEC);
            const vec_t x = *(const vec_t *)(wgt + (size_t)(col0 + r) * K + k0 + c * VEC * 4);
#pragma unroll
            for (int e = 0; e < VEC; e++)
                sb[r][c * VEC + e] = ((const int *)&x)[e];
        }
        __syncthreads();
#pragma unroll UNROLL
        for (int k = 0; k < WORDS; k++) {
            int a[PER_M], b[PER_N];
#pragma unroll
            for (int i = 0; i < PER_M; i++)
                a[i] = sa[threadIdx.y + i * THREADS_Y][k];
#pragma unroll
            for (int j = 0; j < PER_N; j++)
                b[j] = sb[threadIdx.x + j * THREADS_X][k];
#pragma unroll
            for (int i = 0; i < PER_M; i++)
#pragma unroll
                for (int j = 0; j < PER_N; j++)
                    acc[i][j] = __dp4a(a[i], b[j], acc[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < PER_M; i++)
#pragma unroll
        for (int j = 0; j < PER_N; j++) {
            const int r = row0 + threadIdx.y + i * THREADS_Y, c = col0 + threadIdx.x + j * THREADS_X;
            out[(size_t)r * N + c] = requantise(acc[i][j], scale[c], zero);
        }
}

extern "C" __global__ void igemm_reference(const i8 *act, const i8 *wgt, const float *scale, i8 *out, int M, int N,
                                           int K, int zero)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    int sum = 0;
    for (int k = 0; k < K; k++)
        sum += act[(size_t)r * K + k] * wgt[(size_t)c * K + k];
    out[(size_t)r * N + c] = requantise(sum, scale[c], zero);
}
