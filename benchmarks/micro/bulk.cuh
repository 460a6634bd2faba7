// A bulk copy of PIECE bytes, asked for by one thread, and the wait for it.
#pragma once

static __device__ __forceinline__ unsigned shared_address(const void *at)
{
    return (unsigned)__cvta_generic_to_shared(at);
}

static __device__ __forceinline__ void ask(void *to, const char *from, unsigned long long *full)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(full)), "r"(PIECE) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(PIECE), "r"(shared_address(full))
                 : "memory");
}

static __device__ __forceinline__ void wait(unsigned long long *full, unsigned phase)
{
    unsigned done;

    do
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(shared_address(full)), "r"(phase)
                     : "memory");
    while (!done);
}
