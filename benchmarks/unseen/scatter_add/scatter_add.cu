// Adds values to bins named by keys, of which few are much used: directly, after lanes with equal keys have
// met, or after a small table in shared memory.
#ifndef THREADS
#define THREADS 256
#define ITEMS   4
#define METHOD  0
#define LAYOUT  0
#endif

// The values of METHOD
#define METHOD_DIRECT 0
#define METHOD_MATCH  1 // lanes with equal keys send one sum
#define METHOD_TABLE  2 // sums are kept in a table of the block until another key wants the place
#define SLOTS         1024
// and of LAYOUT: a thread's keys lie THREADS apart or beside each other.
#define LAYOUT_STRIDED 0
#define LAYOUT_VECTORS 1

__device__ __forceinline__ void add_matched(int *bins, int key, int value)
{
    const unsigned same = __match_any_sync(__activemask(), key);
    const int sum = __reduce_add_sync(same, value);
    if (threadIdx.x % 32 == __ffs(same) - 1)
        atomicAdd(&bins[key], sum);
}

// Bins below SLOTS have a place of their own; the others are many and rarely meet.
__device__ __forceinline__ void add_table(int *bins, int *table, int key, int value)
{
    atomicAdd(key < SLOTS ? &table[key] : &bins[key], value);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    scatter_add(int *__restrict__ bins, const int *__restrict__ keys, const int *__restrict__ values, int n)
{
    const int first = blockIdx.x * THREADS * ITEMS;
    int key[ITEMS], value[ITEMS];
#if METHOD == METHOD_TABLE
    __shared__ int table[SLOTS];
    for (int k = threadIdx.x; k < SLOTS; k += THREADS)
        table[k] = 0;
    __syncthreads();
#endif
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const int i =
            first + (LAYOUT == LAYOUT_VECTORS ? threadIdx.x * ITEMS + k : k * THREADS + threadIdx.x);
        key[k] = i < n ? keys[i] : 0;
        value[k] = i < n ? values[i] : 0;
    }
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
#if METHOD == METHOD_DIRECT
        atomicAdd(&bins[key[k]], value[k]);
#elif METHOD == METHOD_MATCH
        add_matched(bins, key[k], value[k]);
#else
        add_table(bins, table, key[k], value[k]);
#endif
    }
#if METHOD == METHOD_TABLE
    __syncthreads();
    for (int k = threadIdx.x; k < SLOTS; k += THREADS)
        if (table[k] != 0)
            atomicAdd(&bins[k], table[k]);
#endif
}

extern "C" __global__ void scatter_add_reference(int *__restrict__ bins, const int *__restrict__ keys,
                                                 const int *__restrict__ values, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[keys[i]], values[i]);
}
