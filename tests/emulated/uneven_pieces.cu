// Kernels put together at random of pieces of code whose blocks touch unequal amounts of memory, or the same: see
// test_uneven_memory.c. PIECES is a sum of some of them, NUMBER says how blocks are numbered.
#define ARGUMENTS float *out, const float *in, const int *length, int count, int step
#define PIECE __device__ float
#define MASK  ((1 << 20) - 1)

struct at {
    float *out;
    const float *in;
    const int *length;
    int count, step, b; /* b: the block's number */
};

__device__ int blocks() { return gridDim.x * gridDim.y * gridDim.z; }
__device__ int flat() { return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
__device__ int across() { return (blockIdx.x * gridDim.y + blockIdx.y) * gridDim.z + blockIdx.z; }
__device__ int backwards() { return blocks() - 1 - flat(); }
__device__ int scattered() { return (int)(flat() * 37u % (unsigned)blocks()); }

// A piece of memory of which all blocks touch some, again and again.
PIECE ring(at a)
{
    float sum = 0;

    for (int i = a.b * blockDim.x + threadIdx.x; i < 37 * a.count; i += blocks() * blockDim.x)
        sum += a.in[(i * a.step) & 8191];
    return sum;
}

// Threads of all blocks go through the data together.
PIECE stride(at a)
{
    float sum = 0;

    for (int i = a.b * blockDim.x + threadIdx.x; i < 29 * a.count; i += blocks() * blockDim.x)
        sum += a.in[i & MASK];
    return sum;
}

PIECE stride_back(at a)
{
    for (int i = 17 * a.count - 1 - a.b * blockDim.x - threadIdx.x; i >= 0; i -= blocks() * blockDim.x)
        a.out[i & MASK] = i;
    return 0;
}

// Every block has a part of the data.
PIECE parts(at a)
{
    const int each = (23 * a.count + blocks() - 1) / blocks();
    float sum = 0;

    for (int i = threadIdx.x; i < each && a.b * each + i < 23 * a.count; i += blockDim.x)
        sum += a.in[(a.b * each + i) & MASK];
    return sum;
}

PIECE triangle(at a)
{
    float sum = 0;

    for (int k = a.step; k <= (int)blockIdx.x; k++)
        sum += a.in[(blockIdx.x * 64 + k * 4 * blockDim.x + threadIdx.x) & MASK];
    return sum;
}

PIECE triangle_store(at a)
{
    for (int k = blockIdx.y; k < (int)gridDim.y; k += a.step)
        a.out[((a.b * 8 + k) * blockDim.x + threadIdx.x) & MASK] = k;
    return 0;
}

PIECE loaded(at a)
{
    float sum = 0;

    for (int k = 0; k < a.length[a.b % 4096] / a.step; k++)
        sum += a.in[((a.b * 40 + k) * blockDim.x + threadIdx.x) & MASK];
    return sum;
}

PIECE halo(at a)
{
    const int i = a.b * blockDim.x + threadIdx.x;

    return a.in[max(i - a.step, 0)] + a.in[i] + a.in[min(i + a.step, blocks() * (int)blockDim.x - 1)];
}

// Tiles of a matrix whose rows are no multiple of a sector, with what lies around them.
PIECE halo_tiles(at a)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, width = gridDim.x * blockDim.x;
    float sum = 0;

    for (int y = (int)blockIdx.y * 4 - a.step; y < (int)blockIdx.y * 4 + 4 + a.step; y++)
        if (x + a.step < width && y >= 0)
            sum += a.in[(y * width + x) & MASK] + a.in[(y * width + x + a.step) & MASK];
    return sum;
}

// What neighbours touch overlaps by a half.
PIECE windows(at a)
{
    return a.in[(a.b * (blockDim.x / 2) + threadIdx.x) & MASK] * a.step;
}

PIECE shared_rows(at a)
{
    float sum = 0;

    for (int k = 0; k < 6; k++)
        sum += a.in[((blockIdx.y * 6 + k) * blockDim.x + threadIdx.x) & MASK];
    return sum;
}

// As many blocks in turn read the same.
PIECE turns(at a) { return a.in[(a.b % (2 * a.step + 1)) * 200 + threadIdx.x]; }
PIECE quotients(at a) { return a.in[(a.b / (a.step + 1)) * blockDim.x + threadIdx.x]; }
PIECE partners(at a) { return a.in[((a.b ^ a.step) * blockDim.x + threadIdx.x) & MASK]; }

PIECE gather(at a)
{
    return a.in[(a.length[(a.b * blockDim.x + threadIdx.x) % 4096] * 7919 + a.b * 64) & (MASK >> 4)];
}

PIECE spread(at a)
{
    const int apart = a.b * a.step * 4 / blocks() + 1;

    return a.in[(a.b * 512 + threadIdx.x * apart) & MASK];
}

PIECE masked_store(at a)
{
    if ((int)threadIdx.x * a.step < a.length[a.b % 4096])
        a.out[(a.b * blockDim.x + threadIdx.x) & MASK] = 1;
    return 0;
}

PIECE borders(at a)
{
    const bool edge = blockIdx.x == 0 || blockIdx.x == gridDim.x - 1;
    float sum = 0;

    for (int k = 0; k < 5 * a.step && edge; k++)
        sum += a.in[((a.b * 25 + k) * blockDim.x + threadIdx.x) & MASK];
    return sum;
}

extern "C" __global__ void pieces(ARGUMENTS)
{
    const at first = {out, in, length, count, step, NUMBER};
    const at second = {out + (1 << 20), in + (1 << 20), length, count, step, flat()};

    out[(2 << 20) + flat() * blockDim.x + threadIdx.x] = FIRST(first) + SECOND(second);
}
