// The instructions of sm_90 that this kernel is made of, one function each. Shared memory is addressed by 32 bits, as they want it.
typedef unsigned word;
typedef unsigned long long address;

// What the host makes with cuTensorMapEncodeTiled; its inside is the hardware's.
struct alignas(64) TensorMap {
    char opaque[128];
};

__device__ __forceinline__ word shared_address(const void *pointer)
{
    return (word)__cvta_generic_to_shared(pointer);
}

__device__ __forceinline__ bool elect_one()
{
    word elected;

    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "elect.sync _|p, 0xffffffff;\n"
                 "selp.u32 %0, 1, 0, p;\n"
                 "}"
                 : "=r"(elected));
    return elected;
}

// Barriers in shared memory ------------------------------------------------------------------------------

__device__ __forceinline__ void barrier_init(word barrier, word arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals));
}

// Other threads, the copy engine and the cluster see barriers that were made.
__device__ __forceinline__ void barriers_made()
{
    asm volatile("fence.mbarrier_init.release.cluster;\n"
                 "fence.proxy.async;" ::
                     : "memory");
}

// One arrival, and so many bytes more that must come before the phase ends.
__device__ __forceinline__ void barrier_expect(word barrier, word bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

__device__ __forceinline__ void barrier_arrive(word barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// At the barrier that lies at the same place in another thread block of the cluster.
__device__ __forceinline__ void barrier_arrive_at(word barrier, word rank)
{
    asm volatile("{\n"
                 ".reg .b32 there;\n"
                 "mapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
                 "}" ::"r"(barrier),
                 "r"(rank)
                 : "memory");
}

__device__ __forceinline__ void barrier_wait(word barrier, word phase)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "AGAIN:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra AGAIN;\n"
                 "}" ::"r"(barrier),
                 "r"(phase)
                 : "memory");
}

// Named barriers of the thread block, for some of its warps.
__device__ __forceinline__ void named_sync(word name, word threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(name), "r"(threads) : "memory");
}

__device__ __forceinline__ void named_arrive(word name, word threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(name), "r"(threads) : "memory");
}

__device__ __forceinline__ word cluster_rank()
{
    word rank;

    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ __forceinline__ void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}

// Tensor copies ------------------------------------------------------------------------------------------

__device__ __forceinline__ void prefetch_map(const TensorMap &map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"((address)&map) : "memory");
}

// A box at column x of row y; its bytes arrive at the barrier.
__device__ __forceinline__ void load_box(word to, const TensorMap &map, int x, int y, word barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 ::"r"(to), "l"((address)&map), "r"(x), "r"(y), "r"(barrier)
                 : "memory");
}

// The same to the same place of every thread block of the cluster in the mask, and at its barrier.
__device__ __forceinline__ void load_box_for(word to, const TensorMap &map, int x, int y, word barrier, unsigned short ranks)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
                 "[%1, {%2, %3}], [%4], %5;" ::"r"(to),
                 "l"((address)&map), "r"(x), "r"(y), "r"(barrier), "h"(ranks)
                 : "memory");
}

// A box of shared memory to global memory; what lies outside of the matrix is not written.
__device__ __forceinline__ void store_box(const TensorMap &map, int x, int y, word from)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"((address)&map), "r"(x),
                 "r"(y), "r"(from)
                 : "memory");
}

// Four 8 x 8 matrices of halves, as sums lie in registers: lane l says where row l % 8 of matrix l / 8 goes.
__device__ __forceinline__ void store_matrices(word to, word m0, word m1, word m2, word m3)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(m0), "r"(m1), "r"(m2), "r"(m3)
                 : "memory");
}

// The same with rows and columns of each matrix exchanged.
__device__ __forceinline__ void store_matrices_transposed(word to, word m0, word m1, word m2, word m3)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(m0), "r"(m1), "r"(m2),
                 "r"(m3)
                 : "memory");
}

__device__ __forceinline__ void stores_commit()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Until at most `PENDING` groups of stores still read shared memory.
template <int PENDING>
__device__ __forceinline__ void stores_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
}

// What was stored to shared memory is seen by the copy engine.
__device__ __forceinline__ void stores_seen_by_copies()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Programmatic dependent launches --------------------------------------------------------------------------

// The launch behind this one may begin; it has its thread blocks ready when this one ends.
__device__ __forceinline__ void let_next_launch_begin()
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

// Until the launch ahead of this one has ended and what it wrote can be read. Nothing to wait for where that was no programmatic launch.
__device__ __forceinline__ void wait_for_launch_ahead()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

// Registers of a warpgroup -------------------------------------------------------------------------------

template <int COUNT>
__device__ __forceinline__ void more_registers()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(COUNT));
}

template <int COUNT>
__device__ __forceinline__ void fewer_registers()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(COUNT));
}
