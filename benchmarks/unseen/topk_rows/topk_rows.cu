// The K = 8 largest of each row with their places, as sampling from a language model or a nearest-neighbour search wants
// them. A tile of LANES threads has a row; each thread keeps a sorted list, the lists are merged by shuffles.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

#define K 8

struct Entry {
    float value;
    int place;
};

__device__ __forceinline__ bool better(const Entry &a, const Entry &b)
{
    return a.value > b.value || (a.value == b.value && a.place < b.place);
}

struct List {
    Entry e[K];

    __device__ __forceinline__ void clear()
    {
#pragma unroll
        for (int i = 0; i < K; ++i)
            e[i] = {-3.4e38f, 0x7fffffff};
    }

    __device__ __forceinline__ void insert(Entry x)
    {
#if BRANCH
        if (!better(x, e[K - 1]))
            return;
#endif
#pragma unroll
        for (int i = 0; i < K; ++i) {
            const bool swap = better(x, e[i]);
            const Entry t = e[i];
            e[i] = swap ? x : t;
            x = swap ? t : x;
        }
    }
};

extern "C" __global__ void __launch_bounds__(THREADS)
topk_rows(float *__restrict__ values, int *__restrict__ places, const float *__restrict__ in, int rows, int columns)
{
    auto tile = cg::tiled_partition<LANES>(cg::this_thread_block());
    const int row = (blockIdx.x * THREADS + threadIdx.x) / LANES;
    if (row >= rows)
        return;
    const float *mine = in + (size_t)row * columns;
    List list;
    list.clear();

#if VEC == 4
    for (int c = tile.thread_rank() * 4; c < columns; c += LANES * 4) {
        const float4 q = *reinterpret_cast<const float4 *>(mine + c);
        list.insert({q.x, c});
        list.insert({q.y, c + 1});
        list.insert({q.z, c + 2});
        list.insert({q.w, c + 3});
    }
#else
    for (int c = tile.thread_rank(); c < columns; c += LANES)
        list.insert({mine[c], c});
#endif

#pragma unroll 1
    for (int mask = 1; mask < LANES; mask *= 2) {
        Entry other[K];
#pragma unroll
        for (int i = 0; i < K; ++i) {
            other[i].value = tile.shfl_xor(list.e[i].value, mask);
            other[i].place = tile.shfl_xor(list.e[i].place, mask);
        }
#pragma unroll
        for (int i = 0; i < K; ++i)
            list.insert(other[i]);
    }
    if (tile.thread_rank() == 0)
#pragma unroll
        for (int i = 0; i < K; ++i) {
            values[row * K + i] = list.e[i].value;
            places[row * K + i] = list.e[i].place;
        }
}

// A block a row: K times the best of what is left.
extern "C" __global__ void topk_reference(float *values, int *places, const float *in, int rows, int columns)
{
    __shared__ float best[256];
    __shared__ int at[256];
    const int row = blockIdx.x, t = threadIdx.x;
    float last = 3.4e38f;
    int last_place = -1;
    for (int k = 0; k < K; k++) {
        best[t] = -3.4e38f, at[t] = 0x7fffffff;
        for (int c = t; c < columns; c += 256) {
            const float v = in[(size_t)row * columns + c];
            const bool left = v < last || (v == last && c > last_place);
            if (left && v > best[t])
                best[t] = v, at[t] = c;
        }
        __syncthreads();
        if (t == 0) {
            for (int i = 1; i < 256; i++)
                if (better({best[i], at[i]}, {best[0], at[0]}))
                    best[0] = best[i], at[0] = at[i];
            values[row * K + k] = best[0];
            places[row * K + k] = at[0];
        }
        __syncthreads();
        last = best[0], last_place = at[0];
        __syncthreads();
    }
}
