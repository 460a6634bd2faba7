// Number-theoretic transforms of 4096 points modulo 2^64 - 2^32 + 1, in shared memory, as zero-knowledge provers and
// homomorphic encryption run them by the thousand. RADIX 2 or 4, decimation in frequency, output in reversed order.
using u64 = unsigned long long;

constexpr u64 P = 0xffffffff00000001ull;
constexpr u64 EPS = 0xffffffffull;
constexpr int LOG = 12, N = 1 << LOG;

__device__ __forceinline__ u64 add_mod(u64 a, u64 b)
{
    const u64 s = a + b;
    return s + (s < a || s >= P ? EPS : 0);
}

__device__ __forceinline__ u64 sub_mod(u64 a, u64 b)
{
    const u64 d = a - b;
    return d - (a < b ? EPS : 0);
}

__device__ __forceinline__ u64 mul_mod(u64 a, u64 b)
{
#if PTX
    u64 lo, hi;
    asm("mul.lo.u64 %0, %2, %3;\n\tmul.hi.u64 %1, %2, %3;" : "=l"(lo), "=l"(hi) : "l"(a), "l"(b));
#else
    const u64 lo = a * b, hi = __umul64hi(a, b);
#endif
    const u64 top = hi >> 32, low = hi & EPS;
    u64 t = lo - top;
    if (lo < top)
        t -= EPS;
    const u64 m = (low << 32) - low;
    const u64 r = t + m;
    return r < t || r >= P ? r + EPS : r;
}

// x * 2^48, a square root of -1.
__device__ __forceinline__ u64 quarter_turn(u64 x) { return mul_mod(x, 1ull << 48); }

extern "C" __global__ void __launch_bounds__(THREADS)
    ntt(u64 *__restrict__ data, const u64 *__restrict__ roots)
{
    extern __shared__ u64 s[];
#if TABLE
    u64 *twiddle = s + N;
    for (int i = threadIdx.x; i < N / 2 * (RADIX == 4 ? 2 : 1); i += THREADS)
        twiddle[i] = roots[i];
#else
    const u64 *__restrict__ twiddle = roots;
#endif
    u64 *mine = data + (size_t)blockIdx.x * N;
    for (int i = threadIdx.x; i < N; i += THREADS)
        s[i] = mine[i];
    __syncthreads();

#if RADIX == 4
#pragma unroll
    for (int log = LOG - 2; log >= 0; log -= 2) {
        const int h = 1 << log;
#pragma unroll ITEMS
        for (int i = threadIdx.x; i < N / 4; i += THREADS) {
            const int j = i & (h - 1), at = (i >> log << (log + 2)) + j, w = j << (LOG - 2 - log);
            const u64 a = s[at], b = s[at + h], c = s[at + 2 * h], d = s[at + 3 * h];
            const u64 ac = add_mod(a, c), bd = add_mod(b, d), amc = sub_mod(a, c);
            const u64 bmd = quarter_turn(sub_mod(b, d));
            s[at] = add_mod(ac, bd);
            s[at + h] = mul_mod(sub_mod(ac, bd), twiddle[2 * w]);
            s[at + 2 * h] = mul_mod(add_mod(amc, bmd), twiddle[w]);
            s[at + 3 * h] = mul_mod(sub_mod(amc, bmd), twiddle[3 * w]);
        }
        __syncthreads();
    }
#else
#pragma unroll
    for (int log = LOG - 1; log >= 0; log--) {
        const int h = 1 << log;
#pragma unroll ITEMS
        for (int i = threadIdx.x; i < N / 2; i += THREADS) {
            const int j = i & (h - 1), at = (i >> log << (log + 1)) + j;
            const u64 a = s[at], b = s[at + h];
            s[at] = add_mod(a, b);
            s[at + h] = mul_mod(sub_mod(a, b), twiddle[j << (LOG - 1 - log)]);
        }
        __syncthreads();
    }
#endif
    for (int i = threadIdx.x; i < N; i += THREADS)
        mine[i] = s[i];
}

// Textbook radix 2 in global memory, a block a transform.
extern "C" __global__ void ntt_reference(u64 *data, const u64 *roots)
{
    u64 *mine = data + (size_t)blockIdx.x * N;
    for (int log = LOG - 1; log >= 0; log--) {
        for (int i = threadIdx.x; i < N / 2; i += blockDim.x) {
            const int j = i & ((1 << log) - 1), at = (i >> log << (log + 1)) + j;
            const u64 a = mine[at], b = mine[at + (1 << log)];
            mine[at] = add_mod(a, b);
            mine[at + (1 << log)] = mul_mod(sub_mod(a, b), roots[j << (LOG - 1 - log)]);
        }
        __syncthreads();
    }
}
