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
