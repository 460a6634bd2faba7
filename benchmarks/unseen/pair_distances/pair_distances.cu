// For each point of one cloud the sum of exp(-d * d / (s * s + t * t)) over the points of another, in double
// precision; the other cloud is divided among SLICES blocks, whose sums meet by atomic additions.
#ifndef THREADS
#define THREADS 128
#define POINTS  1
#define SLICES  4
#define STAGE   1
#define UNROLL  1
#endif

struct blob {
    double x, y, size;
};

__device__ __forceinline__ double overlap(const blob &a, double x, double y, double size)
{
    const double dx = a.x - x, dy = a.y - y;
    return exp(-(dx * dx + dy * dy) / (a.size * a.size + size * size));
}

// without __launch_bounds__, so that the option --maxrregcount decides
extern "C" __global__ void pair_distances(double *__restrict__ sums, const double *__restrict__ a,
                                          const double *__restrict__ b, int n, int m)
{
    const int first = blockIdx.x * THREADS * POINTS + threadIdx.x, slice = m / SLICES;
    const double *other = b + blockIdx.y * slice * 3;
    blob mine[POINTS];
    double sum[POINTS] = {};
#pragma unroll
    for (int p = 0; p < POINTS; p++) {
        const int i = first + p * THREADS;
        mine[p].x = a[i];
        mine[p].y = a[n + i];
        mine[p].size = a[2 * n + i];
    }
#if STAGE
    __shared__ double tile[THREADS * 3];
    for (int start = 0; start < slice; start += THREADS) {
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 3; k++)
            tile[k * THREADS + threadIdx.x] = other[start * 3 + k * THREADS + threadIdx.x];
        __syncthreads();
#pragma unroll UNROLL
        for (int k = 0; k < THREADS; k++)
#pragma unroll
            for (int p = 0; p < POINTS; p++)
                sum[p] += overlap(mine[p], tile[3 * k], tile[3 * k + 1], tile[3 * k + 2]);
    }
#else
#pragma unroll UNROLL
    for (int k = 0; k < slice; k++)
#pragma unroll
        for (int p = 0; p < POINTS; p++)
            sum[p] += overlap(mine[p], other[3 * k], other[3 * k + 1], other[3 * k + 2]);
#endif
#pragma unroll
    for (int p = 0; p < POINTS; p++)
        atomicAdd(&sums[first + p * THREADS], sum[p]);
}

extern "C" __global__ void pair_distances_reference(double *__restrict__ sums, const double *__restrict__ a,
                                                    const double *__restrict__ b, int n, int m)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const blob mine = {a[i], a[n + i], a[2 * n + i]};
    double sum = sums[i];
    for (int k = 0; k < m; k++)
        sum += overlap(mine, b[3 * k], b[3 * k + 1], b[3 * k + 2]);
    sums[i] = sum;
}
