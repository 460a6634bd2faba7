// Monte Carlo price of arithmetic Asian calls: Philox4x32-10 and Box-Muller in place, a path per thread and turn.
struct Philox {
    uint4 counter;
    uint2 key;
};

static __device__ __forceinline__ uint4 philox_round(uint4 c, uint2 k)
{
#if WIDE
    const unsigned long long p0 = 0xD2511F53ull * c.x, p1 = 0xCD9E8D57ull * c.z;
    const unsigned hi0 = (unsigned)(p0 >> 32), lo0 = (unsigned)p0, hi1 = (unsigned)(p1 >> 32), lo1 = (unsigned)p1;
#else
    const unsigned hi0 = __umulhi(0xD2511F53u, c.x), lo0 = 0xD2511F53u * c.x;
    const unsigned hi1 = __umulhi(0xCD9E8D57u, c.z), lo1 = 0xCD9E8D57u * c.z;
#endif
    return make_uint4(hi1 ^ c.y ^ k.x, lo1, hi0 ^ c.w ^ k.y, lo0);
}

static __device__ __forceinline__ uint4 philox(Philox s)
{
#pragma unroll
    for (int r = 0; r < 10; r++) {
        s.counter = philox_round(s.counter, s.key);
        s.key.x += 0x9E3779B9u;
        s.key.y += 0xBB67AE85u;
    }
    return s.counter;
}

static __device__ __forceinline__ float2 box_muller(unsigned a, unsigned b)
{
    const float u = fmaf(a, 2.3283064e-10f, 1.1641532e-10f), v = b * 1.4629180e-9f;
#if INTRINSICS
    const float r = sqrtf(-2.0f * __logf(u));
    return make_float2(r * __cosf(v), r * __sinf(v));
#else
    float s, c;
    const float r = sqrtf(-2.0f * logf(u));
    sincosf(v, &s, &c);
    return make_float2(r * c, r * s);
#endif
}

struct Option {
    float spot, strike, drift, volatility; // of a step
};

extern "C" __global__ void __launch_bounds__(THREADS)
    asian_option(float *__restrict__ payoff, Option option, int steps, int paths, unsigned seed)
{
    __shared__ float sums[THREADS / 32];
    const int id = blockIdx.x * THREADS + threadIdx.x, each = gridDim.x * THREADS;
    float total = 0;

    for (int path = id; path < paths; path += each * ILP) {
        float logs[ILP], mean[ILP];
#pragma unroll
        for (int p = 0; p < ILP; p++)
            logs[p] = 0, mean[p] = 0;
        for (int s = 0; s < steps; s += 4) {
#pragma unroll
            for (int p = 0; p < ILP; p++) {
                const uint4 bits = philox({make_uint4(path + p * each, s, 0, 0), make_uint2(seed, 0)});
                const float2 a = box_muller(bits.x, bits.y), b = box_muller(bits.z, bits.w);
                const float z[4] = {a.x, a.y, b.x, b.y};
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    logs[p] += fmaf(option.volatility, z[j], option.drift);
#if INTRINSICS
                    mean[p] += __expf(logs[p]);
#else
                    mean[p] += expf(logs[p]);
#endif
                }
            }
        }
#pragma unroll
        for (int p = 0; p < ILP; p++)
            total += fmaxf(option.spot * mean[p] / steps - option.strike, 0.0f);
    }
#pragma unroll
    for (int mask = 16; mask; mask >>= 1)
        total += __shfl_xor_sync(0xffffffffu, total, mask);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = total;
    __syncthreads();
    if (threadIdx.x == 0) {
#pragma unroll
        for (int w = 1; w < THREADS / 32; w++)
            total += sums[w];
        atomicAdd(payoff, total / paths);
    }
}

extern "C" __global__ void asian_reference(float *payoff, Option option, int steps, int paths, unsigned seed)
{
    const int path = blockIdx.x * blockDim.x + threadIdx.x;
    double log = 0, mean = 0;
    for (int s = 0; s < steps; s += 4) {
        const uint4 bits = philox({make_uint4(path, s, 0, 0), make_uint2(seed, 0)});
        const unsigned u[4] = {bits.x, bits.y, bits.z, bits.w};
        for (int j = 0; j < 4; j++) {
            const float r = sqrtf(-2.0f * logf(fmaf(u[j & 2], 2.3283064e-10f, 1.1641532e-10f)));
            const float angle = u[j | 1] * 1.4629180e-9f;
            log += option.volatility * (j & 1 ? r * sinf(angle) : r * cosf(angle)) + option.drift;
            mean += exp(log);
        }
    }
    atomicAdd(payoff, (float)(fmax(option.spot * mean / steps - option.strike, 0.0) / paths));
}
