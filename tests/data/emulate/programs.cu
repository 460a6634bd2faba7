// Small kernels for tests/unit/model/test_emulate*.c. Compiled, for each architecture NN, with
//   nvcc -arch=sm_NN -cubin -o programs_smNN.cubin programs.cu
#include <cuda_fp16.h>
#include <mma.h>

#define KERNEL extern "C" __global__ void

// Wong et al. 2010, Listing 3: a chain of 32 conditions, one lane each. The order in which arms run is kept.
#define ARM(k)                                                                                                 \
    else if (tid == c[k])                                                                                      \
    {                                                                                                          \
        order[atomicAdd(&turn, 1)] = k;                                                                        \
    }
KERNEL chain(const int *c, int *order)
{
    __shared__ int turn;
    const int tid = threadIdx.x;
    if (tid == 0)
        turn = 0;
    __syncwarp();
    if (tid == c[0]) {
        order[atomicAdd(&turn, 1)] = 0;
    }
    ARM(1) ARM(2) ARM(3) ARM(4) ARM(5) ARM(6) ARM(7) ARM(8) ARM(9) ARM(10) ARM(11) ARM(12) ARM(13) ARM(14) ARM(15)
    ARM(16) ARM(17) ARM(18) ARM(19) ARM(20) ARM(21) ARM(22) ARM(23) ARM(24) ARM(25) ARM(26) ARM(27) ARM(28)
    ARM(29) ARM(30) ARM(31)
}

// Listing 4: a lock passed from lane to lane.
KERNEL lock_chain(int *out)
{
    __shared__ volatile int next;
    if (threadIdx.x == 0)
        next = 0;
    __syncwarp();
    while (next != threadIdx.x)
        ;
    next = next + 1;
    __syncwarp();
    if (threadIdx.x == 0)
        *out = next;
}

// Listing 5: a barrier in both arms of a divergent branch.
KERNEL split_barrier(int *out)
{
    __shared__ int values[16];
    const int tid = threadIdx.x;
    if (tid < 16) {
        values[tid] = tid + 100;
        __syncthreads();
    } else {
        __syncthreads();
        out[tid] = values[tid % 16];
    }
}

// Listing 6: warp 0 waits at a barrier, warp 1 spins on what comes after it.
KERNEL stuck_barrier(int *out)
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
            ;
    }
    out[threadIdx.x] = count;
}

// Listing 7: two barriers in one warp, one in each arm of the other.
KERNEL crossed_barriers(int *out)
{
    __shared__ volatile int passed;
    const int tid = threadIdx.x;
    if (tid == 0)
        passed = 0;
    __syncthreads();
    if (tid < 32) {
        if (tid < 16)
            __syncthreads();
        else
            __syncthreads();
    } else {
        __syncthreads();
        if (tid == 32)
            passed = 1;
        __syncthreads();
    }
    out[tid] = passed;
}

// Lemeire et al., Fig. 5: four equal arms, arm = (thread / n) % 4.
KERNEL four_arms(int n, float *out)
{
    const int tid = threadIdx.x;
    float x = out[tid];
    switch (tid / n % 4) {
    case 0:
        for (int k = 0; k < 5; k++)
            x = __sinf(x) * 1.5f;
        out[tid] = x;
        break;
    case 1:
        for (int k = 0; k < 5; k++)
            x = __cosf(x) * 2.5f;
        out[tid] = x;
        break;
    case 2:
        for (int k = 0; k < 5; k++)
            x = __expf(x) * 3.5f;
        out[tid] = x;
        break;
    default:
        for (int k = 0; k < 5; k++)
            x = __logf(x) * 4.5f;
        out[tid] = x;
    }
}

// Volkov, 3.10: b[i] = a[index[i]].
KERNEL gather(const int *__restrict__ index, const float *__restrict__ a, float *__restrict__ b)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[index[i]];
}

KERNEL add(int n, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

// A tiled product: loops, shared memory, barriers.
KERNEL product(int n, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c)
{
    __shared__ float as[16][17], bs[16][16];
    const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        as[y][x] = a[row * n + k + x];
        bs[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += as[y][i] * bs[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// Loops whose trip count differs between lanes and comes from memory.
KERNEL ragged(const int *__restrict__ start, const float *__restrict__ values, float *__restrict__ sums, int rows)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = start[row]; k < start[row + 1]; k++)
        sum += values[k];
    sums[row] = sum;
}

// A ring of three stages, a path that changes every 64 iterations, and an address that wraps.
KERNEL ring(int n, const float *__restrict__ a, float *__restrict__ out)
{
    __shared__ float stage[3][64];
    const int tid = threadIdx.x;
    int at = 0;
    float sum = 0;
    for (int k = 0; k < n; k++) {
        stage[at][tid] = a[(k & 255) * 64 + tid];
        __syncthreads();
        sum += stage[at][63 - tid];
        if ((k & 63) == 63)
            out[tid] = sum;
        at = at == 2 ? 0 : at + 1;
    }
    out[tid] = sum;
}

// Everything that becomes a routine or a conversion.
KERNEL arithmetic(const int *i, const float *f, const double *d, int *oi, float *of, double *od, long long *ol)
{
    const int t = threadIdx.x;
    const int a = i[t], b = i[t + 32];
    const float x = f[t], y = f[t + 32];
    const double u = d[t], v = d[t + 32];
    oi[8 * t] = a / b;
    oi[8 * t + 1] = a % b;
    oi[8 * t + 2] = (int)((unsigned)a / (unsigned)b);
    oi[8 * t + 3] = __clz(a) + 100 * __popc(b) + 10000 * __ffs(a);
    oi[8 * t + 4] = (int)__brev((unsigned)a) ^ __byte_perm(a, b, 0x5214);
    oi[8 * t + 5] = (int)x + (int)rintf(y) + (int)(unsigned char)a;
    oi[8 * t + 6] = min(a, b) - max(a, 7) + abs(b) + __mulhi(a, b);
    oi[8 * t + 7] = __funnelshift_l(a, b, 5) + __funnelshift_r(a, b, t) + (a >> (t & 7)) + (a << (t & 15));
    of[8 * t] = x / y;
    of[8 * t + 1] = sqrtf(fabsf(x));
    of[8 * t + 2] = fmaf(x, y, x);
    of[8 * t + 3] = __fadd_rd(x, y) - __fmul_ru(x, y);
    of[8 * t + 4] = fmaxf(x, y) - fminf(x, 0.5f);
    of[8 * t + 5] = (float)a + (float)(unsigned)b + floorf(x) + ceilf(y) + truncf(x * 3);
    of[8 * t + 6] = __half2float(__hadd(__float2half(x), __float2half(y)));
    of[8 * t + 7] = __half2float(__hfma(__float2half(x), __float2half(y), __float2half(x)));
    od[4 * t] = u / v;
    od[4 * t + 1] = sqrt(fabs(u));
    od[4 * t + 2] = fma(u, v, u) + (double)x + (double)a;
    od[4 * t + 3] = (double)(float)u + floor(v);
    ol[4 * t] = (long long)a * b + (long long)u;
    ol[4 * t + 1] = ((long long)a << 20) / (b | 1);
    ol[4 * t + 2] = ((long long)a << 35) >> (t & 31);
    ol[4 * t + 3] = (long long)a < (long long)b ? a : -(long long)b;
}

// Lanes, votes, atomics, local memory, generic addresses.
KERNEL lanes(const int *in, int *out, int *counters)
{
    __shared__ int bins[8];
    const int t = threadIdx.x, lane = t % 32;
    int local[8];
    if (t < 8)
        bins[t] = 0;
    __syncthreads();
    const int v = in[t];
    for (int k = 0; k < 8; k++)
        local[(k + t) & 7] = v + k;
    int sum = v;
    for (int k = 16; k; k /= 2)
        sum += __shfl_xor_sync(~0u, sum, k);
    atomicAdd(&bins[v & 7], 1);
    atomicAdd(&counters[v & 3], v);
    atomicMax(&counters[4], v);
    __syncthreads();
    int *p = v & 1 ? &bins[v & 7] : &local[v & 7];
    out[8 * t] = sum;
    out[8 * t + 1] = __shfl_up_sync(~0u, v, 3);
    out[8 * t + 2] = __shfl_sync(~0u, v, lane / 2, 16);
    out[8 * t + 3] = (int)__ballot_sync(~0u, v & 2);
    out[8 * t + 4] = __popc(__match_any_sync(~0u, v & 7));
    out[8 * t + 5] = *p;
    out[8 * t + 6] = __syncthreads_count(v & 1) * 4 + __syncthreads_or(v == 3) * 2 + __syncthreads_and(v >= 0);
    out[8 * t + 7] = __reduce_add_sync(~0u, v) + (int)__activemask();
}

// A jump table.
KERNEL table(const int *in, int *out)
{
    const int t = threadIdx.x;
    int v = in[t];
    switch (v) {
    case 0: v = out[t] * 3 + 1; break;
    case 1: v = out[t + 32] ^ 77; break;
    case 2: v = __popc(out[t]) + 5; break;
    case 3: v = out[t + 64] << 3; break;
    case 4: v = out[t] / 7; break;
    case 5: v = __clz(out[t + 32]); break;
    case 6: v = out[t] - out[t + 64]; break;
    case 7: v = out[t] | 4096; break;
    case 8: v = out[t + 32] * out[t]; break;
    default: v = -1;
    }
    out[t] = v;
}

__device__ __noinline__ int twice(int x, int depth)
{
    return depth > 0 ? twice(x + 1, depth - 1) * 2 : x;
}

KERNEL calls(int *out, int depth)
{
    out[threadIdx.x] = twice(threadIdx.x, depth + (threadIdx.x & 1));
}

KERNEL endless(int *out)
{
    volatile int *p = out;
    while (p[threadIdx.x] == 0)
        p[threadIdx.x + 32] += 1;
}

KERNEL outside(int *out, int where)
{
    out[threadIdx.x + where] = 1;
}

KERNEL trap(int *out)
{
    if (out[threadIdx.x] == 0)
        asm volatile("trap;");
}

// A branch that depends on the result of a tensor core.
KERNEL tensor(const __half *a, float *out)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, __half, col_major> fb;
    fragment<accumulator, 16, 16, 16, float> fc;
    fill_fragment(fc, 0.0f);
    load_matrix_sync(fa, a, 16);
    load_matrix_sync(fb, a, 16);
    mma_sync(fc, fa, fb, fc);
    if (fc.x[0] > 0)
        out[threadIdx.x + 256] = 1;
    store_matrix_sync(out, fc, 16, mem_row_major);
}

// "Last block done": an atomic's result decides.
KERNEL last_block(int *counter, int *out)
{
    if (atomicAdd(counter, 1) == 5)
        out[0] = 1;
    out[threadIdx.x + 1] = 2;
}

// A name bank: shared memory of different widths and strides.
KERNEL banks(int stride, float *out)
{
    __shared__ float4 s[512];
    const int t = threadIdx.x;
    float *f = (float *)s;
    for (int k = t; k < 2048; k += 32)
        f[k] = k;
    __syncwarp();
    const float a = f[t * stride % 2048];
    const float2 b = ((float2 *)s)[t];
    const float4 c = s[t];
    const float4 d = s[t / 8];
    out[t] = a + b.x + b.y + c.x + c.y + c.z + c.w + d.x + d.y + d.z + d.w;
}
