// Each lane asks a word of the shared memory of the block OTHER ranks on, words `apart` words apart.
typedef unsigned u32;

extern "C" __global__ void __cluster_dims__(4, 1, 1) remote(u32 *out, int rounds, int apart)
{
    __shared__ u32 words[1024];
    u32 rank, sum = 0;
    unsigned long long p;

    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(p) : "l"((void *)(words + threadIdx.x % 32 * apart)), "r"((rank + OTHER) % 4));
    words[threadIdx.x] = 0;
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    for (int k = 0; k < rounds; k++) {
        u32 v = 0;

        if (OPERATION == 0)
            asm volatile("ld.volatile.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
        else if (OPERATION == 1)
            asm volatile("st.volatile.u32 [%0], %1;" ::"l"(p), "r"(k) : "memory");
        else
            asm volatile("red.relaxed.cluster.add.u32 [%0], %1;" ::"l"(p), "r"(threadIdx.x) : "memory");
        sum += v;
    }
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__device__ u32 at(const void *shared)
{
    return (u32)__cvta_generic_to_shared(shared);
}

__device__ u32 there(const void *shared, u32 rank)
{
    u32 mapped;

    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(at(shared)), "r"(rank));
    return mapped;
}

// The same with stores that tell an mbarrier there (OPERATION 3), and with copies (4) and additions (5) of 4 KB by the
// copy engine.
extern "C" __global__ void __cluster_dims__(4, 1, 1) told(u32 *out, int rounds, int apart)
{
    __shared__ __align__(128) u32 words[1024], copy[1024];
    __shared__ unsigned long long full;
    u32 rank, bytes = OPERATION == 3 ? blockDim.x * 4 : 4096;

    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    const u32 other = (rank + OTHER) % 4, to = there(words + threadIdx.x % 32 * apart, other), mbarrier = there(&full, other);

    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(&full)) : "memory");
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
#pragma unroll 1
    for (int k = 0; k < rounds; k++) {
        u32 over = 0;

        if (threadIdx.x == 0)
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(&full)), "r"(bytes) : "memory");
        if (OPERATION == 3)
            asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(to), "r"(k),
                         "r"(mbarrier)
                         : "memory");
        else if (OPERATION == 5 && threadIdx.x == 0)
            asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0], [%1], %2, "
                         "[%3];" ::"r"(there(copy, other)),
                         "r"(at(words)), "r"(bytes), "r"(mbarrier)
                         : "memory");
        else if (threadIdx.x == 0)
            asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                             there(copy, other)),
                         "r"(at(words)), "r"(bytes), "r"(mbarrier)
                         : "memory");
        while (!over)
            asm volatile("{.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;}"
                         : "=r"(over)
                         : "r"(at(&full)), "r"(k & 1)
                         : "memory");
        asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = words[threadIdx.x];
}

// In every round another warp works, and all meet: at the cluster's barrier (OPERATION 0) or not (1). One mbarrier is passed, too.
extern "C" __global__ void __cluster_dims__(4, 1, 1) met(u32 *out, int rounds, int apart)
{
    __shared__ unsigned long long full;
    u32 sum = threadIdx.x, over = 0;

    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nmbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(&full)) : "memory");
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    while (!over)
        asm volatile("{.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;}"
                     : "=r"(over)
                     : "r"(at(&full))
                     : "memory");
#pragma unroll 1
    for (int k = 0; k < rounds; k++) {
        if (threadIdx.x / 32 == k % 8)
#pragma unroll 1
            for (int l = 0; l < 64; l++)
                sum = sum * 1664525 + l;
        if (OPERATION == 0)
            asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
