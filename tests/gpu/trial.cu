/* Kernels that do one thing wrong each, or take a known time. */

/* Busy for a number of cycles of the SM's own clock. */
extern "C" __global__ void spin(float *out, long long cycles)
{
    long long start = clock64();

    while (clock64() - start < cycles)
        continue;
    out[0] = 1;
}

/* In place; long only while its buffer is as it was in the beginning. */
extern "C" __global__ void spin_once(float *a, long long cycles)
{
    long long start = clock64();
    bool first = a[0] < 0;

    while (first && clock64() - start < cycles)
        continue;
    a[0] = 2;
}

extern "C" __global__ void copy(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i];
}

/* 16 bytes a thread; n is a multiple of 4. */
extern "C" __global__ void copy4(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n / 4)
        ((float4 *)out)[i] = ((const float4 *)in)[i];
}

extern "C" __global__ void endless(const float *in, float *out, int n)
{
    while (((volatile const float *)in)[0] < 2) /* it always is */
        out[1] = n;
}

extern "C" __global__ void illegal(const float *in, float *out, int n)
{
    out[(1ll << 40) + n] = in[0];
}

extern "C" __global__ void beyond(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i <= n)
        out[i] = i < n ? in[i] : 1;
}

extern "C" __global__ void before(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i];
    if (i == 0)
        out[-3] = 1;
}

extern "C" __global__ void scribble(float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i];
    if (i == 3)
        in[3] = 99;
}

/* A lock passed from lane to lane of one warp (Wong et al., Listing 4): dead before threads of a warp could progress
 * by themselves. */
extern "C" __global__ void lane_lock(const float *in, float *out, int n)
{
    __shared__ volatile int turn;
    int lane = threadIdx.x;

    if (lane == 0)
        turn = 0;
    __syncthreads();
    while (turn != lane)
        continue;
    turn = turn + 1;
    out[lane] = in[lane];
}

/* One warp waits at a barrier for the other, which waits for what comes before its own (Wong et al., Listing 6). */
extern "C" __global__ void barrier_lock(const float *in, float *out, int n)
{
    __shared__ volatile int count;

    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        __syncthreads();
        count = 1;
    } else {
        while (count == 0)
            continue;
        __syncthreads();
    }
    out[threadIdx.x] = in[threadIdx.x];
}

/* Copies `bytes` bytes and flips one bit. */
extern "C" __global__ void flip(const unsigned char *in, unsigned char *out, int bytes, int at, int bit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < bytes)
        out[i] = in[i] ^ (i == at ? 1 << bit : 0);
}

/* peak[sm]: the largest number of thread blocks that were resident at once. */
extern "C" __global__ void resident(unsigned *now, unsigned *peak)
{
    extern __shared__ float tile[];
    long long start = clock64();
    unsigned sm;

    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x == 0)
        atomicMax(&peak[sm], atomicAdd(&now[sm], 1) + 1);
    while (clock64() - start < 100000)
        tile[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0)
        atomicSub(&now[sm], 1);
}

/* A plain tiled product, as a variant of ordinary length and code. */
extern "C" __global__ void product(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[32][32], bs[32][32];
    int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;

    for (int k = 0; k < n; k += 32) {
        as[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 32; j++)
            sum += as[threadIdx.y][j] * bs[j][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
