/* Kernels of test_tickets.c: persistent blocks take work from counters in global memory. Number t is work for 8 to 24 rounds and
 * writes a line of its own. */
typedef unsigned u32;

__device__ __forceinline__ void work(float *out, int t, int lane)
{
    float sum = t;

#pragma unroll 1
    for (int k = 0; k < 8 * (1 + t % 3); k++)
        sum = sum * 0.5f + k;
    out[t * 32 + lane] = sum;
}

extern "C" {

/* One thread takes, shared memory tells the others. */
__global__ void broadcast(float *out, u32 *counters, int tickets)
{
    __shared__ int taken;

    for (;;) {
        if (threadIdx.x == 0)
            taken = atomicAdd(counters, 1u);
        __syncthreads();
        const int t = taken;
        __syncthreads();
        if (t >= tickets)
            break;
        if (threadIdx.x < 32)
            work(out, t, threadIdx.x);
    }
}

/* Each warp for itself, four at a time. */
__global__ void warps(float *out, u32 *counters, int tickets)
{
    const int lane = threadIdx.x % 32;

    for (;;) {
        int t = 0;

        if (lane == 0)
            t = atomicAdd(counters, 4u);
        t = __shfl_sync(0xffffffff, t, 0);
        if (t >= tickets)
            break;
        for (int k = 0; k < 4; k++)
            work(out, t + k, lane);
    }
}

/* The first number is the block's own; two counters one after the other. */
__global__ void two(float *out, u32 *counters, int tickets)
{
    __shared__ int taken;

    for (int phase = 0; phase < 2; phase++)
        for (int t = blockIdx.x; t < tickets / 2;) {
            if (threadIdx.x < 32)
                work(out + phase * tickets * 16, t, threadIdx.x);
            if (threadIdx.x == 0)
                taken = atomicAdd(counters + 16 * phase, 1u) + gridDim.x;
            __syncthreads();
            t = taken;
            __syncthreads();
        }
}

__device__ __forceinline__ void wait(u32 bar, u32 parity)
{
    asm volatile("{\n.reg .pred p;\nW: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra D;\nbra W;\nD:\n}" ::"r"(bar),
                 "r"(parity)
                 : "memory");
}

__device__ __forceinline__ void arrive(u32 bar)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
}

/* A thread that the first warp elects takes and hands over through mbarriers; the last block to end sets the counter back. */
__global__ void elected(float *out, u32 *counters, int tickets)
{
    __shared__ unsigned long long bars[2];
    __shared__ int taken;
    const u32 full = __cvta_generic_to_shared(&bars[0]), empty = __cvta_generic_to_shared(&bars[1]);
    u32 leads = 0;

    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nmbarrier.init.shared::cta.b64 [%1], 1;" ::"r"(full), "r"(empty));
        asm volatile("fence.mbarrier_init.release.cluster;");
    }
    __syncthreads();
    asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(leads));
    if (threadIdx.x < 32 && leads)
        for (u32 parity = 1;; parity ^= 1) {
            const int t = atomicAdd(counters, 1u);

            wait(empty, parity);
            *(volatile int *)&taken = t;
            arrive(full);
            if (t >= tickets)
                break;
        }
    if (threadIdx.x >= 32)
        for (u32 parity = 0;; parity ^= 1) {
            wait(full, parity);
            const int t = *(volatile int *)&taken;
            __syncwarp();
            if (threadIdx.x == 32)
                arrive(empty);
            if (t >= tickets)
                break;
            work(out, t, threadIdx.x - 32);
        }
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(counters + 16, 1u) == gridDim.x - 1)
        counters[0] = counters[16] = 0;
}

/* Not such a counter: it says where to write, and decides nothing. */
__global__ void append(float *out, u32 *counters, int tickets)
{
    for (int k = 0; k < 8; k++)
        if (threadIdx.x == 0)
            out[atomicAdd(counters, 1u) % (tickets * 32)] = k;
}

/* Nor is this one: what is added differs. */
__global__ void uneven(float *out, u32 *counters, int tickets)
{
    __shared__ int taken;

    for (int k = 1;; k++) {
        if (threadIdx.x == 0)
            taken = atomicAdd(counters, (u32)k);
        __syncthreads();
        const int t = taken;
        __syncthreads();
        if (t >= tickets)
            break;
        if (threadIdx.x < 32)
            work(out, t, threadIdx.x);
    }
}
}
