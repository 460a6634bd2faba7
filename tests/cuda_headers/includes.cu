/* What kernels of a user's own include, each used once. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/cub.cuh>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <mma.h>
#include <stdint.h>

namespace cg = cooperative_groups;
using namespace nvcuda;

extern "C" __global__ void includes(const float *in, float *out, cuda::std::int32_t n)
{
    using reduce = cub::BlockReduce<float, BLOCK>;
    using scan = cub::BlockScan<int, BLOCK>;
    __shared__ union {
        reduce::TempStorage reduce;
        scan::TempStorage scan;
    } memory;
    __shared__ __half tiles[2 * 256];
    __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    const float value = i < n ? in[i] : cuda::std::numeric_limits<float>::lowest();
    cuda::std::array<float, 2> both = {cg::reduce(warp, value, cg::plus<float>()), 0};
    cuda::std::complex<float> turned(value, 1);
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    int before;

    static_assert(cuda::std::is_same_v<cuda::std::int32_t, int> && cuda::std::is_same_v<cuda::std::int64_t, ::int64_t>);
    if (threadIdx.x == 0)
        init(&arrived, BLOCK);
    for (int k = threadIdx.x; k < 2 * 256; k += BLOCK)
        tiles[k] = __float2half(value);
    block.sync();
    arrived.arrive_and_wait();
    wmma::fill_fragment(c, 0.0f);
    wmma::load_matrix_sync(a, tiles, 16);
    wmma::load_matrix_sync(b, tiles + 256, 16);
    wmma::mma_sync(c, a, b, c);
    both[1] = reduce(memory.reduce).Sum(value);
    block.sync();
    scan(memory.scan).ExclusiveSum(static_cast<int>(value), before);
    if (i < n)
        out[i] = both[0] + both[1] + norm(turned) + before + c.x[0] + __bfloat162float(__float2bfloat16(value)) +
                 static_cast<float>(__nv_fp8_e4m3(value));
}
