// Atomics, shuffles, votes, cooperative groups, barriers, pipelines, atomics with orders and scopes.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

template <class T>
__device__ void atomics(T *p, T *s, T v)
{
    T r = atomicAdd(p, v) + atomicExch(p + 1, v) + atomicCAS(p + 2, v, p[9]) + atomicAdd(s, v) +
          atomicExch(s + 1, v) + atomicCAS(s + 2, v, p[8]);

    r += atomicMin(p + 3, v) + atomicAnd(p + 4, v) + atomicXor(s + 5, v) + atomicMax(s + 6, v);
    atomicAdd(p + 7, r);
    atomicOr(p + 8, r);
    atomicAdd(s + 9, r);
}

extern "C" __global__ void all_atomics(int *i, unsigned long long *u, float *f, double *d)
{
    __shared__ int si[32];
    __shared__ unsigned long long su[32];
    __shared__ float sf[4];

    atomics(i, si, (int)threadIdx.x);
    atomics(u, su, (unsigned long long)threadIdx.x);
    f[1] = atomicAdd(f, 1.0f) + atomicAdd(sf, 2.0f);
    d[1] = atomicAdd(d, 1.0);
    i[40] = atomicInc((unsigned *)i + 41, 7u) + atomicDec((unsigned *)si + 12, 5u);
}

extern "C" __global__ void lanes(int *out, const int *in)
{
    int t = threadIdx.x, v = in[t], all;

    out[0] = __shfl_sync(~0u, v, t ^ 3) + __shfl_up_sync(~0u, v, 2) + __shfl_down_sync(~0u, v, 5, 16);
    out[1] = __shfl_xor_sync(~0u, v, 8) + __ballot_sync(~0u, v > 3) + __any_sync(~0u, v > 4);
    out[2] = __match_any_sync(~0u, v) + __match_all_sync(~0u, v, &all) + all + __activemask();
    out[3] = __syncthreads_count(v > 2) + __syncthreads_and(v > 7) + __syncthreads_or(v > 9);
    __threadfence();
    out[4] = (int)clock64() + __isGlobal(in) + __isShared(in);
    __nanosleep(100);
}

extern "C" __global__ void groups(int *out, const int *in)
{
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto eight = cg::tiled_partition<8>(block);
    int v = in[block.thread_rank()];
    auto some = cg::coalesced_threads();

    out[0] = cg::reduce(warp, v, cg::plus<int>()) + cg::reduce(eight, v, cg::greater<int>());
    out[1] = cg::inclusive_scan(warp, v) + cg::exclusive_scan(eight, v, cg::plus<int>());
    auto labelled = cg::labeled_partition(some, v & 7);
    out[2] = labelled.size() + cg::reduce(labelled, v, cg::plus<int>());
    cg::this_grid().sync();
}

extern "C" __global__ void copies(int *out, const int *in, int n)
{
    __shared__ int s[1024];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(out[5]);

    if (threadIdx.x == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(block, s, in, sizeof(int) * 512, barrier);
    barrier.arrive_and_wait();
    auto pipeline = cuda::make_pipeline(block, &state);
    for (int i = 0; i < n; i++) {
        pipeline.producer_acquire();
        cuda::memcpy_async(block, s, in + i * 256, cuda::aligned_size_t<16>(1024), pipeline);
        pipeline.producer_commit();
        pipeline.consumer_wait();
        out[i] += s[threadIdx.x];
        pipeline.consumer_release();
    }
    flag.fetch_add(3, cuda::memory_order_acq_rel);
    while (flag.load(cuda::memory_order_acquire) < n)
        ;
}
