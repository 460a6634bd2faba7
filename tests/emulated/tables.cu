// A loop over the first `n` of the values that are declared.
#ifndef DECLARED
#define DECLARED 25
#endif

__constant__ float weight[DECLARED];

// By each lane from another place on.
extern "C" __global__ void __launch_bounds__(64) scattered(float *out, const float *in, int n)
{
    const int x = blockIdx.x * 64 + threadIdx.x;

    out[x] = in[x] * weight[(threadIdx.x * 5 + n) % 25];
}

extern "C" __global__ void __launch_bounds__(64) weighted(float *out, const float *in, int n)
{
    __shared__ float tile[128];
    const int x = blockIdx.x * 64 + threadIdx.x;
    float sum = 0;

    tile[threadIdx.x] = in[x];
    tile[threadIdx.x + 64] = in[x + 64];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < n; k++)
        sum += weight[k] * tile[threadIdx.x + k % 64];
    out[x] = sum;
}

// Lanes at PLACES different places of the table, which go through it together. That `n` is not negative the compiler does
// not know: else one place would be read by the uniform datapath.
#ifndef PLACES
#define PLACES 1
#endif

static __device__ unsigned different(int n)
{
    return PLACES + (n < 0);
}

extern "C" __global__ void __launch_bounds__(64) places(float *out, const float *in, int n)
{
    const int x = blockIdx.x * 64 + threadIdx.x;
    unsigned at = threadIdx.x % 32 % different(n) * 7;
    float sum = 0;

#pragma unroll 1
    for (int k = 0; k < n; k++, at += 8)
#pragma unroll
        for (int j = 0; j < 8; j++)
            sum += weight[(at + j) % DECLARED];
    out[x] = sum;
}

// The place stands in global memory.
extern "C" __global__ void __launch_bounds__(64) loaded(float *out, const float *in, int n)
{
    const int x = blockIdx.x * 64 + threadIdx.x;
    const unsigned at = (unsigned)in[x] * threadIdx.x % different(n);

    out[x] = weight[(at + n) % DECLARED];
}

// Bytes beside each other, each of which has an address of its own.
__constant__ unsigned char bytes[DECLARED];

extern "C" __global__ void __launch_bounds__(64) narrow(float *out, const float *in, int n)
{
    const int x = blockIdx.x * 64 + threadIdx.x;

    out[x] = weight[n % DECLARED] + bytes[threadIdx.x % 32 % different(n)];
}

// Lanes in two places that go on together.
extern "C" __global__ void __launch_bounds__(64) walking(float *out, const float *in, int n)
{
    const int x = blockIdx.x * 64 + threadIdx.x;
    unsigned at = threadIdx.x & 1;
    float sum = 0;

#pragma unroll 1
    for (int k = 0; k < n; k++, at += 2)
        sum += weight[at];
    out[x] = sum;
}

// Places that go on unevenly.
extern "C" __global__ void __launch_bounds__(64) wandering(float *out, const float *in, int n)
{
    const int x = blockIdx.x * 64 + threadIdx.x;
    unsigned at = x;
    float sum = 0;

#pragma unroll 1
    for (int k = 0; k < n; k++) {
        at = at * 1664525 + 1013904223;
        sum += weight[(at >> 16) % DECLARED];
    }
    out[x] = sum;
}

// The place goes through shared memory, which takes all warps of a block to follow.
extern "C" __global__ void __launch_bounds__(64) staged(float *out, const float *in, int n)
{
    __shared__ unsigned place[64];
    const int x = blockIdx.x * 64 + threadIdx.x;
    float sum = 0;

#pragma unroll 1
    for (int k = 0; k < n; k++) {
        place[threadIdx.x] = x + k;
        __syncthreads();
        sum += weight[place[63 - threadIdx.x] % DECLARED];
        __syncthreads();
    }
    out[x] = sum;
}

// Nobody knows the place: tensor cores say it.
extern "C" __global__ void __launch_bounds__(64) multiplied(float *out, const float *in, int n)
{
    const int x = blockIdx.x * 64 + threadIdx.x;
    const unsigned a = __float_as_uint(in[x]);
    float c[4] = {0, 0, 0, 0};

    asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a), "r"(a), "r"(a));
    out[x] = weight[((unsigned)c[0] + n) % DECLARED];
}

// What the table says is where to read: only some turns of the loop are looked at.
#define SOME 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3
#define MORE SOME, SOME, SOME, SOME, SOME, SOME, SOME, SOME

__constant__ int steps[1024] = {MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE};

extern "C" __global__ void __launch_bounds__(64) gathering(float *out, const float *in, int n)
{
    const int x = blockIdx.x * 64 + threadIdx.x;
    float sum = weight[n % 2];

#pragma unroll 1
    for (int k = 0; k < n; k++)
        sum += in[threadIdx.x * steps[k]];
    out[x] = sum;
}
