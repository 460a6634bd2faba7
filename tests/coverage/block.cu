// CUB: load, reduce, scan, radix sort, merge sort, histogram, store.
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>

template <class T, int N>
__device__ void block(T *out, const T *in, int n)
{
    using Load = cub::BlockLoad<T, 128, N, cub::BLOCK_LOAD_TRANSPOSE>;
    using Reduce = cub::BlockReduce<T, 128>;
    using Scan = cub::BlockScan<T, 128>;
    using Sort = cub::BlockRadixSort<T, 128, N>;
    using Store = cub::BlockStore<T, 128, N, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    __shared__ typename Load::TempStorage load;
    __shared__ typename Reduce::TempStorage reduce;
    __shared__ typename Scan::TempStorage scan;
    __shared__ typename Sort::TempStorage sort;
    __shared__ typename Store::TempStorage store;
    T x[N];

    Load(load).Load(in, x, n);
    T sum = Reduce(reduce).Sum(x);
    if (threadIdx.x == 0)
        out[n] = sum;
    Scan(scan).InclusiveSum(x, x);
    Sort(sort).Sort(x);
    Store(store).Store(out, x, n);
}

#define KERNEL(name, T, N)                                                                                    \
    extern "C" __global__ void name(T *out, const T *in, int n)                                               \
    {                                                                                                         \
        block<T, N>(out, in, n);                                                                              \
    }
KERNEL(block_int, int, 4)
KERNEL(block_float, float, 5)
KERNEL(block_double, double, 3)
KERNEL(block_char, unsigned char, 8)
KERNEL(block_long, long long, 2)
