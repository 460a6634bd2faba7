// Tensor instructions of a warp group (wgmma): RESULTS of them a thread keeps, which is columns / 2.
//   SHAPE: "m64n256k16.f32.bf16.bf16"; RESULTS; ELEMENT, TYPE: of the results, "f" float or "r" int; TAIL: what follows the
//   factors; REGISTERS: 1 the first factor comes from registers, 0 from shared memory; LENGTH: instructions of a pass
//   FEW: of group_issued alone, instructions of the pass that it subtracts
//   SLICES, PIECE: of group_beside alone, different pairs of factors and bytes of a copy
#include "clock.cuh"
#ifdef PIECE
#include "bulk.cuh"
#endif

enum { THREADS = 256 };

#define R4  "%0, %1, %2, %3"
#define R8  R4 ", %4, %5, %6, %7"
#define R16 R8 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define R32 R16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define R64 R32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47" \
    ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define R128 R64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79" \
    ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95" \
    ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111" \
    ", %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

#define O4(n)   "+" TYPE(x[n]), "+" TYPE(x[n + 1]), "+" TYPE(x[n + 2]), "+" TYPE(x[n + 3])
#define O8(n)   O4(n), O4(n + 4)
#define O16(n)  O8(n), O8(n + 8)
#define O32(n)  O16(n), O16(n + 16)
#define O64(n)  O32(n), O32(n + 32)
#define O128(n) O64(n), O64(n + 64)

// Operands after the results: the second factor's descriptor, then the first factor.
#define AFTER4_0 "%5, %4, "
#define AFTER4_1 "{%5, %6, %7, %8}, %4, "
#define AFTER8_0 "%9, %8, "
#define AFTER8_1 "{%9, %10, %11, %12}, %8, "
#define AFTER16_0 "%17, %16, "
#define AFTER16_1 "{%17, %18, %19, %20}, %16, "
#define AFTER32_0 "%33, %32, "
#define AFTER32_1 "{%33, %34, %35, %36}, %32, "
#define AFTER64_0 "%65, %64, "
#define AFTER64_1 "{%65, %66, %67, %68}, %64, "
#define AFTER128_0 "%129, %128, "
#define AFTER128_1 "{%129, %130, %131, %132}, %128, "

#define JOIN_(a, b)     a##b
#define JOIN(a, b)      JOIN_(a, b)
#define JOIN3_(a, b, c) a##b##_##c
#define JOIN3(a, b, c)  JOIN3_(a, b, c)
#if REGISTERS
#define FIRST "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3])
#else
#define FIRST "l"(first)
#endif

#define MULTIPLY                                                                                                                   \
    asm volatile("wgmma.mma_async.sync.aligned." SHAPE " {" JOIN(R, RESULTS) "}, " JOIN3(AFTER, RESULTS, REGISTERS) TAIL ";" : JOIN(O, RESULTS)(0) : "l"(second), FIRST)

// Factors without swizzle: core matrices of 128 bytes, one behind another.
static __device__ __forceinline__ unsigned long long descriptor(const void *at)
{
    const unsigned long long address = __cvta_generic_to_shared(at);

    return (address & 0x3ffff) >> 4 | 128ull >> 4 << 16 | 256ull >> 4 << 32;
}

// The factors, of all threads of the block, and the results that products are added to.
static __device__ __forceinline__ void begin(unsigned *factors, const unsigned *in, int count, ELEMENT *x)
{
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        factors[i] = in[i];
    for (int i = 0; i < RESULTS; i++)
        x[i] = 0;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

static __device__ __forceinline__ void keep(ELEMENT *sink, const ELEMENT *x)
{
    for (int i = 0; i < RESULTS; i++)
        sink[(blockIdx.x * blockDim.x + threadIdx.x) % 4096 + 4096 * (i & 1)] = x[i];
}

#ifdef KERNEL_group_waited
// LENGTH products of one warp group, each waited for.
extern "C" __global__ void __launch_bounds__(128, 1) group_waited(const unsigned *in, ELEMENT *sink, long long *samples)
{
    __shared__ alignas(128) unsigned factors[6 * 512];
    const unsigned a[4] = {in[threadIdx.x], in[threadIdx.x + 512], in[threadIdx.x + 1024], in[threadIdx.x + 1536]};
    const unsigned long long first = descriptor(&factors[4 * 512]), second = descriptor(factors);
    long long kept = 0;
    ELEMENT x[RESULTS];

    (void)a, (void)first;
    begin(factors, in, 6 * 512, x);
    __syncthreads();
#pragma unroll 1
    for (int sample = -1; sample < 32; sample++) {
        const long long start = clock_now();
#pragma unroll
        for (int k = 0; k < LENGTH; k++) {
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            MULTIPLY;
            asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
        }
        const long long stop = clock_now();
        if (threadIdx.x == sample)
            kept = stop - start;
    }
    keep(sink, x);
    if (threadIdx.x < 32)
        samples[blockIdx.x * 32 + threadIdx.x] = kept;
}
#endif

#ifdef KERNEL_group_issued
// FEW products of one warp group, none waited for until all are issued, then LENGTH; samples are of what those beyond FEW take
// until the group goes on.
extern "C" __global__ void __launch_bounds__(128, 1) group_issued(const unsigned *in, ELEMENT *sink, long long *samples)
{
    __shared__ alignas(128) unsigned factors[6 * 512];
    const unsigned long long first = descriptor(&factors[4 * 512]), second = descriptor(factors);
    long long kept = 0;
    ELEMENT x[RESULTS];

    begin(factors, in, 6 * 512, x);
    __syncthreads();
#pragma unroll 1
    for (int sample = -1; sample < 32; sample++) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        const long long few_start = clock_now();
#pragma unroll
        for (int k = 0; k < FEW; k++)
            MULTIPLY;
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        const long long few_stop = clock_now();
        asm volatile("wgmma.wait_group.sync.aligned 0;\nwgmma.fence.sync.aligned;" ::: "memory");
        const long long start = clock_now();
#pragma unroll
        for (int k = 0; k < LENGTH; k++)
            MULTIPLY;
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        const long long stop = clock_now();
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        if (threadIdx.x == sample)
            kept = (stop - start) - (few_stop - few_start);
    }
    keep(sink, x);
    if (threadIdx.x < 32)
        samples[blockIdx.x * 32 + threadIdx.x] = kept;
}
#endif

#ifdef KERNEL_group_saturated
extern "C" __global__ void __launch_bounds__(THREADS, 1)
    group_saturated(const unsigned *in, ELEMENT *sink, long long *spans, int passes)
{
    __shared__ alignas(128) unsigned factors[(THREADS / 128 + 4) * 512];
    const long long enter = clock_now();
    const unsigned a[4] = {in[threadIdx.x], in[threadIdx.x + 512], in[threadIdx.x + 1024], in[threadIdx.x + 1536]};
    const unsigned long long first = descriptor(&factors[(4 + threadIdx.x / 128) * 512]), second = descriptor(factors);
    long long start = 0, stop = 0;
    ELEMENT x[RESULTS];

    (void)a, (void)first;
    begin(factors, in, (THREADS / 128 + 4) * 512, x);
#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        start = clock_now();
#pragma unroll 1
        for (int pass = 0; pass < passes; pass++) {
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (int k = 0; k < LENGTH; k++)
                MULTIPLY;
            asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
        }
        stop = clock_now();
    }
    keep(sink, x);
    span_keep(spans, enter, start, stop);
}
#endif

#ifdef PIECE
enum { RING = 12, SLICE = (THREADS / 128 + 4) * 512 };

#ifdef KERNEL_group_beside
// 16 * `rounds` instructions a thread, half of floats: 1 - 1.9 x^2 never settles between -1 and 1, so that all digits are as random
// as the factors'. The others count, as addresses do, and take half of what those take.
enum { CHAINS = 4 };
static __device__ __forceinline__ void wander(float *x, unsigned *at, unsigned rounds)
{
#pragma unroll 1
    for (unsigned round = 0; round < rounds; round++)
#pragma unroll
        for (int i = 0; i < CHAINS; i++) {
            x[i] = fmaf(-1.9f * x[i], x[i], 1);
            asm volatile("add.u32 %0, %0, 16;\nxor.b32 %0, %0, 3;" : "+r"(at[i]));
        }
}

// Products of SLICES pairs of factors in turn, with a pause after every fourth pass, and beside them one thread that copies `copies`
// pieces, of each block its own, which lie in the first `region` bytes behind `from`; while products
// of a pass go on, `rounds` of other instructions.
extern "C" __global__ void __launch_bounds__(THREADS + 32, 1)
    group_beside(const unsigned *in, const char *from, ELEMENT *sink, int passes, unsigned pause, unsigned copies, unsigned long long region,
                 unsigned rounds)
{
    extern __shared__ __align__(128) unsigned factors[];
    __shared__ alignas(8) unsigned long long full[RING];
    const unsigned group = threadIdx.x / 128;
    ELEMENT x[RESULTS];

    for (int i = threadIdx.x; i < SLICES * SLICE; i += THREADS + 32)
        factors[i] = in[i];
    if (threadIdx.x == 0)
        for (int s = 0; s < RING; s++)
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&full[s])) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x >= THREADS) {
        if (threadIdx.x == THREADS)
            for (unsigned k = 0; k < copies + RING; k++) {
                if (k >= RING && k - RING < copies)
                    wait(&full[k % RING], (k / RING - 1) & 1);
                if (k < copies)
                    ask(factors + SLICES * SLICE + k % RING * (PIECE / 4),
                        from + ((unsigned long long)blockIdx.x * copies + k) * PIECE % region, &full[k % RING]);
            }
        return;
    }
    for (int i = 0; i < RESULTS; i++)
        x[i] = 0;
    float other[CHAINS];
    unsigned at[CHAINS];

    for (int i = 0; i < CHAINS; i++) {
        other[i] = (in[threadIdx.x + i] & 0xffff) * 0x1p-16f;
        at[i] = threadIdx.x + i;
    }
#pragma unroll 1
    for (int pass = 0; pass < passes; pass++) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int k = 0; k < LENGTH; k++) {
            const unsigned *const slice = factors + k % SLICES * SLICE;
            const unsigned long long first = descriptor(slice + (4 + group) * 512), second = descriptor(slice);

            MULTIPLY;
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        wander(other, at, rounds);
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        if (pause && pass % 4 == 3)
            __nanosleep(pause);
    }
    for (int i = 0; i < CHAINS; i++)
        x[RESULTS - 1] += other[i] + at[i]; // of which keep() leaves something
    keep(sink, x);
}
#endif
#endif
