// A kernel of about REGISTERS registers that uses BARRIERS named barriers and SHARED bytes of static shared memory.
extern "C" __global__ void occupancy(float *data, int n)
{
    float x[REGISTERS];

#pragma unroll
    for (int i = 0; i < REGISTERS; i++)
        x[i] = data[i * n + threadIdx.x];
#if SHARED > 0
    __shared__ volatile char bytes[SHARED];

    bytes[threadIdx.x % SHARED] = (char)n;
    x[0] += bytes[(threadIdx.x + 1) % SHARED];
#endif
#if BARRIERS > 0
    asm volatile("bar.sync %0;" ::"n"(BARRIERS - 1) : "memory");
#endif
    for (int k = 0; k < n; k++)
#pragma unroll
        for (int i = 0; i < REGISTERS; i++)
            x[i] = x[i] * x[(i + 1) % REGISTERS] + x[(i + 7) % REGISTERS];
#pragma unroll
    for (int i = 0; i < REGISTERS; i++)
        data[i * n + threadIdx.x] = x[i];
}
