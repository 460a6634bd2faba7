// Single-precision GEMM, C = alpha * A * B + beta * C, row major, with a ring of shared-memory stages that
// cp.async fills ahead of the arithmetic.

namespace {

struct GemmArgs {
    int m, n, k;
    float alpha, beta;
};

__device__ __forceinline__ unsigned smem_address(const void *p)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ __forceinline__ void copy16(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(smem_address(to)), "l"(from));
}

__device__ __forceinline__ void copy4(void *to, const void *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n" ::"r"(smem_address(to)), "l"(from));
}

__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;\n"); }

template <int N> __device__ __forceinline__ void wait() { asm volatile("cp.async.wait_group %0;\n" ::"n"(N)); }

} // namespace

// kBM x kBN: a block's tile; kBK: its depth; WM x WN: a warp's tile; a lane has kTM x kTN in four quarters or one.
template <int kBM, int kBN, int kBK, int kTM, int kTN, int kStages, bool kTransposeA>
__global__ void __launch_bounds__((kBM / kTM) * (kBN / kTN))
    sgemm_async(GemmArgs args, const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C)
{
    constexpr int kThreads = (kBM / kTM) * (kBN / kTN);
    constexpr int kColumns = kBN / kTN;
    constexpr int kPadA = kTransposeA ? kBM + 4 : kBK;
    constexpr int kStageA = kTransposeA ? kBK * (kBM + 4) : kBM * kBK;
    constexpr int kStage = kStageA + kBK * kBN;
    extern __shared__ __align__(16) float ring[];

    const int tid = threadIdx.x;
    const int ty = tid / kColumns, tx = tid % kColumns;
    A += static_cast<size_t>(blockIdx.y) * kBM * args.k;
    B += blockIdx.x * kBN;

    auto load = [&](int stage, int k0) {
        float *a = ring + stage * kStage, *b = a + kStageA;
        if constexpr (kTransposeA) {
#pragma unroll
            for (int i = tid; i < kBM * kBK; i += kThreads)
                copy4(a + (i % kBK) * kPadA + i / kBK, A + static_cast<size_t>(i / kBK) * args.k + k0 + i % kBK);
        } else {
#pragma unroll
            for (int i = tid * 4; i < kBM * kBK; i += kThreads * 4)
                copy16(a + i, A + static_cast<size_t>(i / kBK) * args.k + k0 + i % kBK);
        }
#pragma unroll
        for (int i = tid * 4; i < kBK * kBN; i += kThreads * 4)
            copy16(b + i, B + static_cast<size_t>(k0 + i / kBN) * args.n + i % kBN);
    };

    float acc[kTM][kTN] = {};
#pragma unroll
    for (int s = 0; s < kStages - 1; ++s) {
        load(s, s * kBK);
        commit();
    }
    int read = 0, write = kStages - 1;
    for (int k0 = 0; k0 < args.k; k0 += kBK) {
        wait<kStages - 2>();
        __syncthreads();
        if (k0 + (kStages - 1) * kBK < args.k)
            load(write, k0 + (kStages - 1) * kBK);
        commit();
        const float *a = ring + read * kStage, *b = a + kStageA;
#pragma unroll
        for (int k = 0; k < kBK; ++k) {
            float fa[kTM], fb[kTN];
            if constexpr (kTransposeA) {
#pragma unroll
                for (int i = 0; i < kTM; i += 4)
                    *reinterpret_cast<float4 *>(fa + i) =
                        *reinterpret_cast<const float4 *>(a + k * kPadA + ty * kTM + i);
            } else {
#pragma unroll
                for (int i = 0; i < kTM; ++i)
                    fa[i] = a[(ty * kTM + i) * kBK + k];
            }
#pragma unroll
            for (int j = 0; j < kTN; j += 4)
                *reinterpret_cast<float4 *>(fb + j) =
                    *reinterpret_cast<const float4 *>(b + k * kBN + (j / 4) * (kBN / (kTN / 4)) + tx * 4);
#pragma unroll
            for (int i = 0; i < kTM; ++i)
#pragma unroll
                for (int j = 0; j < kTN; ++j)
                    acc[i][j] = fmaf(fa[i], fb[j], acc[i][j]);
        }
        read = read + 1 == kStages ? 0 : read + 1;
        write = write + 1 == kStages ? 0 : write + 1;
    }

    C += (static_cast<size_t>(blockIdx.y) * kBM + ty * kTM) * args.n + blockIdx.x * kBN;
#pragma unroll
    for (int i = 0; i < kTM; ++i)
#pragma unroll
        for (int j = 0; j < kTN; j += 4) {
            float4 *c = reinterpret_cast<float4 *>(C + static_cast<size_t>(i) * args.n + (j / 4) * (kBN / (kTN / 4)) + tx * 4);
            float4 v = *c;
            v.x = args.alpha * acc[i][j] + args.beta * v.x;
            v.y = args.alpha * acc[i][j + 1] + args.beta * v.y;
            v.z = args.alpha * acc[i][j + 2] + args.beta * v.z;
            v.w = args.alpha * acc[i][j + 3] + args.beta * v.w;
            *c = v;
        }
}

__global__ void sgemm_reference(GemmArgs args, const float *__restrict__ A, const float *__restrict__ B,
                                float *__restrict__ C)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float sum = 0;
    for (int k = 0; k < args.k; ++k)
        sum = fmaf(A[(size_t)y * args.k + k], B[(size_t)k * args.n + x], sum);
    C[(size_t)y * args.n + x] = args.alpha * sum + args.beta * C[(size_t)y * args.n + x];
}
