// What warps wait for that runs beside them: bulk copies, mbarriers, barriers of a cluster. PIECE: bytes of a copy; COPIES: so
// many of them are asked for one behind another; WARPS: by so many warps, where several copy.
#include "clock.cuh"

static __device__ __forceinline__ unsigned shared_address(const void *at)
{
    return (unsigned)__cvta_generic_to_shared(at);
}

static __device__ __forceinline__ void open(unsigned long long *barrier)
{
    asm volatile("mbarrier.init.shared.b64 [%0], 1;\nfence.proxy.async.shared::cta;" ::"r"(shared_address(barrier)) : "memory");
}

static __device__ __forceinline__ void expect(unsigned barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

static __device__ __forceinline__ void arrive(unsigned barrier)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barrier) : "memory");
}

static __device__ __forceinline__ void copy(unsigned to, const char *from, unsigned barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from),
                 "r"(PIECE), "r"(barrier)
                 : "memory");
}

static __device__ __forceinline__ void wait(unsigned barrier, unsigned parity)
{
    asm volatile("{\n.reg .pred done;\nAGAIN:\nmbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n@!done bra AGAIN;\n}" ::"r"(
                     barrier),
                 "r"(parity)
                 : "memory");
}

// COPIES copies and the wait for all of them, `apart` bytes from those of the sample before. FENCED: what a fence takes then.
template <bool FENCED>
static __device__ __forceinline__ void copy_and_wait(const char *in, long long *samples, unsigned apart)
{
    extern __shared__ __align__(128) char stage[];
    __shared__ unsigned long long full;
    const unsigned barrier = shared_address(&full), to = shared_address(stage);
    const char *from = in + (size_t)blockIdx.x * 33 * (apart ? apart : COPIES * PIECE);

    if (threadIdx.x == 0) {
        open(&full);
#pragma unroll 1
        for (int sample = -1; sample < 32; sample++) {
            long long first = clock_now();
            expect(barrier, COPIES * PIECE);
#pragma unroll
            for (int k = 0; k < COPIES; k++)
                copy(to + k * PIECE, from + k * PIECE, barrier);
            wait(barrier, (sample + 1) & 1);
            if (FENCED) {
                first = clock_now();
                asm volatile("fence.acq_rel.gpu;" ::: "memory");
            }
            const long long second = clock_now();
            if (sample >= 0)
                samples[blockIdx.x * 32 + sample] = second - first;
            from += apart;
        }
    }
}

extern "C" __global__ void __launch_bounds__(32) bulk_waited(const char *in, long long *samples, unsigned apart)
{
    copy_and_wait<false>(in, samples, apart);
}

extern "C" __global__ void __launch_bounds__(32) bulk_fenced(const char *in, long long *samples, unsigned apart)
{
    copy_and_wait<true>(in, samples, apart);
}

// The same by a thread of each of WARPS warps, all at the same time.
extern "C" __global__ void __launch_bounds__(32 * WARPS) bulk_by_all(const char *in, long long *samples)
{
    extern __shared__ __align__(128) char stage[];
    __shared__ unsigned long long full[WARPS];
    const int warp = threadIdx.x / 32;
    const unsigned barrier = shared_address(&full[warp]), to = shared_address(stage) + warp * COPIES * PIECE;
    const char *from = in + (size_t)(blockIdx.x * WARPS + warp) * COPIES * PIECE;

    if (threadIdx.x % 32 == 0)
        open(&full[warp]);
    __syncwarp();
#pragma unroll 1
    for (int sample = -1; sample < 32; sample++) {
        __syncthreads();
        const long long first = clock_now();
        if (threadIdx.x % 32 == 0) {
            expect(barrier, COPIES * PIECE);
#pragma unroll
            for (int k = 0; k < COPIES; k++)
                copy(to + k * PIECE, from + k * PIECE, barrier);
            wait(barrier, (sample + 1) & 1);
        }
        __syncthreads();
        const long long second = clock_now();
        if (threadIdx.x == 0 && sample >= 0)
            samples[blockIdx.x * 32 + sample] = second - first;
    }
}

// One of two warps answers the other: a round is two arrivals and two waits.
extern "C" __global__ void __launch_bounds__(64) answered(long long *samples)
{
    __shared__ unsigned long long there, back;
    const unsigned to = shared_address(&there), from = shared_address(&back);

    if (threadIdx.x == 0) {
        open(&there);
        open(&back);
    }
    __syncthreads();
    if (threadIdx.x % 32)
        return;
#pragma unroll 1
    for (int sample = -1; sample < 32; sample++) {
        const long long first = clock_now();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            if (threadIdx.x == 0) {
                arrive(to);
                wait(from, k & 1);
            } else {
                wait(to, k & 1);
                arrive(from);
            }
        }
        const long long second = clock_now();
        if (threadIdx.x == 0 && sample >= 0)
            samples[blockIdx.x * 32 + sample] = second - first;
    }
}

// An mbarrier that only its own thread arrives at: what asking costs where there is nothing to wait for.
extern "C" __global__ void __launch_bounds__(32) passed(long long *samples)
{
    __shared__ unsigned long long own;
    const unsigned barrier = shared_address(&own);

    if (threadIdx.x)
        return;
    open(&own);
#pragma unroll 1
    for (int sample = -1; sample < 32; sample++) {
        const long long first = clock_now();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            arrive(barrier);
            wait(barrier, k & 1);
        }
        const long long second = clock_now();
        if (sample >= 0)
            samples[blockIdx.x * 32 + sample] = second - first;
    }
}

// A fence of the scope of the GPU; STORED: behind a store.
template <bool STORED>
static __device__ __forceinline__ void fence_all(long long *samples)
{
    if (threadIdx.x)
        return;
#pragma unroll 1
    for (int sample = -1; sample < 32; sample++) {
        long long *own = samples + blockIdx.x * 32 + (sample < 0 ? 0 : sample);
        const long long first = clock_now();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            if (STORED)
                asm volatile("st.global.s64 [%0], %1;" ::"l"(own), "l"(first) : "memory");
            asm volatile("fence.acq_rel.gpu;" ::: "memory");
        }
        const long long second = clock_now();
        if (sample >= 0)
            *own = second - first;
    }
}

extern "C" __global__ void __launch_bounds__(32) fenced(long long *samples)
{
    fence_all<false>(samples);
}

extern "C" __global__ void __launch_bounds__(32) fenced_stored(long long *samples)
{
    fence_all<true>(samples);
}

// The barrier of a cluster of two blocks.
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(32) cluster_met(long long *samples)
{
    long long kept = 0;

#pragma unroll 1
    for (int sample = -1; sample < 32; sample++) {
        const long long first = clock_now();
#pragma unroll
        for (int k = 0; k < 8; k++)
            asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
        const long long second = clock_now();
        if (threadIdx.x == sample)
            kept = second - first;
    }
    samples[blockIdx.x * 32 + threadIdx.x] = kept;
}
