// Fourier transforms of 4096 complex numbers, each in the shared memory of a block: Stockham's steps of radix
// RADIX, which need no reordering, between two halves of a buffer.
#ifndef THREADS
#define THREADS 256
#define RADIX   4
#define MUFU    0
#define WIDTH   1
#define PAD     0
#endif
#define N     4096
#define TOTAL (N + (PAD ? N / 16 : 0))

template <int width> struct complex;
template <> struct complex<1> {
    typedef float2 type;
};
template <> struct complex<2> {
    typedef float4 type;
};

union chunk {
    complex<WIDTH>::type all;
    float2 each[WIDTH];
};

__device__ __forceinline__ int place(int k)
{
    return PAD ? k + k / 16 : k;
}

__device__ __forceinline__ float2 times(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__device__ __forceinline__ void butterfly(float2 &a, float2 &b)
{
    const float2 sum = make_float2(a.x + b.x, a.y + b.y);
    b = make_float2(a.x - b.x, a.y - b.y);
    a = sum;
}

__device__ __forceinline__ float2 turned(float2 a) // by -i
{
    return make_float2(a.y, -a.x);
}

template <int radix> __device__ __forceinline__ void transform(float2 *v);

template <> __device__ __forceinline__ void transform<2>(float2 *v)
{
    butterfly(v[0], v[1]);
}

template <> __device__ __forceinline__ void transform<4>(float2 *v)
{
    butterfly(v[0], v[2]);
    butterfly(v[1], v[3]);
    v[3] = turned(v[3]);
    butterfly(v[0], v[1]);
    butterfly(v[2], v[3]);
    const float2 second = v[2];
    v[2] = v[1];
    v[1] = second;
}

template <> __device__ __forceinline__ void transform<8>(float2 *v)
{
    const float h = 0.70710678f;
    float2 even[4] = {v[0], v[2], v[4], v[6]}, odd[4] = {v[1], v[3], v[5], v[7]};
    transform<4>(even);
    transform<4>(odd);
    odd[1] = times(odd[1], make_float2(h, -h));
    odd[2] = turned(odd[2]);
    odd[3] = times(odd[3], make_float2(-h, -h));
#pragma unroll
    for (int k = 0; k < 4; k++) {
        v[k] = make_float2(even[k].x + odd[k].x, even[k].y + odd[k].y);
        v[k + 4] = make_float2(even[k].x - odd[k].x, even[k].y - odd[k].y);
    }
}

// exp(-2 pi i k / N)
__device__ __forceinline__ float2 root(int k)
{
    float2 w;
#if MUFU
    __sincosf(-6.28318531f / N * (k < N / 2 ? k : k - N), &w.y, &w.x);
#else
    sincospif(-2.0f / N * k, &w.y, &w.x);
#endif
    return w;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    fft(float2 *__restrict__ out, const float2 *__restrict__ in)
{
    extern __shared__ float2 buffer[];
    float2 *from = buffer, *to = buffer + TOTAL;
    const long long start = (long long)blockIdx.x * N;

    for (int k = threadIdx.x * WIDTH; k < N; k += THREADS * WIDTH) {
        chunk some;
        some.all = *(const complex<WIDTH>::type *)&in[start + k];
#pragma unroll
        for (int w = 0; w < WIDTH; w++)
            from[place(k + w)] = some.each[w];
    }
    __syncthreads();
#pragma unroll 1
    for (int length = 1; length < N; length *= RADIX) { // transforms of this length are done
#pragma unroll 1
        for (int j = threadIdx.x; j < N / RADIX; j += THREADS) {
            const int inner = j & length - 1;
            float2 v[RADIX];
#pragma unroll
            for (int r = 0; r < RADIX; r++) {
                v[r] = from[place(j + r * (N / RADIX))];
                if (r > 0)
                    v[r] = times(v[r], root(inner * r * (N / RADIX / length)));
            }
            transform<RADIX>(v);
#pragma unroll
            for (int r = 0; r < RADIX; r++)
                to[place((j - inner) * RADIX + inner + r * length)] = v[r];
        }
        __syncthreads();
        float2 *last = from;
        from = to;
        to = last;
    }
    for (int k = threadIdx.x * WIDTH; k < N; k += THREADS * WIDTH) {
        chunk some;
#pragma unroll
        for (int w = 0; w < WIDTH; w++)
            some.each[w] = from[place(k + w)];
        *(complex<WIDTH>::type *)&out[start + k] = some.all;
    }
}

// 4096 = 64 x 64: sums over the rows, then over the columns, as the definition says, 1024 threads a transform.
extern "C" __global__ void fft_reference(float2 *__restrict__ out, const float2 *__restrict__ in)
{
    __shared__ float2 half[64][65]; // half[n][k]: over m of in[64 m + n] exp(-2 pi i m k / 64), turned
    const long long start = (long long)blockIdx.x * N;
    for (int at = threadIdx.x; at < N; at += blockDim.x) {
        const int n = at % 64, k = at / 64;
        double x = 0, y = 0, c, s;
        for (int m = 0; m < 64; m++) {
            const float2 v = in[start + 64 * m + n];
            sincospi(-(m * k % 64) / 32.0, &s, &c);
            x += v.x * c - v.y * s;
            y += v.x * s + v.y * c;
        }
        sincospi(-(n * k) / 2048.0, &s, &c);
        half[n][k] = make_float2((float)(x * c - y * s), (float)(x * s + y * c));
    }
    __syncthreads();
    for (int at = threadIdx.x; at < N; at += blockDim.x) {
        const int k = at % 64, q = at / 64;
        double x = 0, y = 0, c, s;
        for (int n = 0; n < 64; n++) {
            sincospi(-(n * q % 64) / 32.0, &s, &c);
            x += half[n][k].x * c - half[n][k].y * s;
            y += half[n][k].x * s + half[n][k].y * c;
        }
        out[start + k + 64 * q] = make_float2((float)x, (float)y);
    }
}
