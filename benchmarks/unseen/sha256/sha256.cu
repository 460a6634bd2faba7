// SHA-256 of the first block of many messages, its rounds unrolled or not.
#ifndef THREADS
#define THREADS  128
#define MESSAGES 1
#define UNROLL   16
#define TABLE    0
#define LAYOUT   0
#endif

// The values of TABLE: where the round constants lie,
#define TABLE_CONSTANT 0
#define TABLE_GLOBAL   1
#define TABLE_SHARED   2
// and of LAYOUT: how a thread reads its message.
#define LAYOUT_WORDS   0
#define LAYOUT_VECTORS 1

#define KEYS                                                                                                 \
    {                                                                                                        \
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,      \
            0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,  \
            0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,  \
            0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,  \
            0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,  \
            0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,  \
            0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,  \
            0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,  \
    }

__constant__ unsigned keys[64] = KEYS;
__device__ const unsigned far_keys[64] = KEYS;

__device__ __forceinline__ unsigned turn(unsigned x, int by)
{
    return __funnelshift_r(x, x, by);
}

// Hashes one block of 16 words, which are used up.
__device__ __forceinline__ void compress(unsigned *state, unsigned *w, const unsigned *table)
{
    unsigned a = state[0], b = state[1], c = state[2], d = state[3];
    unsigned e = state[4], f = state[5], g = state[6], h = state[7];
#pragma unroll UNROLL
    for (int i = 0; i < 64; i++) {
        if (i >= 16) {
            const unsigned x = w[(i + 1) % 16], y = w[(i + 14) % 16];
            w[i % 16] +=
                (turn(x, 7) ^ turn(x, 18) ^ x >> 3) + w[(i + 9) % 16] + (turn(y, 17) ^ turn(y, 19) ^ y >> 10);
        }
        const unsigned one =
            h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (g ^ e & (f ^ g)) + table[i] + w[i % 16];
        const unsigned two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + (a & b | c & (a | b));
        h = g;
        g = f;
        f = e;
        e = d + one;
        d = c;
        c = b;
        b = a;
        a = one + two;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

#define START                                                                                                \
    {                                                                                                        \
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19       \
    }

extern "C" __global__ void __launch_bounds__(THREADS)
    sha256(unsigned *__restrict__ digests, const unsigned *__restrict__ messages, int n)
{
#if TABLE == TABLE_SHARED
    __shared__ unsigned table[64];
    for (int k = threadIdx.x; k < 64; k += THREADS)
        table[k] = keys[k];
    __syncthreads();
#elif TABLE == TABLE_GLOBAL
    const unsigned *table = far_keys;
#else
    const unsigned *table = keys;
#endif
    for (int m = 0; m < MESSAGES; m++) {
        const int i = (blockIdx.x * MESSAGES + m) * THREADS + threadIdx.x;
        unsigned state[8] = START;
        __align__(16) unsigned w[16];
        if (i >= n)
            return;
#pragma unroll
        for (int k = 0; k < 16; k += LAYOUT == LAYOUT_VECTORS ? 4 : 1)
            if (LAYOUT == LAYOUT_VECTORS)
                *(uint4 *)&w[k] = *(const uint4 *)&messages[i * 16 + k];
            else
                w[k] = messages[i * 16 + k];
        compress(state, w, table);
#pragma unroll
        for (int k = 0; k < 8; k++)
            digests[i * 8 + k] = state[k];
    }
}

// The schedule written out first, as the standard has it.
extern "C" __global__ void sha256_reference(unsigned *__restrict__ digests,
                                            const unsigned *__restrict__ messages, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned w[64], s[8], start[8] = START;
    if (i >= n)
        return;
    for (int k = 0; k < 16; k++)
        w[k] = messages[i * 16 + k];
    for (int k = 16; k < 64; k++)
        w[k] = w[k - 16] + (turn(w[k - 15], 7) ^ turn(w[k - 15], 18) ^ w[k - 15] >> 3) + w[k - 7] +
               (turn(w[k - 2], 17) ^ turn(w[k - 2], 19) ^ w[k - 2] >> 10);
    for (int k = 0; k < 8; k++)
        s[k] = start[k];
    for (int k = 0; k < 64; k++) {
        const unsigned one = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) +
                             (s[4] & s[5] ^ ~s[4] & s[6]) + keys[k] + w[k];
        const unsigned two =
            (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + (s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2]);
        for (int j = 7; j > 0; j--)
            s[j] = s[j - 1];
        s[4] += one;
        s[0] = one + two;
    }
    for (int k = 0; k < 8; k++)
        digests[i * 8 + k] = start[k] + s[k];
}
