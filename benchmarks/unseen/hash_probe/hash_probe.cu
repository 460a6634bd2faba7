// The probe side of a hash join: keys look for their partner in an open-addressed table (linear probing by buckets of
// WAYS slots) and sum what they find; matches are counted by one atomic a warp.
#define EMPTY 0xffffffffu

typedef struct __align__(8) {
    unsigned key, value;
} slot_t;

__device__ __forceinline__ unsigned mix(unsigned h)
{
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ h >> 16;
}

#if WAYS == 2
__device__ __forceinline__ unsigned probe(const slot_t *__restrict__ table, unsigned mask, unsigned key)
{
    for (unsigned at = mix(key) & mask & ~1u;; at = (at + 2) & mask) {
        const uint4 two = __ldg((const uint4 *)(table + at));
        if (two.x == key)
            return two.y;
        if (two.z == key)
            return two.w;
        if (two.x == EMPTY || two.z == EMPTY)
            return EMPTY;
    }
}
#else
__device__ __forceinline__ unsigned probe(const slot_t *__restrict__ table, unsigned mask, unsigned key)
{
    for (unsigned at = mix(key) & mask & ~1u;; at = (at + 1) & mask) {
        const uint2 one = __ldg((const uint2 *)(table + at));
        if (one.x == key)
            return one.y;
        if (one.x == EMPTY)
            return EMPTY;
    }
}
#endif

extern "C" __global__ void __launch_bounds__(THREADS)
hash_probe(unsigned *__restrict__ out, unsigned *__restrict__ found, const unsigned *__restrict__ keys,
           const slot_t *__restrict__ table, unsigned mask, int n)
{
    const int stride = gridDim.x * THREADS;
    int count = 0;
#if BATCH == 1
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += stride) {
        const unsigned v = probe(table, mask, keys[i]);
        out[i] = v;
        count += v != EMPTY;
    }
#else
    // The first look of all of a batch is under way before any is judged.
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += stride * BATCH) {
        unsigned key[BATCH];
        uint2 first[BATCH];
#pragma unroll
        for (int b = 0; b < BATCH; b++)
            key[b] = i + b * stride < n ? keys[i + b * stride] : 0;
#pragma unroll
        for (int b = 0; b < BATCH; b++)
            first[b] = __ldg((const uint2 *)(table + (mix(key[b]) & mask & ~1u)));
#pragma unroll
        for (int b = 0; b < BATCH; b++) {
            if (i + b * stride >= n)
                break;
            const unsigned v = first[b].x == key[b] ? first[b].y
                               : first[b].x == EMPTY ? EMPTY
                                                     : probe(table, mask, key[b]);
            out[i + b * stride] = v;
            count += v != EMPTY;
        }
    }
#endif
#if WARP_SUM
    count = __reduce_add_sync(0xffffffffu, count);
    if (threadIdx.x % 32 == 0 && count)
        atomicAdd(found, count);
#else
    if (count)
        atomicAdd(found, count);
#endif
}

extern "C" __global__ void hash_reference(unsigned *out, unsigned *found, const unsigned *keys, const slot_t *table,
                                          unsigned mask, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned at = mix(keys[i]) & mask & ~1u, v = EMPTY;
    for (; table[at].key != EMPTY; at = (at + 1) & mask)
        if (table[at].key == keys[i]) {
            v = table[at].value;
            break;
        }
    out[i] = v;
    if (v != EMPTY)
        atomicAdd(found, 1);
}
