// Blocks of a grid that do unequal work, each kernel for another reason; see test_uneven.c. `count` is the problem's
// size, `step` a small number, `length` loaded numbers.
#define ARGUMENTS float *out, const float *in, const int *length, int count, int step

__device__ float work(float x, int n)
{
#pragma unroll UNROLL
    for (int i = 0; i < n; i++)
        x = x * 0.5f + 1.0f;
    return x;
}

__device__ int flat() { return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }

// The last row and column of blocks reach beyond the problem.
extern "C" __global__ void partial(ARGUMENTS)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;

    if (x < count && y * 3 < count)
        out[flat()] = work(in[x & 1023], 20 * step);
}

// A block takes some rows, whose lengths are loaded; the last ones are missing.
extern "C" __global__ void rows(ARGUMENTS)
{
    for (int r = blockIdx.y * step; r < (blockIdx.y + 1) * step && r < count; r++)
        out[r] = work(in[threadIdx.x], length[r % 4096]);
}

extern "C" __global__ void columns(ARGUMENTS)
{
    out[flat()] = work(in[threadIdx.x], length[(blockIdx.x * step) % 4096]);
}

extern "C" __global__ void planes(ARGUMENTS)
{
    out[flat()] = work(in[threadIdx.x], blockIdx.z % 2 ? length[blockIdx.z % 4096] : 5 * (int)blockIdx.z);
}

extern "C" __global__ void triangle(ARGUMENTS)
{
    float x = in[threadIdx.x];

    for (int k = 0; k <= (int)(blockIdx.x + blockIdx.y); k += step)
        x = work(x, 8);
    out[flat()] = x;
}

extern "C" __global__ void half_grid(ARGUMENTS)
{
    if (blockIdx.x <= blockIdx.y)
        out[flat()] = work(in[threadIdx.x], 30 * step);
}

extern "C" __global__ void border(ARGUMENTS)
{
    const bool edge = blockIdx.x == 0 || blockIdx.y == gridDim.y - 1 || blockIdx.z == gridDim.z - 1;

    out[flat()] = work(in[threadIdx.x], edge ? 50 * step : 10);
}

extern "C" __global__ void every(ARGUMENTS)
{
    out[flat()] = work(in[threadIdx.x], blockIdx.x % (step + 1) ? 5 : 100);
}

extern "C" __global__ void strided(ARGUMENTS)
{
    for (int i = flat() * blockDim.x + threadIdx.x; i < 37 * count; i += gridDim.x * gridDim.y * gridDim.z * blockDim.x)
        out[i & 1023] = work(in[i & 1023], 3);
}

// Every thread has a length of its own.
extern "C" __global__ void lanes(ARGUMENTS)
{
    out[flat()] = work(in[threadIdx.x], length[(flat() * blockDim.x + threadIdx.x) % 4096]);
}

// Few blocks are long.
extern "C" __global__ void tail(ARGUMENTS)
{
    const int n = length[flat() % 4096];

    out[flat()] = work(in[threadIdx.x], n * n / (step * 8));
}

// Blocks in another order, the last ones short.
extern "C" __global__ void swizzled(ARGUMENTS)
{
    const int b = blockIdx.x / step + (blockIdx.x % step) * 7;

    out[flat()] = work(in[threadIdx.x], b < count / 8 ? 40 : 4);
}

// One column of blocks alone works longer.
extern "C" __global__ void single(ARGUMENTS)
{
    out[flat()] = work(in[threadIdx.x], (int)blockIdx.x == 7 * step ? 500 * step : 3);
}

// As do those between two columns.
extern "C" __global__ void between(ARGUMENTS)
{
    if ((int)blockIdx.x >= 3 * step && (int)blockIdx.x < 7 * step)
        out[flat()] = work(in[threadIdx.x], 50 * step);
}
