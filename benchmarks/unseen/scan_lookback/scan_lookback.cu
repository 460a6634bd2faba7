// Inclusive prefix sum in one pass: blocks take tiles in order of arrival, publish the sum of their tile and look back
// over the tiles before it (Merrill and Garland). The last block to end clears the state for the next launch.
#define WARP  32
#define WARPS (NT / WARP)
#define TILE  (NT * IPT)

#define FLAG_AGGREGATE 1ull
#define FLAG_PREFIX    2ull

typedef unsigned long long u64;

__device__ __forceinline__ u64 load_acquire(const u64 *p)
{
    u64 v;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}

__device__ __forceinline__ void store_release(u64 *p, u64 v)
{
    asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}

__device__ __forceinline__ unsigned scan_warp(unsigned v)
{
    const int lane = threadIdx.x % WARP;
#pragma unroll
    for (int d = 1; d < WARP; d *= 2) {
        const unsigned other = __shfl_up_sync(~0u, v, d);
        if (lane >= d)
            v += other;
    }
    return v;
}

// Sum of all tiles before `tile`, by the first warp.
__device__ unsigned look_back(const u64 *state, int tile)
{
    const int lane = threadIdx.x % WARP;
    unsigned sum = 0;
    for (int at = tile - 1;; at -= WARP) {
        const int mine = at - lane;
        u64 s = FLAG_PREFIX << 32;
        if (mine >= 0)
            do
                s = load_acquire(state + mine);
            while (s >> 32 == 0);
        const unsigned done = __ballot_sync(~0u, s >> 32 == FLAG_PREFIX);
        const int last = done ? __ffs(done) - 1 : WARP - 1;
        sum += __reduce_add_sync(~0u, lane <= last ? (unsigned)s : 0u);
        if (done)
            return sum;
    }
}

extern "C" __global__ void __launch_bounds__(NT)
    scan_lookback(unsigned *__restrict__ out, const unsigned *__restrict__ in, u64 *state, unsigned *counters, int n)
{
    __shared__ unsigned warp_sums[WARPS];
    __shared__ int s_tile;
    __shared__ unsigned s_before;
#if TRANSPOSED
    __shared__ unsigned exchange[TILE + TILE / 32];
#endif
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;

    if (threadIdx.x == 0)
        s_tile = atomicAdd(&counters[0], 1u);
    __syncthreads();
    const int tile = s_tile;
    const size_t base = (size_t)tile * TILE;

    unsigned v[IPT];
#if TRANSPOSED
#pragma unroll
    for (int i = 0; i < IPT; ++i) {
        const int at = i * NT + threadIdx.x;
        exchange[at + at / 32] = base + at < n ? in[base + at] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < IPT; ++i) {
        const int at = threadIdx.x * IPT + i;
        v[i] = exchange[at + at / 32];
    }
#else
#pragma unroll
    for (int i = 0; i < IPT; i += 4) {
        const uint4 q = *(const uint4 *)(in + base + threadIdx.x * IPT + i);
        v[i] = q.x, v[i + 1] = q.y, v[i + 2] = q.z, v[i + 3] = q.w;
    }
#endif
#pragma unroll
    for (int i = 1; i < IPT; ++i)
        v[i] += v[i - 1];

    const unsigned inclusive = scan_warp(v[IPT - 1]);
    if (lane == WARP - 1)
        warp_sums[warp] = inclusive;
    __syncthreads();
    if (warp == 0) {
        const unsigned w = scan_warp(lane < WARPS ? warp_sums[lane] : 0);
        const unsigned total = __shfl_sync(~0u, w, WARPS - 1);
        if (lane < WARPS)
            warp_sums[lane] = w;
        unsigned before = 0;
        if (tile > 0) {
            if (lane == 0)
                store_release(state + tile, FLAG_AGGREGATE << 32 | total);
            before = look_back(state, tile);
        }
        if (lane == 0) {
            store_release(state + tile, FLAG_PREFIX << 32 | (before + total));
            s_before = before;
        }
    }
    __syncthreads();
    const unsigned add = s_before + (warp ? warp_sums[warp - 1] : 0) + inclusive - v[IPT - 1];
#if TRANSPOSED
#pragma unroll
    for (int i = 0; i < IPT; ++i) {
        const int at = threadIdx.x * IPT + i;
        exchange[at + at / 32] = v[i] + add;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < IPT; ++i) {
        const int at = i * NT + threadIdx.x;
        if (base + at < n)
            out[base + at] = exchange[at + at / 32];
    }
#else
#pragma unroll
    for (int i = 0; i < IPT; i += 4)
        *(uint4 *)(out + base + threadIdx.x * IPT + i) =
            make_uint4(v[i] + add, v[i + 1] + add, v[i + 2] + add, v[i + 3] + add);
#endif

    __shared__ bool s_last;
    if (threadIdx.x == 0) {
        __threadfence();
        s_last = atomicAdd(&counters[1], 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (s_last) {
        for (int i = threadIdx.x; i < gridDim.x; i += NT)
            state[i] = 0;
        if (threadIdx.x < 2)
            counters[threadIdx.x] = 0;
    }
}

// Two levels by one block: a thread sums its part, the parts are scanned, and it goes over them again.
extern "C" __global__ void scan_reference(unsigned *__restrict__ out, const unsigned *__restrict__ in, u64 *state,
                                          unsigned *counters, int n)
{
    __shared__ unsigned part[1024];
    const int each = (n + 1023) / 1024, first = threadIdx.x * each, end = min(first + each, n);
    unsigned sum = 0;
    for (int i = first; i < end; i++)
        sum += in[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 1; i < 1024; i++)
            part[i] += part[i - 1];
    __syncthreads();
    sum = part[threadIdx.x] - sum;
    for (int i = first; i < end; i++)
        out[i] = sum += in[i];
}
