// One warp copies a row of boxes round by round; the other adds them up and reads, late, what all blocks of a column share.
typedef unsigned u32;
typedef unsigned long long u64;

struct __align__(64) map {
    char bytes[128];
};

__device__ u32 at(const void *p)
{
    return (u32)__cvta_generic_to_shared(p);
}

__device__ void await(u64 *phase, u32 parity)
{
    asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra AGAIN;\n}" ::"r"(
                     at(phase)),
                 "r"(parity)
                 : "memory");
}

extern "C" __global__ void rounds(float *out, const float *weights, const __grid_constant__ map in, int rounds)
{
    __shared__ __align__(128) float tile[2][32 * 8];
    __shared__ u64 full[2], empty[2];
    float sum = 0;

    if (threadIdx.x == 0)
        for (int k = 0; k < 2; k++) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(&full[k])) : "memory");
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(at(&empty[k])) : "memory");
        }
    __syncthreads();
    if (threadIdx.x == 0)
        for (int k = 0; k < rounds; k++) {
            await(&empty[k & 1], (k >> 1 & 1) ^ 1);
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(at(&full[k & 1])) : "memory");
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::
                             "r"(at(tile[k & 1])),
                         "l"(&in), "r"(at(&full[k & 1])), "r"(k * 32), "r"((int)blockIdx.x * 8)
                         : "memory");
        }
    if (threadIdx.x >= 32) {
        for (int k = 0; k < rounds; k++) {
            await(&full[k & 1], k >> 1 & 1);
            sum += tile[k & 1][threadIdx.x];
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(&empty[k & 1])) : "memory");
        }
        out[(blockIdx.y * gridDim.x + blockIdx.x) * 32 + threadIdx.x - 32] =
            sum + weights[blockIdx.x % 3 * 32 + threadIdx.x - 32];
    }
}
