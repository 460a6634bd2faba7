// Signatures of documents: for each of 128 hash functions the least hash of a document's tokens. Integer work.
#ifndef HASHES
#define HASHES    2
#define DOCUMENTS 1
#define STAGE     0
#define UNROLL    1
#endif
#define FUNCTIONS 128
#define LANES     (FUNCTIONS / HASHES)

__device__ __forceinline__ unsigned mix(unsigned h)
{
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ h >> 16;
}

extern "C" __global__ void __launch_bounds__(LANES *DOCUMENTS)
    minhash(unsigned *__restrict__ signature, const unsigned *__restrict__ token,
            const unsigned *__restrict__ seeds, int documents)
{
    const int document = min(blockIdx.x * DOCUMENTS + threadIdx.y, documents - 1);
    const unsigned *from = token + (long long)document * TOKENS;
    unsigned seed[HASHES], least[HASHES];
#if STAGE
    __shared__ unsigned kept[DOCUMENTS][TOKENS];
    for (int k = threadIdx.x; k < TOKENS; k += LANES)
        kept[threadIdx.y][k] = from[k];
    __syncthreads();
#endif
#pragma unroll
    for (int h = 0; h < HASHES; h++) {
        seed[h] = seeds[h * LANES + threadIdx.x];
        least[h] = 0xffffffffu;
    }
#pragma unroll UNROLL
    for (int k = 0; k < TOKENS; k++) {
#if STAGE
        const unsigned one = kept[threadIdx.y][k];
#else
        const unsigned one = from[k];
#endif
#pragma unroll
        for (int h = 0; h < HASHES; h++)
            least[h] = min(least[h], mix(one ^ seed[h]));
    }
#pragma unroll
    for (int h = 0; h < HASHES; h++)
        signature[(long long)document * FUNCTIONS + h * LANES + threadIdx.x] = least[h];
}
