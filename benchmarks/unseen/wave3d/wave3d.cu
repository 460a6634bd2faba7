// A step of the acoustic wave equation, 8th order in space: planes of z pass through a queue of registers while x and y
// neighbours come from shared memory (or from the caches). Loop over z chunks for parallelism.
#define R 4

struct Stencil {
    float c0, c1, c2, c3, c4;
};

#if __CUDA_ARCH__ >= 700
#define FORCE __device__ __forceinline__
#else
#define FORCE static __device__
#endif

FORCE size_t cell(int x, int y, int z, int nx, int ny) { return ((size_t)z * ny + y) * nx + x; }

extern "C" __global__ void __launch_bounds__(BX *BY, MIN_BLOCKS)
    wave3d(float *__restrict__ next, const float *__restrict__ now, const float *__restrict__ velocity,
           const Stencil s, const int nx, const int ny, const int nz)
{
    const int x = blockIdx.x * BX + threadIdx.x + R, y = blockIdx.y * BY + threadIdx.y + R;
    const int z0 = R + blockIdx.z * DEPTH, z1 = min(z0 + DEPTH, nz - R);
#if TILED
    __shared__ float plane[1 + DOUBLE][BY + 2 * R][BX + 2 * R];
#endif
    const bool inside = x < nx - R && y < ny - R;
    const size_t sheet = (size_t)nx * ny;
    size_t at = cell(min(x, nx - 1), min(y, ny - 1), z0, nx, ny);

    float queue[2 * R + 1];
#pragma unroll
    for (int k = 0; k < 2 * R; k++)
        queue[k + 1] = now[at + (k - R) * sheet];

#pragma unroll UNROLL
    for (int z = z0; z < z1; z++, at += sheet) {
#pragma unroll
        for (int k = 0; k < 2 * R; k++)
            queue[k] = queue[k + 1];
        queue[2 * R] = now[at + R * sheet];
        const float weights[R] = {s.c1, s.c2, s.c3, s.c4};
        float sum = 3 * s.c0 * queue[R];
#if TILED
        float(*tile)[BX + 2 * R] = plane[DOUBLE ? z & 1 : 0];
        const int tx = threadIdx.x + R, ty = threadIdx.y + R;
#if !DOUBLE
        __syncthreads();
#endif
        tile[ty][tx] = queue[R];
        if (threadIdx.x < R) {
            tile[ty][tx - R] = now[at - R];
            tile[ty][tx + BX] = now[at + min(BX, nx - 1 - x)];
        }
        if (threadIdx.y < R) {
            tile[ty - R][tx] = now[at - (size_t)R * nx];
            tile[ty + BY][tx] = now[at + (size_t)min(BY, ny - 1 - y) * nx];
        }
        __syncthreads();
#pragma unroll
        for (int r = 1; r <= R; r++)
            sum += weights[r - 1] * (queue[R - r] + queue[R + r] + tile[ty][tx - r] + tile[ty][tx + r] +
                                     tile[ty - r][tx] + tile[ty + r][tx]);
#else
#pragma unroll
        for (int r = 1; r <= R; r++)
            sum += weights[r - 1] * (queue[R - r] + queue[R + r] + now[at - r] + now[at + r] +
                                     now[at - (size_t)r * nx] + now[at + (size_t)r * nx]);
#endif
        if (inside)
            next[at] = 2.0f * queue[R] - next[at] + velocity[at] * sum;
    }
}

extern "C" __global__ void wave3d_reference(float *next, const float *now, const float *velocity, const Stencil s,
                                            int nx, int ny, int nz)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x + R, y = blockIdx.y + R, z = blockIdx.z + R;
    if (x >= nx - R)
        return;
    const float weights[R] = {s.c1, s.c2, s.c3, s.c4};
    const size_t at = cell(x, y, z, nx, ny);
    double sum = 3.0 * s.c0 * now[at];
    for (int r = 1; r <= R; r++)
        sum += weights[r - 1] * ((double)now[cell(x - r, y, z, nx, ny)] + now[cell(x + r, y, z, nx, ny)] +
                                 now[cell(x, y - r, z, nx, ny)] + now[cell(x, y + r, z, nx, ny)] +
                                 now[cell(x, y, z - r, nx, ny)] + now[cell(x, y, z + r, nx, ny)]);
    next[at] = (float)(2.0 * now[at] - next[at] + velocity[at] * sum);
}
