// A 7-point stencil in three dimensions: planes of a tile with its halo, copied into a ring by tensor copies.
#include "../hopper.cuh"

constexpr int WIDTH = TILE_X + 8, HEIGHT = TILE_Y + 2, PLANE = WIDTH * HEIGHT;
constexpr int PITCH = (PLANE * 4 + 127) / 128 * 32;
constexpr int THREADS = TILE_X * TILE_Y / ROWS_EACH;

extern "C" __global__ void __launch_bounds__(THREADS)
    stencil_tma(float *__restrict__ out, const __grid_constant__ TensorMap in, int nx, int ny, int nz, float a, float b)
{
    extern __shared__ __align__(128) float ring[];
    __shared__ u64 full[STAGES];
    const int x0 = blockIdx.x * TILE_X, y0 = blockIdx.y * TILE_Y, z0 = blockIdx.z * DEPTH;
    const int tx = threadIdx.x % TILE_X, ty = threadIdx.x / TILE_X * ROWS_EACH;

    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++)
            mbar_init(&full[s], 1);
        mbar_fence_init();
        for (int s = 0; s < STAGES; s++) {
            mbar_expect_tx(&full[s], PLANE * 4);
            tma_load_3d(ring + s * PITCH, in, x0 - 4, y0 - 1, z0 - 1 + s, &full[s]);
        }
    }
    __syncthreads();
    mbar_wait(&full[0], 0);
    mbar_wait(&full[1], 0);
    for (int z = 0; z < DEPTH; z++) {
        const int above = (z + 2) % STAGES;
        const float *p0 = ring + z % STAGES * PITCH, *p1 = ring + (z + 1) % STAGES * PITCH, *p2 = ring + above * PITCH;

        mbar_wait(&full[above], (z + 2) / STAGES & 1);
#pragma unroll
        for (int r = 0; r < ROWS_EACH; r++) {
            const int i = (ty + r + 1) * WIDTH + tx + 4;
            const float sum = p0[i] + p2[i] + p1[i - 1] + p1[i + 1] + p1[i - WIDTH] + p1[i + WIDTH];

            if (x0 + tx < nx && y0 + ty + r < ny)
                out[((long long)(z0 + z) * ny + y0 + ty + r) * nx + x0 + tx] = a * p1[i] + b * sum;
        }
        __syncthreads();
        if (threadIdx.x == 0 && z + STAGES < DEPTH + 2) {
            u64 *bar = &full[z % STAGES];

            mbar_expect_tx(bar, PLANE * 4);
            tma_load_3d(ring + z % STAGES * PITCH, in, x0 - 4, y0 - 1, z0 - 1 + z + STAGES, bar);
        }
    }
}

__device__ float at(const float *in, int x, int y, int z, int nx, int ny, int nz)
{
    return x < 0 || y < 0 || z < 0 || x >= nx || y >= ny || z >= nz ? 0 : in[((long long)z * ny + y) * nx + x];
}

extern "C" __global__ void stencil_reference(float *out, const float *in, int nx, int ny, int nz, float a, float b)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;

    if (x < nx && y < ny)
        out[((long long)z * ny + y) * nx + x] =
            a * at(in, x, y, z, nx, ny, nz) +
            b * (at(in, x, y, z - 1, nx, ny, nz) + at(in, x, y, z + 1, nx, ny, nz) + at(in, x - 1, y, z, nx, ny, nz) +
                 at(in, x + 1, y, z, nx, ny, nz) + at(in, x, y - 1, z, nx, ny, nz) + at(in, x, y + 1, z, nx, ny, nz));
}
