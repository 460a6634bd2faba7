// One digit of a radix sort within a tile of 4096 key-value pairs: keys are ranked by their digit, stably, put in order in
// shared memory and written out; beside them the tile's histogram, digit major, as the next pass scans it.
constexpr int kTile = 4096;
constexpr int kRadix = 1 << BITS;
constexpr int kWarps = THREADS / 32;
constexpr int kItems = kTile / THREADS;

struct Shared {
    unsigned counts[kWarps][kRadix]; // of a warp, then where its first key of a digit goes
    unsigned base[kRadix];
    unsigned keys[kTile];
    unsigned values[kTile];
};

__device__ __forceinline__ unsigned peers_of(unsigned digit)
{
#if MATCH
    return __match_any_sync(0xffffffffu, digit);
#else
    unsigned mask = 0xffffffffu;
#pragma unroll
    for (int b = 0; b < BITS; b++) {
        const bool bit = digit >> b & 1;
        const unsigned votes = __ballot_sync(0xffffffffu, bit);
        mask &= bit ? votes : ~votes;
    }
    return mask;
#endif
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    radix_tile(unsigned *__restrict__ keys_out, unsigned *__restrict__ values_out, unsigned *__restrict__ histogram,
               const unsigned *__restrict__ keys_in, const unsigned *__restrict__ values_in, int shift, int tiles)
{
    extern __shared__ __align__(16) unsigned char raw[];
    Shared &s = *reinterpret_cast<Shared *>(raw);
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const size_t tile = (size_t)blockIdx.x * kTile;

    for (int i = threadIdx.x; i < kWarps * kRadix; i += THREADS)
        (&s.counts[0][0])[i] = 0;
    __syncthreads();

    // A warp has consecutive keys, so that ranks by warp, then item, then lane are stable.
    unsigned key[kItems], rank[kItems];
    const size_t mine = tile + warp * 32 * kItems + lane;
#pragma unroll
    for (int i = 0; i < kItems; i++)
        key[i] = keys_in[mine + i * 32];
#pragma unroll
    for (int i = 0; i < kItems; i++) {
        const unsigned digit = key[i] >> shift & (kRadix - 1);
        const unsigned peers = peers_of(digit);
        const unsigned before = s.counts[warp][digit];
        const int in_front = __popc(peers & ((1u << lane) - 1));
        __syncwarp();
        if (in_front == 0)
            s.counts[warp][digit] = before + __popc(peers);
        __syncwarp();
        rank[i] = before + in_front;
    }
    __syncthreads();

    // Columns of the table of counts, then the digits' totals.
    for (int d = threadIdx.x; d < kRadix; d += THREADS) {
        unsigned sum = 0;
#pragma unroll
        for (int w = 0; w < kWarps; w++) {
            const unsigned c = s.counts[w][d];
            s.counts[w][d] = sum;
            sum += c;
        }
        s.base[d] = sum;
        histogram[(size_t)d * tiles + blockIdx.x] = sum;
    }
    __syncthreads();
    if (warp == 0) {
        unsigned carry = 0;
        for (int d0 = 0; d0 < kRadix; d0 += 32) {
            const unsigned c = d0 + lane < kRadix ? s.base[d0 + lane] : 0;
            unsigned sum = c;
#pragma unroll
            for (int o = 1; o < 32; o <<= 1) {
                const unsigned t = __shfl_up_sync(0xffffffffu, sum, o);
                if (lane >= o)
                    sum += t;
            }
            if (d0 + lane < kRadix)
                s.base[d0 + lane] = carry + sum - c;
            carry += __shfl_sync(0xffffffffu, sum, 31);
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kItems; i++) {
        const unsigned digit = key[i] >> shift & (kRadix - 1);
        const unsigned to = s.base[digit] + s.counts[warp][digit] + rank[i];
        s.keys[to] = key[i];
        s.values[to] = values_in[mine + i * 32];
    }
    __syncthreads();
#if VECTOR == 4
    for (int i = threadIdx.x; i < kTile / 4; i += THREADS) {
        reinterpret_cast<uint4 *>(keys_out + tile)[i] = reinterpret_cast<const uint4 *>(s.keys)[i];
        reinterpret_cast<uint4 *>(values_out + tile)[i] = reinterpret_cast<const uint4 *>(s.values)[i];
    }
#else
    for (int i = threadIdx.x; i < kTile; i += THREADS) {
        keys_out[tile + i] = s.keys[i];
        values_out[tile + i] = s.values[i];
    }
#endif
}

// A key's place is the number of keys of its tile that go before it.
extern "C" __global__ void radix_reference(unsigned *__restrict__ keys_out, unsigned *__restrict__ values_out,
                                           unsigned *__restrict__ histogram, const unsigned *__restrict__ keys_in,
                                           const unsigned *__restrict__ values_in, int shift, int tiles)
{
    const size_t tile = (size_t)blockIdx.x * kTile;
    for (int d = threadIdx.x; d < kRadix; d += blockDim.x) {
        unsigned count = 0;
        for (int j = 0; j < kTile; j++)
            count += (keys_in[tile + j] >> shift & (kRadix - 1)) == d;
        histogram[(size_t)d * tiles + blockIdx.x] = count;
    }
    for (int i = threadIdx.x; i < kTile; i += blockDim.x) {
        const unsigned key = keys_in[tile + i], digit = key >> shift & (kRadix - 1);
        int to = 0;
        for (int j = 0; j < kTile; j++) {
            const unsigned d = keys_in[tile + j] >> shift & (kRadix - 1);
            to += d < digit || (d == digit && j < i);
        }
        keys_out[tile + to] = key;
        values_out[tile + to] = values_in[tile + i];
    }
}
