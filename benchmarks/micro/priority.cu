// What L2 keeps of data marked to be evicted first. A block reads the first half of every 64 bytes of its chunk, then the
// second, which DRAM brought with the first; beside it, it writes as many bytes elsewhere.
//   READ(p): a load

extern "C" __global__ void __launch_bounds__(512)
    halves(const unsigned *in, unsigned *out, unsigned chunk, unsigned mask)
{
    const unsigned long long first = (unsigned long long)blockIdx.x * chunk;
    const unsigned words = chunk / 2;

#pragma unroll 1
    for (unsigned half = 0; half < 2; half++)
#pragma unroll 1
        for (unsigned w = threadIdx.x; w < words; w += 2 * blockDim.x) {
            unsigned v[2];
#pragma unroll
            for (unsigned k = 0; k < 2; k++) {
                const unsigned e = w + k * blockDim.x;
                v[k] = READ(in + ((first + e / 8 * 16 + half * 8 + e % 8) & mask));
            }
#pragma unroll
            for (unsigned k = 0; k < 2; k++)
                out[(first + half * words + w + k * blockDim.x) & mask] = v[k];
        }
}
