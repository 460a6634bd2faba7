// Kernels of what Hopper does beside the warps, for tests of what has a rate:
// nvcc -gencode arch=compute_90a,code=sm_90a -cubin -o hopper-sm_90.cubin hopper.cu (CUDA 13.0).
#include <stdint.h>

#define WAIT_MATRIX asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory")

// m64n8k16 of bf16, `times` times, by a warp group; one descriptor for both factors.
extern "C" __global__ void __launch_bounds__(128) matrix_narrow(float *out, int times, uint64_t factors)
{
    float a[4] = {0, 0, 0, 0};

    for (int i = 0; i < times; i++) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %4, 1, 1, 1, 0, 0;"
                     : "+f"(a[0]), "+f"(a[1]), "+f"(a[2]), "+f"(a[3])
                     : "l"(factors));
        WAIT_MATRIX;
    }
    out[blockIdx.x * 128 + threadIdx.x] = a[0] + a[1] + a[2] + a[3];
}

#define TEN(n) "%" #n "0, %" #n "1, %" #n "2, %" #n "3, %" #n "4, %" #n "5, %" #n "6, %" #n "7, %" #n "8, %" #n "9"
#define F8(n)                                                                                                     \
    "+f"(a[n]), "+f"(a[n + 1]), "+f"(a[n + 2]), "+f"(a[n + 3]), "+f"(a[n + 4]), "+f"(a[n + 5]), "+f"(a[n + 6]),     \
        "+f"(a[n + 7])

// The same with m64n256k16, 128 results a thread.
extern "C" __global__ void __launch_bounds__(128) matrix_wide(float *out, int times, uint64_t factors)
{
    float a[128], sum = 0;

    for (int i = 0; i < 128; i++)
        a[i] = 0;
    for (int i = 0; i < times; i++) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
                     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, " TEN(1) ", " TEN(2) ", " TEN(3) ", " TEN(4) ", "
                     TEN(5) ", " TEN(6) ", " TEN(7) ", " TEN(8) ", " TEN(9) ", " TEN(10) ", " TEN(11) ", "
                     "%120, %121, %122, %123, %124, %125, %126, %127}, %128, %128, 1, 1, 1, 0, 0;"
                     : F8(0), F8(8), F8(16), F8(24), F8(32), F8(40), F8(48), F8(56), F8(64), F8(72), F8(80), F8(88),
                       F8(96), F8(104), F8(112), F8(120)
                     : "l"(factors));
        WAIT_MATRIX;
    }
    for (int i = 0; i < 128; i++)
        sum += a[i];
    out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// Copies a buffer through shared memory in pieces of 16 KB, a piece a block, and adds up its words.
extern "C" __global__ void __launch_bounds__(128) bulk(float *out, const float *in)
{
    __shared__ alignas(128) float piece[4096];
    __shared__ alignas(8) uint64_t full;
    const uint32_t to = (uint32_t)__cvta_generic_to_shared(piece), barrier = (uint32_t)__cvta_generic_to_shared(&full);
    float sum = 0;

    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier) : "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(16384) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                     "l"(in + 4096ull * blockIdx.x), "r"(16384), "r"(barrier)
                     : "memory");
    }
    asm volatile("{\n.reg .pred done;\nagain: mbarrier.try_wait.parity.shared.b64 done, [%0], 0;\n@!done bra again;\n}" ::"r"(
                     barrier)
                 : "memory");
    for (int i = threadIdx.x; i < 4096; i += 128)
        sum += piece[i];
    out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// The other way: what is in shared memory, to global memory.
extern "C" __global__ void __launch_bounds__(128) bulk_store(float *out)
{
    __shared__ alignas(128) float piece[4096];
    const uint32_t from = (uint32_t)__cvta_generic_to_shared(piece);

    for (int i = threadIdx.x; i < 4096; i += 128)
        piece[i] = i;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + 4096ull * blockIdx.x),
                     "r"(from), "r"(16384)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
    }
}

extern "C" __global__ void __launch_bounds__(128) sleeps(float *out)
{
    __nanosleep(100);
    out[blockIdx.x * 128 + threadIdx.x] = 1;
}

// One warp copies, two add up what comes, over and over; the fourth leaves at once.
extern "C" __global__ void __launch_bounds__(128) ring(float *out, const float *in, int times)
{
    __shared__ alignas(128) float piece[2][64];
    __shared__ alignas(8) uint64_t full[2], empty[2];
    const uint32_t to = (uint32_t)__cvta_generic_to_shared(piece), filled = (uint32_t)__cvta_generic_to_shared(full),
                   used = (uint32_t)__cvta_generic_to_shared(empty);
    float sum = 0;

    if (threadIdx.x < 2) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(filled + 8 * threadIdx.x) : "memory");
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(used + 8 * threadIdx.x) : "memory");
    }
    __syncthreads();
    if (threadIdx.x >= 96)
        return;
    for (int i = 0; i < times; i++) {
        const uint32_t stage = i & 1, parity = i >> 1 & 1;

        if (threadIdx.x >= 32) {
            asm volatile("{\n.reg .pred done;\nagain: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n@!done bra again;\n}" ::"r"(
                             filled + 8 * stage),
                         "r"(parity)
                         : "memory");
            sum += piece[stage][threadIdx.x - 32];
            asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(used + 8 * stage) : "memory");
        } else if (threadIdx.x == 0) {
            asm volatile("{\n.reg .pred done;\nagain: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n@!done bra again;\n}" ::"r"(
                             used + 8 * stage),
                         "r"(parity ^ 1)
                         : "memory");
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(filled + 8 * stage) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(
                             to + 256 * stage),
                         "l"(in), "r"(filled + 8 * stage)
                         : "memory");
        }
    }
    if (threadIdx.x >= 32)
        out[threadIdx.x - 32] = sum;
}
