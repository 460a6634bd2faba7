// Copies past L1 into rows of shared memory that are PITCH bytes apart, 64 bytes each.
extern "C" __global__ void __launch_bounds__(64) copied(unsigned *out, const char *in, int n)
{
    __shared__ __align__(128) char rows[2 * 8 * PITCH];
    const unsigned lane = threadIdx.x % 32, place = threadIdx.x / 4 * PITCH + lane % 4 * 16;
    const unsigned to = (unsigned)__cvta_generic_to_shared(rows) + place;
    const char *from = in + (blockIdx.x * 16 + threadIdx.x / 4) * 4096 + lane % 4 * 16;

#pragma unroll 1
    for (int k = 0; k < n; k++, from += 64) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
        asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
    }
    out[blockIdx.x * 64 + threadIdx.x] = *(unsigned *)&rows[place];
}

// The same into a ring of stages.
extern "C" __global__ void __launch_bounds__(64) staged(unsigned *out, const char *in, int n)
{
    __shared__ __align__(128) char rows[3][16 * PITCH];
    const unsigned lane = threadIdx.x % 32, place = threadIdx.x / 4 * PITCH + lane % 4 * 16;
    const unsigned to = (unsigned)__cvta_generic_to_shared(rows[0]) + place;
    const char *from = in + (blockIdx.x * 16 + threadIdx.x / 4) * 4096 + lane % 4 * 16;

#pragma unroll 1
    for (int k = 0; k < n; k++) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + k % 3 * 16 * PITCH), "l"(from + k % 5 * 64)
                     : "memory");
        asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
    }
    out[blockIdx.x * 64 + threadIdx.x] = *(unsigned *)&rows[n % 3][place];
}
