// The end of a thread block: its sums go to C, or, where SPLIT_K blocks have each summed a share of k for the
// same tile, are added up first, always in the order of k: the same bits come out every time.

constexpr int ROW_VECTORS = THREAD_N / VEC, VECTORS = THREAD_M * ROW_VECTORS; // of a thread

// VEC of this thread's sums. The product lies in registers of its own: with a sum stored as it is the
// compiler would align the sums to vectors, and find no order of registers in which FFMAs do not meet in a
// bank.
__device__ __forceinline__ float4 sum_vector(const float (&sum)[THREAD_M][THREAD_N], int v, float one)
{
    const int i = v / ROW_VECTORS, j = v % ROW_VECTORS * VEC;
    return make_float4(one * sum[i][j], one * sum[i][j + 1], one * sum[i][j + 2], one * sum[i][j + 3]);
}

// Vector v of this thread's part to C.
template <bool WHOLE>
__device__ __forceinline__ void store_vector(const matrices &out, const tile &at, const part &p, int v,
                                             const float4 &x)
{
    const int row = at.row + p.row + part_row(v / ROW_VECTORS),
              column = at.column + p.column + part_column(v % ROW_VECTORS * VEC);
    float *to = out.C + (long long)row * out.N + column;
    if (WHOLE) {
        *(float4 *)to = x;
        return;
    }
#pragma unroll
    for (int n = 0; n < VEC; n++)
        if (row < out.M && column + n < out.N)
            to[n] = component(x, n);
}

#if SPLIT_K == 1
template <bool WHOLE>
__device__ __forceinline__ void store_sums(const matrices &out, const tile &at, const part &p,
                                           const float (&sum)[THREAD_M][THREAD_N], float *)
{
#pragma unroll
    for (int v = 0; v < VECTORS; v++)
        store_vector<WHOLE>(out, at, p, v, sum_vector(sum, v, out.one));
}
#else
__device__ __forceinline__ void add(float4 &to, const float4 &x)
{
    to.x += x.x;
    to.y += x.y;
    to.z += x.z;
    to.w += x.w;
}

#if CLUSTER > 1
// Waits for the thread blocks of the cluster, and shows them this block's shared memory.
__device__ __forceinline__ void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
}

__device__ __forceinline__ float4 load_of_block(const float4 *shared, int rank)
{
    float4 v;
    asm volatile("{ .reg .u32 there; mapa.shared::cluster.u32 there, %4, %5;"
                 " ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [there]; }"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(shared_address((const float *)shared)), "r"(rank)
                 : "memory");
    return v;
}
#endif

// Of the tile's sums over this cluster's share of k the vectors rank, rank + CLUSTER, ... are this block's to
// pass on; `pass(v, x)` is called for each.
template <class PASS>
__device__ __forceinline__ void sum_of_cluster(const float (&sum)[THREAD_M][THREAD_N], float one,
                                               float *shared, PASS pass)
{
#if CLUSTER > 1
    float4 *mine = reinterpret_cast<float4 *>(shared) + threadIdx.x;
    __syncthreads(); // the stages are not read any more
#pragma unroll
    for (int v = 0; v < VECTORS; v++)
        mine[v * THREADS] = sum_vector(sum, v, one);
    cluster_sync();
    for (int v = blockIdx.x % CLUSTER; v < VECTORS; v += CLUSTER) {
        float4 total = load_of_block(mine + v * THREADS, 0);
#pragma unroll
        for (int rank = 1; rank < CLUSTER; rank++)
            add(total, load_of_block(mine + v * THREADS, rank));
        pass(v, total);
    }
    cluster_sync(); // nobody leaves while its shared memory is read
#else
#pragma unroll
    for (int v = 0; v < VECTORS; v++)
        pass(v, sum_vector(sum, v, one));
#endif
}

// Every cluster leaves its sums in `partial`; the last to arrive adds all of them up and stores the tile.
template <bool WHOLE>
__device__ __forceinline__ void store_sums(const matrices &out, const tile &at, const part &p,
                                           const float (&sum)[THREAD_M][THREAD_N], float *shared)
{
    constexpr int CLUSTERS = SPLIT_K / CLUSTER; // of a tile
    const int index = blockIdx.x / SPLIT_K, rank = blockIdx.x % CLUSTER,
              cluster = blockIdx.x % SPLIT_K / CLUSTER;
    float4 *parts = reinterpret_cast<float4 *>(out.partial) +
                    (long long)index * CLUSTERS * VECTORS * THREADS + threadIdx.x;

    if (CLUSTERS == 1) {
        sum_of_cluster(sum, out.one, shared,
                       [&](int v, const float4 &x) { store_vector<WHOLE>(out, at, p, v, x); });
        return;
    }
    sum_of_cluster(sum, out.one, shared,
                   [&](int v, const float4 &x) { __stcg(parts + (cluster * VECTORS + v) * THREADS, x); });
    __threadfence();
    __syncthreads();
    // Counts to CLUSTERS - 1 and from there to zero: as the kernel finds it, it leaves it.
    const bool last =
        threadIdx.x == 0 && atomicInc(out.arrived + index * CLUSTER + rank, CLUSTERS - 1) == CLUSTERS - 1;
    if (!__syncthreads_or(last))
        return;
    __threadfence();
#pragma unroll 2
    for (int v = rank; v < VECTORS; v += CLUSTER) {
        float4 total = __ldcg(parts + v * THREADS);
#pragma unroll
        for (int c = 1; c < CLUSTERS; c++)
            add(total, __ldcg(parts + (c * VECTORS + v) * THREADS));
        store_vector<WHOLE>(out, at, p, v, total);
    }
}
#endif
