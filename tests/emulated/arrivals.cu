/* Kernels of test_arrivals.c: blocks leave something behind, and the last one to arrive at a counter goes through all of it. */
typedef unsigned u32;

/* What the block that comes last does more. */
__device__ __forceinline__ void gather(float *out, int parts)
{
    float sum = 0;

#pragma unroll 1
    for (int k = 0; k < 16 * parts; k++)
        sum = sum * 0.5f + ((volatile float *)out)[k * 32 + threadIdx.x % 32];
    out[threadIdx.x] = sum;
}

__device__ __forceinline__ void leave(float *out)
{
    out[blockIdx.x * 32 + threadIdx.x % 32] = threadIdx.x;
    __threadfence();
}

extern "C" {

/* Whether it is the last one goes through shared memory. */
__global__ void neighbours(float *out, u32 *counters, int parts)
{
    __shared__ bool last;

    leave(out);
    if (threadIdx.x == 0)
        last = atomicAdd(counters + blockIdx.x / parts, 1u) == parts - 1;
    __syncthreads();
    if (last)
        gather(out, parts);
}

/* The number itself does, of a counter that begins anew by itself; blocks far apart meet. */
__global__ void far(float *out, u32 *counters, int parts)
{
    __shared__ u32 number;

    leave(out);
    if (threadIdx.x == 0)
        number = atomicInc(counters + blockIdx.x % (gridDim.x / parts), parts - 1);
    __syncthreads();
    if (number + 1 != parts)
        return;
    gather(out, parts);
}

/* Other counts of blocks at other counters: 2 and 4 in turn. */
__global__ void unequal(float *out, u32 *counters, int parts)
{
    __shared__ bool last;
    const int six = blockIdx.x / 6, of = blockIdx.x % 6 < 2 ? 2 : 4;

    leave(out);
    if (threadIdx.x == 0)
        last = atomicAdd(counters + 2 * six + of / 4, 1u) == of - 1;
    __syncthreads();
    if (last)
        gather(out, parts);
}

/* All blocks of the grid, warp by warp: the first warp of each alone asks. */
__global__ void whole(float *out, u32 *counters, int parts)
{
    bool last = false;

    leave(out);
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0)
            last = atomicAdd(counters, 1u) == gridDim.x - 1;
        last = __any_sync(0xffffffff, last);
    }
    if (last)
        gather(out, parts);
}

/* The last one waits until the others have stored. */
__global__ void waits(float *out, u32 *counters, int parts)
{
    __shared__ bool last;
    u32 *came = counters + blockIdx.x / parts * 2, *left = came + 1;

    if (threadIdx.x == 0)
        last = atomicAdd(came, 1u) == parts - 1;
    __syncthreads();
    if (!last) {
        leave(out);
        __syncthreads();
        if (threadIdx.x == 0)
            atomicAdd(left, 1u);
        return;
    }
    if (threadIdx.x == 0)
        while (*(volatile u32 *)left != parts - 1)
            ;
    __syncthreads();
    gather(out, parts);
}

/* Each block waits for its turn, then hands it on; the loop has its branch back in the middle, or at its end. */
__global__ void turns(float *out, u32 *counters, int parts)
{
    if (threadIdx.x == 0)
        while (*(volatile u32 *)counters != blockIdx.x)
            __nanosleep(20);
    __syncthreads();
    gather(out, parts);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        *(volatile u32 *)counters = blockIdx.x + 1;
}

/* What the loop waited for decides what comes next: that is not known. */
__global__ void depends(float *out, u32 *counters, int parts)
{
    u32 found;

    while (!(found = *(volatile u32 *)(counters + blockIdx.x)))
        ;
    for (u32 k = 0; k < found; k++)
        leave(out);
}

/* No arrival: the number is where to write, and every fourth is special. */
__global__ void every_fourth(float *out, u32 *counters, int parts)
{
    __shared__ u32 number;

    if (threadIdx.x == 0)
        number = atomicAdd(counters, 1u);
    __syncthreads();
    if (number % 4 == 3)
        gather(out, parts);
}
}
