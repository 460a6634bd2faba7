// What blocks of a cluster of sm_90 send each other asynchronously, for tests/unit/model/test_mbarrier.c. Compiled with
//   nvcc -arch=sm_90a -cubin -o cluster_sm90.cubin cluster.cu
#include <stdint.h>

#define KERNEL extern "C" __global__ void __cluster_dims__(2, 1, 1)

enum { WARP = 32 };

typedef unsigned long long barrier;

static __device__ uint32_t at(const void *shared)
{
    return (uint32_t)__cvta_generic_to_shared(shared);
}

static __device__ uint32_t there(const void *shared, unsigned rank)
{
    uint32_t mapped;

    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(at(shared)), "r"(rank));
    return mapped;
}

static __device__ unsigned own_rank()
{
    unsigned rank;

    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

static __device__ void meet()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

static __device__ void open(barrier *b, int count)
{
    if (threadIdx.x == 0)
        for (int k = 0; k < count; k++)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(b + k)) : "memory");
    meet();
}

static __device__ void expect(barrier *b, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(b)), "r"(bytes) : "memory");
}

static __device__ void wait(barrier *b, unsigned parity)
{
    asm volatile("{\n.reg .pred done;\nAGAIN:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra AGAIN;\n}" ::"r"(at(b)),
                 "r"(parity)
                 : "memory");
}

// Lanes below `first` tell one mbarrier of the other block, the others another one; WIDE words each.
#define SENT(name, WIDE, store)                                                                                          \
    KERNEL name(unsigned *out, int rounds, int first)                                                                    \
    {                                                                                                                    \
        __shared__ __align__(16) unsigned words[WIDE * WARP];                                                            \
        __shared__ barrier full[2];                                                                                      \
        const unsigned rank = own_rank(), lane = threadIdx.x;                                                            \
        const uint32_t to = there(words + WIDE * lane, rank ^ 1), told = there(full + ((int)lane >= first), rank ^ 1);   \
                                                                                                                         \
        open(full, 2);                                                                                                   \
        _Pragma("unroll 1") for (int k = 0; k < rounds; k++) {                                                           \
            const unsigned word = 1000 * k + 100 * rank + lane;                                                          \
                                                                                                                         \
            if (lane == 0) {                                                                                             \
                expect(&full[0], first * WIDE * 4);                                                                      \
                expect(&full[1], (WARP - first) * WIDE * 4);                                                             \
            }                                                                                                            \
            __syncwarp();                                                                                                \
            store;                                                                                                       \
            wait(&full[0], k & 1);                                                                                       \
            wait(&full[1], k & 1);                                                                                       \
            out[(blockIdx.x * rounds + k) * WARP + lane] = words[WIDE * lane] + words[WIDE * lane + WIDE - 1];           \
            meet();                                                                                                      \
        }                                                                                                                \
    }

SENT(sent, 1,
     asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(to), "r"(word), "r"(told)
                  : "memory"))
SENT(sent_wide, 4,
     asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%0], {%1, 0, 0, %1}, [%2];" ::"r"(to),
                  "r"(word), "r"(told)
                  : "memory"))

// The engine copies what a block has to the other one.
KERNEL copied_across(unsigned *out, int rounds, int bytes)
{
    __shared__ __align__(128) unsigned from[4 * WARP], to[4 * WARP];
    __shared__ barrier full;
    const unsigned rank = own_rank(), lane = threadIdx.x;

    open(&full, 1);
#pragma unroll 1
    for (int k = 0; k < rounds; k++) {
        from[lane] = 1000 * k + 100 * rank + lane;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncwarp();
        if (lane == 0) {
            expect(&full, bytes);
            asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                             there(to, rank ^ 1)),
                         "r"(at(from)), "r"(bytes), "r"(there(&full, rank ^ 1))
                         : "memory");
        }
        wait(&full, k & 1);
        out[(blockIdx.x * rounds + k) * WARP + lane] = to[lane];
        meet();
    }
}

// The engine adds what a block has to what the other one has.
KERNEL added_across(unsigned *out, int bytes)
{
    __shared__ __align__(128) unsigned from[4 * WARP], to[4 * WARP];
    __shared__ barrier full;
    const unsigned rank = own_rank();

    from[threadIdx.x] = to[threadIdx.x] = threadIdx.x;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    open(&full, 1);
    if (threadIdx.x == 0) {
        expect(&full, bytes);
        asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0], [%1], %2, "
                     "[%3];" ::"r"(there(to, rank ^ 1)),
                     "r"(at(from)), "r"(bytes), "r"(there(&full, rank ^ 1))
                     : "memory");
    }
    wait(&full, 0);
    out[blockIdx.x * WARP + threadIdx.x] = to[threadIdx.x];
    meet();
}
