/* Nested loops of test_nested.c. Their bounds are arguments, so that none is unrolled away. */
extern "C" {

/* A tile at a time into shared memory, barriers between. */
__global__ void tiled(float *out, const float *in, int outer, int inner)
{
    extern __shared__ float tile[];
    float sum = 0;

    for (int k = 0; k < outer; k++) {
        for (int i = threadIdx.x; i < inner; i += blockDim.x)
            tile[i] = in[k * inner + i];
        __syncthreads();
#pragma unroll 2
        for (int i = 0; i < inner; i++)
            sum += tile[i] * tile[inner - 1 - i];
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* Its addresses advance evenly from one iteration to the fourth after it. */
__global__ void swizzled(float *out, const float *in, int outer, int inner)
{
    float sum = 0;

    for (int k = 0; k < outer; k++)
#pragma unroll 1
        for (int i = 0; i < inner; i++)
            sum += in[k * inner + (i ^ threadIdx.x & 3)];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* A ring in local memory. */
__global__ void ring(float *out, const float *in, int outer, int inner)
{
    float best[4] = {0, 0, 0, 0};

    for (int a = 0; a < outer; a++)
#pragma unroll 1
        for (int b = 0; b < inner; b++)
            best[(a + b) % 4] += in[a * inner + b];
    out[blockIdx.x * blockDim.x + threadIdx.x] = best[0] + best[1] + best[2] + best[3];
}

/* Lanes far apart, whose accesses meet. */
__global__ void rows(float *out, const float *in, int outer, int inner)
{
    float sum = 0;

    for (int a = 0; a < outer; a++)
#pragma unroll 1
        for (int b = 0; b < inner; b++)
            sum += in[(a * inner + b + threadIdx.x) * 16];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* Three loops; the middle one does something of its own. */
__global__ void deep(float *out, const float *in, int outer, int inner)
{
    float sum = 0;

    for (int a = 0; a < outer; a++)
        for (int b = 0; b < outer; b++) {
            sum += in[64 * b + threadIdx.x];
#pragma unroll 1
            for (int c = 0; c < inner; c++)
                sum += in[(a * outer + b) * inner + c];
        }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* Down columns, then to the next ones. */
__global__ void columns(float *out, const float *in, int outer, int inner)
{
    float sum = 0;

    for (int a = 0; a < outer; a++)
#pragma unroll 1
        for (int b = 0; b < inner; b++)
            sum += in[b * 4096 + 32 * a + threadIdx.x % 32];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* Lanes move differently. */
__global__ void apart(float *out, const float *in, int outer, int inner)
{
    float sum = 0;

    for (int a = 0; a < outer; a++)
#pragma unroll 1
        for (int b = 0; b < inner; b++)
            sum += in[a * (threadIdx.x + 1) + b * (threadIdx.x % 3 + 1)];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* The inner loop becomes longer. */
__global__ void triangle(float *out, const float *in, int outer, int inner)
{
    float sum = 0;

    for (int a = 0; a < outer; a++)
#pragma unroll 1
        for (int b = 0; b <= a; b++)
            sum += in[a * 128 + b];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum + inner;
}

/* It is shorter once. */
__global__ void once(float *out, const float *in, int outer, int inner)
{
    float sum = 0;

    for (int a = 0; a < outer; a++)
#pragma unroll 1
        for (int b = a == 2 * outer / 3 ? inner / 2 : 0; b < inner; b++)
            sum += in[a * inner + b];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* It goes forth and back. */
__global__ void turns(float *out, const float *in, int outer, int inner)
{
    float sum = 0;

    for (int a = 0; a < outer; a++)
#pragma unroll 1
        for (int b = 0; b < inner; b++)
            sum += in[a & 1 ? a * inner - b : a * inner + b];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* Every other period does more, for some lanes. */
__global__ void parts(float *out, const float *in, int outer, int inner)
{
    float sum = 0;

    for (int a = 0; a < outer; a++)
#pragma unroll 1
        for (int b = 0; b < inner; b++) {
            sum += in[a * inner + b];
            if ((b & 1) && threadIdx.x % 32 < 7)
                sum += in[b * 8 + threadIdx.x];
        }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* Writes, too. */
__global__ void stores(float *out, const float *in, int outer, int inner)
{
    for (int a = 0; a < outer; a++)
#pragma unroll 1
        for (int b = 0; b < inner; b++)
            out[(a * inner + b) * 32 + threadIdx.x] = in[threadIdx.x + b] + in[a];
}

/* What tensor cores compute, which nobody knows, decides over work alone. */
__global__ void products(float *out, const float *in, int outer, int inner)
{
    float sum[4] = {0, 0, 0, 0}, scale = 1;
    const unsigned x = threadIdx.x;

    for (int a = 0; a < outer; a++)
#pragma unroll 1
        for (int b = 0; b < inner; b++) {
            asm("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %4}, {%4}, {%0, %1, %2, %3};"
                : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                : "r"(x));
            if (__any_sync(0xffffffff, sum[0] > 8))
                for (int k = 0; k < 16; k++)
                    scale = __sinf(scale) * sum[k % 4] + __cosf(scale);
            scale += in[a * inner + b];
        }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum[0] + sum[1] + sum[2] + sum[3] + scale;
}

/* Each lane comes to places of its own, unevenly far from each other, and others each time. */
__global__ void strewn(float *out, const float *in, int outer, int inner)
{
    float sum = 0;

    for (int a = 0; a < outer; a++)
#pragma unroll 1
        for (int b = 0; b < inner; b++)
            sum += in[b * 8 + (unsigned)(0.37f * b * (a + 1 + threadIdx.x))];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
}
