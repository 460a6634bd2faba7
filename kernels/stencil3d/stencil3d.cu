// to = a weighted sum of each point of a three-dimensional grid and its six neighbours; points on the
// boundary are copied. Point (x, y, z) lies at (z ny + y) nx + x. A thread walks PLANES points up in z and
// keeps the column it has loaded.
#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 8
#define PLANES  1
#define SHARED  0
#define UNROLL  1
#endif

constexpr float CENTRE = 0.4f, NEIGHBOUR = 0.1f;

// The plane that a thread block works on with a rim of one, in shared memory.
struct plane {
    float at[BLOCK_Y + 2][BLOCK_X + 2];
};

struct grid {
    const float *from;
    int nx, ny;
};

__device__ __forceinline__ float load(const grid &g, int x, int y, int z)
{
    return __ldg(g.from + ((long long)z * g.ny + y) * g.nx + x);
}

// The four neighbours of (x, y, z) in its plane, added up; `inside` when it is not on the boundary.
__device__ __forceinline__ float around(plane &shared, const grid &g, int x, int y, int z, float here,
                                        bool inside)
{
    if (!SHARED)
        return inside
                   ? load(g, x - 1, y, z) + load(g, x + 1, y, z) + load(g, x, y - 1, z) + load(g, x, y + 1, z)
                   : 0.0f;
    const int i = threadIdx.x + 1, j = threadIdx.y + 1;
    __syncthreads(); // everybody is done with the plane before
    shared.at[j][i] = here;
    if (inside && threadIdx.x == 0)
        shared.at[j][0] = load(g, x - 1, y, z);
    if (inside && threadIdx.x == BLOCK_X - 1)
        shared.at[j][BLOCK_X + 1] = load(g, x + 1, y, z);
    if (inside && threadIdx.y == 0)
        shared.at[0][i] = load(g, x, y - 1, z);
    if (inside && threadIdx.y == BLOCK_Y - 1)
        shared.at[BLOCK_Y + 1][i] = load(g, x, y + 1, z);
    __syncthreads();
    return shared.at[j][i - 1] + shared.at[j][i + 1] + shared.at[j - 1][i] + shared.at[j + 1][i];
}

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    stencil3d(int nx, int ny, int nz, const float *__restrict__ from, float *__restrict__ to)
{
    __shared__ plane shared;
    constexpr int STEPS = UNROLL;
    const grid g = {from, nx, ny};
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    const int z0 = blockIdx.z * PLANES;
    const bool exists = x < nx && y < ny;
    const bool inside = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
    float below = inside && z0 > 0 ? load(g, x, y, z0 - 1) : 0.0f;
    float here = exists ? load(g, x, y, z0) : 0.0f;
#pragma unroll STEPS
    for (int k = 0; k < PLANES; k++) {
        const int z = z0 + k;
        if (z >= nz)
            break;
        const float above = exists && z + 1 < nz ? load(g, x, y, z + 1) : 0.0f;
        const float sides = around(shared, g, x, y, z, here, inside);
        const bool interior = inside && z > 0 && z < nz - 1;
        if (exists)
            to[((long long)z * ny + y) * nx + x] =
                interior ? CENTRE * here + NEIGHBOUR * (sides + (below + above)) : here;
        below = here;
        here = above;
    }
}

extern "C" __global__ void stencil3d_reference(int nx, int ny, int nz, const float *__restrict__ from,
                                               float *__restrict__ to)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
              z = blockIdx.z;
    if (x >= nx || y >= ny)
        return;
    const long long row = nx, sheet = row * ny, i = z * sheet + y * row + x;
    if (x == 0 || x == nx - 1 || y == 0 || y == ny - 1 || z == 0 || z == nz - 1)
        to[i] = from[i];
    else
        to[i] = CENTRE * from[i] + NEIGHBOUR * (from[i - 1] + from[i + 1] + from[i - row] + from[i + row] +
                                                from[i - sheet] + from[i + sheet]);
}
