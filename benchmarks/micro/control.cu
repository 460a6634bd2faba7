// Barriers, branches, calls and divergence: REPEAT of each between two stamps, and three times as many after them; the
// difference is what 2 * REPEAT cost, free of the clock's own cost.
#include "clock.cuh"

// Samples of a warp of `body`, which is repeated by the preprocessor's caller.
#define SAMPLES(body)                                                                                               \
    long long kept = 0;                                                                                             \
    _Pragma("unroll 1") for (int sample = -1; sample < 32; sample++)                                                \
    {                                                                                                               \
        const long long first = clock_now();                                                                        \
        _Pragma("unroll") for (int k = 0; k < REPEAT; k++) { body; }                                                \
        const long long second = clock_now();                                                                       \
        _Pragma("unroll") for (int k = 0; k < 3 * REPEAT; k++) { body; }                                            \
        const long long third = clock_now();                                                                        \
        if ((threadIdx.x & 31) == sample)                                                                           \
            kept = (third - second) - (second - first);                                                             \
    }                                                                                                               \
    samples[blockIdx.x * blockDim.x + threadIdx.x] = kept

#ifdef KERNEL_barrier
extern "C" __global__ void barrier(long long *samples)
{
    SAMPLES(__syncthreads());
}
#endif

#ifdef KERNEL_warp_sync
extern "C" __global__ void warp_sync(long long *samples)
{
    SAMPLES(__syncwarp());
}
#endif

#ifdef KERNEL_clock_read
extern "C" __global__ void clock_read(long long *samples)
{
    long long kept = 0;

#pragma unroll 1
    for (int sample = -1; sample < 32; sample++) {
        const long long first = clock_now(), second = clock_now();

        if ((threadIdx.x & 31) == sample)
            kept = second - first;
    }
    samples[blockIdx.x * blockDim.x + threadIdx.x] = kept;
}
#endif

#define INSIDE                                                                                                      \
    "xor.b32 %0, %0, 7; popc.b32 %0, %0; add.u32 %0, %0, 5; brev.b32 %0, %0; "                                      \
    "xor.b32 %0, %0, 9; popc.b32 %0, %0; add.u32 %0, %0, 3; brev.b32 %0, %0; "

#ifdef KERNEL_branch
// A branch around code that is too large to be predicated away. `flag` 0: taken.
extern "C" __global__ void branch(long long *samples, unsigned *sink, unsigned flag)
{
    unsigned x = threadIdx.x;

    SAMPLES(asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; @!p bra.uni SKIP%=; " INSIDE
                         "SKIP%=: add.u32 %0, %0, 1; }"
                         : "+r"(x)
                         : "r"(flag)));
    sink[threadIdx.x] = x;
}
#endif

#ifdef KERNEL_straight
// The same without the branch.
extern "C" __global__ void straight(long long *samples, unsigned *sink)
{
    unsigned x = threadIdx.x;

    SAMPLES(asm volatile(INSIDE "add.u32 %0, %0, 1;" : "+r"(x)));
    sink[threadIdx.x] = x;
}
#endif

#ifdef KERNEL_loop
// The back edge of a loop whose body is one addition; the trip count is not known to the compiler.
extern "C" __global__ void loop(long long *samples, unsigned *sink, unsigned short_trip, unsigned long_trip)
{
    unsigned x = threadIdx.x;
    long long kept = 0;

#pragma unroll 1
    for (int sample = -1; sample < 32; sample++) {
        const long long first = clock_now();
#pragma unroll 1
        for (unsigned i = 0; i < short_trip; i++)
            asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(i));
        const long long second = clock_now();
#pragma unroll 1
        for (unsigned i = 0; i < long_trip; i++)
            asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(i));
        const long long third = clock_now();
        if ((threadIdx.x & 31) == sample)
            kept = (third - second) - (second - first);
    }
    sink[threadIdx.x] = x;
    samples[blockIdx.x * blockDim.x + threadIdx.x] = kept;
}
#endif

static __device__ __noinline__ unsigned add_one(unsigned x)
{
    asm volatile("add.u32 %0, %0, 1;" : "+r"(x));
    return x;
}

#ifdef KERNEL_call
extern "C" __global__ void call(long long *samples, unsigned *sink)
{
    unsigned x = threadIdx.x;

    SAMPLES(x = add_one(x));
    sink[threadIdx.x] = x;
}
#endif

#ifdef KERNEL_diverge
// Two arms of eight dependent XU operations, the first for the lanes below `boundary`: too long to be predicated away.
extern "C" __global__ void diverge(long long *samples, unsigned *sink, unsigned boundary)
{
    unsigned x = threadIdx.x;

    SAMPLES(if (threadIdx.x < boundary) {
        asm volatile("popc.b32 %0, %0; popc.b32 %0, %0; popc.b32 %0, %0; popc.b32 %0, %0; "
                     "popc.b32 %0, %0; popc.b32 %0, %0; popc.b32 %0, %0; popc.b32 %0, %0;"
                     : "+r"(x));
    } else {
        asm volatile("brev.b32 %0, %0; brev.b32 %0, %0; brev.b32 %0, %0; brev.b32 %0, %0; "
                     "brev.b32 %0, %0; brev.b32 %0, %0; brev.b32 %0, %0; brev.b32 %0, %0;"
                     : "+r"(x));
    } __syncwarp());
    sink[threadIdx.x] = x;
}
#endif

#ifdef KERNEL_arms
// Lemeire et al.'s kernel: four equal arms, arm = (thread / n) % 4; `rounds` times over. Arms differ only in a constant.
extern "C" __global__ void arms(unsigned *sink, long long *spans, int rounds, unsigned n)
{
    const unsigned arm = threadIdx.x / n % 4;
    const long long enter = clock_now();
    long long start = 0, stop = 0;
    float x = threadIdx.x;

#define ARM(c)                                                                                                      \
    _Pragma("unroll") for (int k = 0; k < 32; k++) asm volatile("fma.rn.f32 %0, %0, %1, " c ";" : "+f"(x) : "f"(x))
#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        start = clock_now();
#pragma unroll 1
        for (int i = 0; i < rounds; i++) {
            if (arm == 0) {
                ARM("0f3F800000");
            } else if (arm == 1) {
                ARM("0f40000000");
            } else if (arm == 2) {
                ARM("0f40400000");
            } else {
                ARM("0f40800000");
            }
            __syncwarp();
        }
        stop = clock_now();
    }
    sink[blockIdx.x * blockDim.x + threadIdx.x] = (unsigned)x;
    span_keep(spans, enter, start, stop);
}
#endif

#ifdef KERNEL_chain_of_arms
// Wong et al.'s listing 3: thread order[k] takes arm k; each lane writes when its arm began. With two warps the arms of one
// warp follow each other and the warps overlap.
extern "C" __global__ void chain_of_arms(const unsigned *order, long long *begins)
{
    const unsigned lane = threadIdx.x & 31;
    unsigned x = lane;
    long long begin = 0;

#define TEST(k)                                                                                                     \
    else if (lane == order[k])                                                                                      \
    {                                                                                                               \
        begin = clock_now();                                                                                        \
        _Pragma("unroll") for (int i = 0; i < 8; i++) asm volatile("popc.b32 %0, %0;" : "+r"(x));                   \
    }
#define TEST4(k) TEST(k) TEST(k + 1) TEST(k + 2) TEST(k + 3)
    if (false) {
    }
    TEST4(0) TEST4(4) TEST4(8) TEST4(12) TEST4(16) TEST4(20) TEST4(24) TEST4(28)
    begins[threadIdx.x] = begin + (x == 99);
}
#endif
