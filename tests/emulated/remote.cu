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
