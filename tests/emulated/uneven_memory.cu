// Blocks of a grid that touch unequal amounts of memory, each kernel for another reason; see test_uneven_memory.c. `count`
// is the problem's size, `step` a small number, `length` loaded numbers.
#define ARGUMENTS float *out, const float *in, const int *length, int count, int step
#define MASK ((1 << 22) - 1)

__device__ int flat() { return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
__device__ int blocks() { return gridDim.x * gridDim.y * gridDim.z; }

// A block reads rows of its own, as many as was loaded.
extern "C" __global__ void rows(ARGUMENTS)
{
    float sum = 0;

    for (int k = 0; k < length[flat() % 4096]; k++)
        sum += in[((flat() * 200 + k) * blockDim.x + threadIdx.x) & MASK];
    out[flat() * blockDim.x + threadIdx.x] = sum;
}

// Blocks of a row go through the same data, the further down the more of it.
extern "C" __global__ void triangle(ARGUMENTS)
{
    float sum = 0;

    for (int k = 0; k <= (int)blockIdx.y; k++)
        sum += in[((blockIdx.y * gridDim.y + k) * 4 * blockDim.x + threadIdx.x) & MASK];
    out[flat() * blockDim.x + threadIdx.x] = sum;
}

// Every block goes on with what is its own, until its diagonal.
extern "C" __global__ void diagonal(ARGUMENTS)
{
    float sum = 0;

    for (int k = 0; k <= (int)(blockIdx.x + blockIdx.y + blockIdx.z); k += step)
        sum += in[((flat() * 300 + k) * blockDim.x + threadIdx.x) & MASK];
    out[flat() * blockDim.x + threadIdx.x] = sum;
}

// Tiles below the diagonal alone multiply a row of tiles by a column of them.
extern "C" __global__ void lower(ARGUMENTS)
{
    float sum = 0;

    if (blockIdx.x > blockIdx.y)
        return;
    for (int k = 0; k < 8 * step; k++)
        sum += in[(blockIdx.y * 8 * step + k) * blockDim.x + threadIdx.x] *
               in[(1 << 21) + (blockIdx.x * 8 * step + k) * blockDim.x + threadIdx.x];
    out[flat() * blockDim.x + threadIdx.x] = sum;
}

// Blocks at the borders read what lies around the grid, too.
extern "C" __global__ void borders(ARGUMENTS)
{
    const bool edge = blockIdx.x == 0 || blockIdx.x == gridDim.x - 1 || blockIdx.y == 0 || blockIdx.y == gridDim.y - 1;
    float sum = in[flat() * blockDim.x + threadIdx.x];

    for (int k = 0; k < 10 * step && edge; k++)
        sum += in[((1 << 21) + (flat() * 10 * step + k) * blockDim.x + threadIdx.x) & MASK];
    out[flat() * blockDim.x + threadIdx.x] = sum;
}

// The last blocks reach beyond the problem, whose rows are no multiple of a sector.
extern "C" __global__ void partial(ARGUMENTS)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * 4;

    for (int k = 0; k < 4 && x < count; k++)
        if ((y + k) * 3 < count)
            out[((y + k) * count + x) & MASK] = in[((y + k) * count + x) & MASK];
}

// Threads lie further apart in every other block.
extern "C" __global__ void strides(ARGUMENTS)
{
    const int apart = blockIdx.x % (step + 1) + 1;

    out[flat() * blockDim.x + threadIdx.x] = in[(flat() * 512 + threadIdx.x * apart) & MASK];
}

// The further a block is, the further apart its threads are.
extern "C" __global__ void spreading(ARGUMENTS)
{
    const int apart = flat() * step * 8 / blocks() + 1;
    float sum = 0;

    for (int k = 0; k < 4; k++)
        sum += in[(flat() * 8192 + (k * blockDim.x + threadIdx.x) * apart) & MASK];
    out[flat() * blockDim.x + threadIdx.x] = sum;
}

// As much data as was loaded is gathered from anywhere.
extern "C" __global__ void gather(ARGUMENTS)
{
    float sum = 0;

    for (int k = 0; k < length[flat() % 4096] / 4; k++)
        sum += in[(length[(flat() * 31 + k * blockDim.x + threadIdx.x) % 4096] * 7919 * (k + step)) & MASK];
    out[flat() * blockDim.x + threadIdx.x] = sum;
}

// Some threads of each block have data.
extern "C" __global__ void masked(ARGUMENTS)
{
    const int n = length[(flat() * 3 + step) % 4096];

    if ((int)threadIdx.x * step < n)
        out[flat() * blockDim.x + threadIdx.x] = in[flat() * 128 + threadIdx.x];
}

// Banks of shared memory meet by as much as the block's number says.
extern "C" __global__ void banks(ARGUMENTS)
{
    __shared__ float tile[96 * 9];
    const int apart = blockIdx.x % (step + 2) + 1;

    tile[threadIdx.x * apart] = in[flat() * blockDim.x + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 4; k++)
        out[(flat() * 4 + k) * blockDim.x + threadIdx.x] = tile[(threadIdx.x * apart + k) % (96 * 9)];
}

// Blocks go round a piece of memory that is less than what all of them touch.
extern "C" __global__ void ring(ARGUMENTS)
{
    for (int i = flat() * blockDim.x + threadIdx.x; i < 37 * count; i += gridDim.x * gridDim.y * gridDim.z * blockDim.x)
        out[i & 1023] = in[(i * step) & 8191];
}

// The further a block is, the more of what others read as well it goes through.
extern "C" __global__ void windows(ARGUMENTS)
{
    float sum = 0;

    for (int k = 0; k <= (int)blockIdx.x; k++)
        sum += in[blockIdx.x * 64 + k * step * blockDim.x + threadIdx.x];
    out[flat() * blockDim.x + threadIdx.x] = sum;
}

// One column of blocks alone stores much.
extern "C" __global__ void column(ARGUMENTS)
{
    for (int k = 0; k < ((int)blockIdx.x == 3 * step ? 100 : 2); k++)
        out[((flat() * 100 + k) * blockDim.x + threadIdx.x) & MASK] = k;
}

// Blocks in a straight line, by an index of 64 bits.
extern "C" __global__ void wide(ARGUMENTS)
{
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    out[i] = in[i];
}

// Of each row of blocks `step` in a row read the same pages, whose numbers no straight line gives: as heads that share
// keys in a paged cache.
__device__ float pages(const float *in, const int *length, int group)
{
    float sum = 0;

    for (int k = 0; k < 8; k++)
        sum += in[((group * 8 + k) * 1597 % 4096 + (length[k] < 0)) * 1024 + threadIdx.x];
    return sum;
}

extern "C" __global__ void groups_of_x(ARGUMENTS)
{
    const int each = (gridDim.x + step - 1) / step;

    out[flat() * blockDim.x + threadIdx.x] =
        pages(in, length, blockIdx.x / step + each * (blockIdx.y + gridDim.y * blockIdx.z));
}

extern "C" __global__ void groups_of_y(ARGUMENTS)
{
    const int each = (gridDim.y + step - 1) / step;

    out[flat() * blockDim.x + threadIdx.x] =
        pages(in, length, blockIdx.y / step + each * (blockIdx.x + gridDim.x * blockIdx.z));
}

// A block reads a row of its own twice.
extern "C" __global__ void twice(ARGUMENTS)
{
    float sum = 0;

#pragma unroll 1
    for (int pass = 0; pass < 2; pass++)
#pragma unroll 2
        for (int k = threadIdx.x; k < count; k += blockDim.x)
            sum += in[(flat() * count + k) & MASK] - pass * sum;
    out[flat() * blockDim.x + threadIdx.x] = sum;
}

// Lanes of a block read as far apart as it lies from the middle row of the grid, at places that no straight line gives.
extern "C" __global__ void fan(ARGUMENTS)
{
    const int apart = abs(2 * (int)blockIdx.y - (int)gridDim.y);
    float sum = 0;

#pragma unroll 1
    for (int k = 0; k < count; k++)
        sum += in[__float2int_rn(fmodf(0.93f * k, 512) + 0.97f * apart * threadIdx.x) & MASK];
    out[flat() * blockDim.x + threadIdx.x] = sum;
}
