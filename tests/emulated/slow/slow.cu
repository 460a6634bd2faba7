// Kernels that take long to execute one instruction at a time, one for each KIND: see spec.json.
#define SPIN 0
#define LOCK 1
#define DATA_LOOP 2
#define RECURSION 3
#define SCATTER 4
#define LOCAL_ARRAY 5
#define GATHER 6
#define LOCAL_NEST 7
#define FEW_BLOCKS 8
#define LONG_WAY 9
#define LONG_FIRST 10
#define LONG_MEETS 11
#define LOADED_TURNS 12
#define ODD_TURNS 13

__device__ __noinline__ unsigned fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

// What a thread takes in: `i` of `n` threads with its value.
#define THREAD                                                                                                    \
    const unsigned *in, unsigned *out, volatile unsigned *flag, unsigned rounds, unsigned i, unsigned n, unsigned v

#if KIND == SPIN
static __device__ unsigned work(THREAD)
{
    while (*flag == 0)
        v++;
    return v;
}
#elif KIND == LOCK
static __device__ unsigned work(THREAD)
{
    for (bool done = false; !done;)
        if (atomicCAS((unsigned *)flag, 0, 1) == 0) {
            out[0]++;
            done = true;
            __threadfence();
            atomicExch((unsigned *)flag, 0);
        }
    return v;
}
#elif KIND == DATA_LOOP
static __device__ unsigned work(THREAD)
{
    for (unsigned k = 0; k < 1000 * rounds && v % 4099 != 17; k++)
        v = v * 1664525 + 1013904223 + (v & 1 ? in[v % n] : k);
    return v;
}
#elif KIND == RECURSION
static __device__ unsigned work(THREAD)
{
    return fibonacci(20 + v % 8);
}
#elif KIND == SCATTER
static __device__ unsigned work(THREAD)
{
    for (unsigned k = 0; k < 1000 * rounds; k++) {
        v = v * 1664525 + 1013904223;
        out[v % n] = k;
    }
    return v;
}
#elif KIND == LOCAL_ARRAY
static __device__ unsigned work(THREAD)
{
    unsigned local[64];

    for (unsigned k = 0; k < 64; k++)
        local[k] = in[(i + k) % n];
    for (unsigned k = 0; k < 100 * rounds; k++)
        local[k * 7 % 64] += local[k % 61] ^ v;
    return local[v % 64];
}
#elif KIND == GATHER
static __device__ unsigned work(THREAD)
{
    for (unsigned k = 0; k < 100 * rounds; k++)
        v += in[(in[k % n] + i) % n];
    return v;
}
#elif KIND == LOCAL_NEST
static __device__ unsigned work(THREAD)
{
    float position[4], sum[4] = {0};

    for (unsigned j = 0; j < 4; j++)
        position[j] = in[4 * i % n + j];
    for (unsigned k = 0; k < rounds; k++)
#pragma unroll 1
        for (unsigned l = 0; l < 256; l++) {
            const float x = in[256 * k % n + l];
#pragma unroll 2
            for (unsigned j = 0; j < 4; j++)
                sum[j] += x * position[j] * rsqrtf(position[j]);
        }
    for (unsigned j = 0; j < 4; j++)
        v += sum[j];
    return v;
}
#elif KIND == FEW_BLOCKS
/* Some blocks read here and there, where takes far longer to say than whether. */
static __device__ unsigned work(THREAD)
{
    const unsigned turns = blockIdx.x >= gridDim.x / 8 && blockIdx.x < gridDim.x / 4 ? 2 * rounds : 0;
    unsigned whether = threadIdx.x, where = i;

    for (unsigned k = 0; k < 100 * rounds; k++)
        v += in[(k + i) % n];
    for (unsigned k = 0; k < turns; k++) {
        whether = whether * 1664525 + 1013904223;
#pragma unroll
        for (unsigned l = 0; l < 16; l++) {
            where ^= where << 13;
            where ^= where >> 17;
            where ^= where << 5;
        }
        if (whether >> 31)
            v += in[where % n];
    }
    return v;
}
#elif KIND == LONG_WAY
/* Which lanes read is dear to say, of every block anew. */
static __device__ unsigned work(THREAD)
{
    unsigned whether = i;

    for (unsigned k = 0; k < 3 * rounds; k++) {
        whether = (whether ^ whether >> 15) * 1664525 + 1013904223;
        if (whether >> 31)
            v += in[(k + i) % n];
    }
    return v;
}
#elif KIND == LONG_FIRST
/* Loaded values decide how long, and one block takes more than all of them may. */
static __device__ unsigned work(THREAD)
{
    for (unsigned k = 0; k < 10 * rounds; k++) {
        v = v * 1664525 + 1013904223;
#pragma unroll 1
        for (unsigned l = v >> 29; l > 5; l--)
            v ^= v >> l;
    }
    return v;
}
#elif KIND == LONG_MEETS
/* The same, and half of what is added goes to one place. */
static __device__ unsigned work(THREAD)
{
    for (unsigned k = 0; k < 5 * rounds; k++) {
        v = v * 1664525 + 1013904223;
#pragma unroll 1
        for (unsigned l = v >> 29; l > 5; l--)
            v ^= v >> l;
        atomicAdd(&out[v >> 16 & 1 ? v % n : 0], 1);
    }
    return v;
}
#elif KIND == LOADED_TURNS
/* The same of few blocks, and how often is loaded. */
static __device__ unsigned work(THREAD)
{
    const unsigned turns = 8u << in[in[blockIdx.x] % n] % 8;

    for (unsigned k = 0; k < turns; k++) {
        v = v * 1664525 + 1013904223;
#pragma unroll 1
        for (unsigned l = v >> 29; l > 5; l--)
            v ^= v >> l;
    }
    return v;
}
#elif KIND == ODD_TURNS
/* One block of eight goes on for longer, and which lanes meet decides how long as well. */
static __device__ unsigned work(THREAD)
{
    __shared__ float sums[4 * 289];
    const unsigned turns = in[blockIdx.x] % 8 ? 12 : 44;

    for (unsigned k = threadIdx.x; k < 4 * 289; k += blockDim.x)
        sums[k] = 0;
    __syncthreads();
    for (unsigned k = threadIdx.x; k < turns * blockDim.x; k += blockDim.x)
        atomicAdd(&sums[in[(blockIdx.x * 8192 + k) % n] % 289], 1.0f);
    __syncthreads();
    return (unsigned)sums[threadIdx.x];
}
#endif

extern "C" __global__ void slow(const unsigned *in, unsigned *out, volatile unsigned *flag, unsigned rounds)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;

    out[i] = work(in, out, flag, rounds, i, n, in[i]);
}
