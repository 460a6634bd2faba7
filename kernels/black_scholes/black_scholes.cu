// European options by Black and Scholes: from price, strike and years to expiry the values of call and put. A
// thread computes ITEMS vectors of VECTOR options, one block's width apart. The pointers are aligned to 16
// bytes; n is any; price, strike and years are positive.
#ifndef BLOCK
#define BLOCK  256
#define VECTOR 1
#define ITEMS  1
#define NORMAL 0
#define CACHE  0
#endif

// The values of NORMAL: how the cumulative normal distribution is computed.
#define NORMAL_ERROR_FUNCTION 0
#define NORMAL_POLYNOMIAL     1 // Abramowitz and Stegun 26.2.17, absolute error below 7.5e-8

template <int WIDTH> struct vector;
template <> struct vector<1> {
    typedef float type;
};
template <> struct vector<2> {
    typedef float2 type;
};
template <> struct vector<4> {
    typedef float4 type;
};
typedef vector<VECTOR>::type floats;

union elements {
    floats all;
    float each[VECTOR];
};

__device__ __forceinline__ float cumulative_normal(float x)
{
    if (NORMAL == NORMAL_ERROR_FUNCTION)
        return 0.5f * erfcf(-0.70710678f * x);
    const float k = 1.0f / (1.0f + 0.2316419f * fabsf(x));
    const float series =
        k *
        (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    const float tail = 0.39894228f * expf(-0.5f * x * x) * series;
    return x > 0.0f ? 1.0f - tail : tail;
}

__device__ __forceinline__ void value(float price, float strike, float years, float rate, float volatility,
                                      float *call, float *put)
{
    const float spread = volatility * sqrtf(years);
    const float d1 = (logf(price / strike) + (rate + 0.5f * volatility * volatility) * years) / spread;
    const float in_money = cumulative_normal(d1), exercised = cumulative_normal(d1 - spread);
    const float discounted = strike * expf(-rate * years);
    *call = price * in_money - discounted * exercised;
    *put = discounted * (1.0f - exercised) - price * (1.0f - in_money);
}

__device__ __forceinline__ floats load(const float *from, int k)
{
    const floats *at = (const floats *)from + threadIdx.x + k * BLOCK;
    return CACHE ? __ldcs(at) : __ldg(at);
}

__device__ __forceinline__ void store(float *to, int k, floats result)
{
    floats *at = (floats *)to + threadIdx.x + k * BLOCK;
    if (CACHE)
        __stcs(at, result);
    else
        *at = result;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    black_scholes(int n, float rate, float volatility, const float *__restrict__ price,
                  const float *__restrict__ strike, const float *__restrict__ years, float *__restrict__ call,
                  float *__restrict__ put)
{
    constexpr int PER_BLOCK = BLOCK * ITEMS * VECTOR;
    const long long first = (long long)blockIdx.x * PER_BLOCK;
    if (first + PER_BLOCK <= n) {
        elements s[ITEMS], x[ITEMS], t[ITEMS];
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            s[k].all = load(price + first, k);
            x[k].all = load(strike + first, k);
            t[k].all = load(years + first, k);
        }
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            elements c, p;
#pragma unroll
            for (int v = 0; v < VECTOR; v++)
                value(s[k].each[v], x[k].each[v], t[k].each[v], rate, volatility, &c.each[v], &p.each[v]);
            store(call + first, k, c.all);
            store(put + first, k, p.all);
        }
        return;
    }
    for (long long i = first + threadIdx.x; i < n; i += BLOCK) // the last block, where it is not full
        value(price[i], strike[i], years[i], rate, volatility, &call[i], &put[i]);
}

// The same in double precision.
extern "C" __global__ void black_scholes_reference(int n, float rate, float volatility,
                                                   const float *__restrict__ price,
                                                   const float *__restrict__ strike,
                                                   const float *__restrict__ years, float *__restrict__ call,
                                                   float *__restrict__ put)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const double s = price[i], x = strike[i], t = years[i], r = rate, v = volatility;
    const double d1 = (log(s / x) + (r + 0.5 * v * v) * t) / (v * sqrt(t)), d2 = d1 - v * sqrt(t);
    const double n1 = 0.5 * erfc(-d1 * 0.7071067811865476), n2 = 0.5 * erfc(-d2 * 0.7071067811865476);
    call[i] = (float)(s * n1 - x * exp(-r * t) * n2);
    put[i] = (float)(x * exp(-r * t) * (1.0 - n2) - s * (1.0 - n1));
}
