// Loops that a lane may leave before others, so that the compiler has those that stay give way (YIELD). Compiled by CUDA 13 with
//   nvcc -arch=sm_90 -cubin -o yields_sm90.cubin yields.cu

// Each lane looks for a number in up to four places, row after row: those that have found theirs go on to the next row.
extern "C" __global__ void probes(const unsigned *first, unsigned *rows_done, int rows)
{
    __shared__ unsigned keys[256], found[256];

    for (int i = threadIdx.x; i < 256; i += 32)
        keys[i] = i % 4 == 3 ? 77 : 5;
    __syncthreads();
#pragma unroll 1
    for (int j = 0; j < rows; j++) {
        unsigned at = first[(threadIdx.x * 7 + j * 13) & 255];
        bool placed = false;

#pragma unroll 1
        for (int probe = 0; probe < 4 && !placed; probe++, at = (at + 1) & 255) {
            unsigned key = *(volatile unsigned *)&keys[at];

            if (key == 0xffffffffu)
                key = atomicCAS(&keys[at], 0xffffffffu, 3);
            if (key == 77) {
                atomicAdd(&found[at], 1u);
                placed = true;
            }
        }
        rows_done[j * 32 + threadIdx.x] = placed;
    }
}

// Two such loops one behind the other, at one convergence barrier: lanes of one meet lanes of the other.
extern "C" __global__ void entries(const unsigned *keys, unsigned *entered, int rounds)
{
    __shared__ unsigned table[2048];
    unsigned mine = 0;

    for (int i = threadIdx.x; i < 2048; i += blockDim.x)
        table[i] = 0xffffffffu;
    __syncthreads();
#pragma unroll 1
    for (int j = 0; j < rounds; j++) {
        const unsigned key[2] = {keys[2 * j * blockDim.x + threadIdx.x],
                                 keys[(2 * j + 1) * blockDim.x + threadIdx.x]};

#pragma unroll
        for (int k = 0; k < 2; k++) {
            unsigned slot = key[k] * 2654435769u >> 16 & 2047;

            while (true) {
                const unsigned there = atomicCAS(&table[slot], 0xffffffffu, key[k]);

                mine += there == 0xffffffffu;
                if (there == 0xffffffffu || there == key[k])
                    break;
                slot = (slot + 1) & 2047;
            }
        }
    }
    entered[threadIdx.x] = __reduce_add_sync(0xffffffff, mine);
}

// Lanes that left such a loop at different times meet at the barriers of the warp behind it.
extern "C" __global__ void gathers(const unsigned *keys, unsigned *out)
{
    __shared__ unsigned table[256];
    const unsigned key = keys[threadIdx.x] % 20 + 1;
    unsigned slot = key % 8;

    for (int i = threadIdx.x; i < 256; i += 32)
        table[i] = 0;
    __syncwarp();
    while (true) {
        unsigned there = *(volatile unsigned *)&table[slot];

        if (there == 0)
            there = atomicCAS(&table[slot], 0u, key);
        if (there == 0 || there == key)
            break;
        slot = (slot + 1) & 255;
    }
    __syncwarp();
    if (threadIdx.x == 0)
        table[255] = table[7];
    __syncwarp();
    out[threadIdx.x] = __shfl_sync(0xffffffff, slot, (threadIdx.x + 1) & 31);
    out[32 + threadIdx.x] = table[255];
    out[64 + threadIdx.x] = key;
    out[96 + threadIdx.x] = slot;
}
