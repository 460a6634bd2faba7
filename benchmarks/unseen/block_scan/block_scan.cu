// First step of a long prefix sum: each block scans its own segment, THREADS x ITEMS elements at a time.
#ifndef THREADS
#define THREADS  256
#define ITEMS    4
#define SHUFFLES 1
#define LOAD     0
#endif
#define SEGMENT 8192
#define CHUNK   (THREADS * ITEMS)

// The values of LOAD: a thread scans ITEMS consecutive elements;
#define LOAD_EACH     0 // it loads them one by one,
#define LOAD_VECTORS  1 // four at a time,
#define LOAD_EXCHANGE 2 // or the block loads them side by side and exchanges them through shared memory

__device__ __forceinline__ int padded(int k)
{
    return k + k / 32;
}

// The sum over the threads before this one; *all becomes the sum over all.
__device__ __forceinline__ int scan_threads(int mine, int *all)
{
    __shared__ int sums[SHUFFLES ? 32 : 2 * THREADS];
    const int thread = threadIdx.x;
    int sum = mine;
#if SHUFFLES
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const int before = __shfl_up_sync(0xffffffff, sum, d);
        if (thread % 32 >= d)
            sum += before;
    }
    if (thread % 32 == 31)
        sums[thread / 32] = sum;
    __syncthreads();
    int offset = 0, total = 0;
#pragma unroll
    for (int w = 0; w < THREADS / 32; w++) {
        offset += w < thread / 32 ? sums[w] : 0;
        total += sums[w];
    }
    *all = total;
    return offset + sum - mine;
#else
    int at = 0;
    sums[thread] = sum;
    __syncthreads();
#pragma unroll
    for (int d = 1; d < THREADS; d *= 2) {
        if (thread >= d)
            sum += sums[at + thread - d];
        at = THREADS - at;
        sums[at + thread] = sum;
        __syncthreads();
    }
    *all = sums[at + THREADS - 1];
    return sum - mine;
#endif
}

__device__ __forceinline__ void load(int *item, const int *__restrict__ in, int *exchange)
{
    const int first = threadIdx.x * ITEMS;
#if LOAD == LOAD_EXCHANGE
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        exchange[padded(k * THREADS + threadIdx.x)] = in[k * THREADS + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        item[k] = exchange[padded(first + k)];
#elif LOAD == LOAD_VECTORS
#pragma unroll
    for (int k = 0; k < ITEMS; k += 4)
        *(int4 *)&item[k] = *(const int4 *)&in[first + k];
#else
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        item[k] = in[first + k];
#endif
}

__device__ __forceinline__ void store(int *__restrict__ out, const int *item, int *exchange)
{
    const int first = threadIdx.x * ITEMS;
#if LOAD == LOAD_EXCHANGE
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        exchange[padded(first + k)] = item[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        out[k * THREADS + threadIdx.x] = exchange[padded(k * THREADS + threadIdx.x)];
#elif LOAD == LOAD_VECTORS
#pragma unroll
    for (int k = 0; k < ITEMS; k += 4)
        *(int4 *)&out[first + k] = *(const int4 *)&item[k];
#else
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        out[first + k] = item[k];
#endif
}

extern "C" __global__ void __launch_bounds__(THREADS)
    block_scan(int *__restrict__ out, const int *__restrict__ in)
{
    __shared__ int exchange[LOAD == LOAD_EXCHANGE ? CHUNK + CHUNK / 32 : 1];
    int before = 0;

    for (int chunk = 0; chunk < SEGMENT; chunk += CHUNK) {
        const long long start = (long long)blockIdx.x * SEGMENT + chunk;
        __align__(16) int item[ITEMS];
        int sum = 0, all;
        load(item, in + start, exchange);
#pragma unroll
        for (int k = 0; k < ITEMS; k++)
            item[k] = sum += item[k];
        const int mine = before + scan_threads(sum, &all);
#pragma unroll
        for (int k = 0; k < ITEMS; k++)
            item[k] += mine;
        store(out + start, item, exchange);
        before += all;
        __syncthreads();
    }
}

// One warp a segment, 32 elements at a time.
extern "C" __global__ void block_scan_reference(int *__restrict__ out, const int *__restrict__ in)
{
    const long long start = (long long)blockIdx.x * SEGMENT;
    int before = 0;
    for (int k = threadIdx.x; k < SEGMENT; k += 32) {
        int sum = in[start + k];
        for (int d = 1; d < 32; d *= 2) {
            const int left = __shfl_up_sync(0xffffffff, sum, d);
            sum += threadIdx.x >= d ? left : 0;
        }
        out[start + k] = sum += before;
        before = __shfl_sync(0xffffffff, sum, 31);
    }
}
