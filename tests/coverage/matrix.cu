// WMMA of halves and bytes, matrix loads, asynchronous copies.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

template <int M, int N, int K, class A, class C, class RowA, class RowB>
__device__ void multiply(const A *a, const A *b, C *c)
{
    wmma::fragment<wmma::matrix_a, M, N, K, A, RowA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, A, RowB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, C> fc;

    wmma::load_matrix_sync(fa, a, K);
    wmma::load_matrix_sync(fb, b, K);
    wmma::load_matrix_sync(fc, c, N, wmma::mem_row_major);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, N, wmma::mem_row_major);
}

extern "C" __global__ void halves(const half *a, const half *b, float *c, half *d)
{
    multiply<16, 16, 16, half, float, wmma::row_major, wmma::col_major>(a, b, c);
    multiply<32, 8, 16, half, half, wmma::col_major, wmma::row_major>(a, b, d);
}

extern "C" __global__ void bytes(const signed char *a, const signed char *b, int *c)
{
    multiply<16, 16, 16, signed char, int, wmma::row_major, wmma::col_major>(a, b, c);
}

extern "C" __global__ void from_shared(const float4 *in, unsigned *out)
{
    __shared__ float4 tile[256];
    unsigned address = (unsigned)__cvta_generic_to_shared(tile + threadIdx.x), r[4];

    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address));
    out[threadIdx.x] = r[0] ^ r[1] ^ r[2] ^ r[3];
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(address), "l"(in + 512));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 0;");
    out[threadIdx.x + 256] = __float_as_uint(tile[threadIdx.x ^ 1].x);
#endif
}
