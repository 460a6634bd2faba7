// Of two blocks of a cluster the first copies for both.
typedef unsigned u32;
typedef unsigned long long u64;

__device__ u32 at(const void *p)
{
    return (u32)__cvta_generic_to_shared(p);
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) roles(float *out, const float *in, int rounds)
{
    __shared__ __align__(128) float tile[256];
    __shared__ u64 full;
    u32 rank;
    float sum = 0;

    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(&full)) : "memory");
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    for (int round = 0; round < rounds; round++) {
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(at(&full)) : "memory");
            if (BOTH || rank == 0)
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, "
                             "[%3], %4;" ::"r"(at(tile + BOTH * rank * 128)),
                             "l"(in + round * 256 + BOTH * rank * 128), "r"(1024 >> BOTH), "r"(at(&full)), "h"((unsigned short)3)
                             : "memory");
        }
        asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra AGAIN;\n}" ::"r"(
                         at(&full)),
                     "r"(round & 1)
                     : "memory");
        sum += tile[threadIdx.x];
        asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
