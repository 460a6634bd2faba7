// One step of the lattice Boltzmann method on a periodic grid: D3Q19 lattice, single relaxation time,
// bounce-back at solid cells. Density q of cell (x, y, z) lies at q cells + (z ny + y) nx + x. A thread loads
// the 19 densities that arrive at its cell from the neighbours and whether it is solid, then stores 19: long
// runs of independent accesses.
#ifndef BLOCK_X
#define BLOCK_X   64
#define BLOCK_Y   1
#define LOADS     0
#define STORES    0
#define WRAP      0
#define MIN_WARPS 0
#endif

// The values of LOADS.
#define LOADS_L1        0 // through L1, as read-only data
#define LOADS_L2        1 // not through L1
#define LOADS_STREAMING 2 // evicted first

// The values of WRAP: how a neighbour's place is brought back into the grid.
#define WRAP_REMAINDER  0
#define WRAP_COMPARISON 1

constexpr int DIRECTIONS = 19;
constexpr int MIN_BLOCKS = MIN_WARPS == 0 ? 1 : MIN_WARPS * 32 / (BLOCK_X * BLOCK_Y);

struct lattice {
    int nx, ny, nz;
};

// Velocity of direction q: rest, six along the axes, twelve along the diagonals; q and its opposite are
// neighbours.
__device__ __forceinline__ constexpr int velocity(int axis, int q)
{
    constexpr signed char v[3][DIRECTIONS] = {
        {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0},
        {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1},
        {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1},
    };
    return v[axis][q];
}

__device__ __forceinline__ constexpr int opposite(int q)
{
    return q == 0 ? 0 : q % 2 == 1 ? q + 1 : q - 1;
}

__device__ __forceinline__ constexpr float weight(int q)
{
    return q == 0 ? 1.0f / 3.0f : q < 7 ? 1.0f / 18.0f : 1.0f / 36.0f;
}

// i + step on a ring of n places, step being -1, 0 or 1.
__device__ __forceinline__ int around(int i, int step, int n)
{
    if (step == 0)
        return i;
    if (WRAP == WRAP_REMAINDER)
        return (i + step + n) % n;
    return step > 0 ? (i + 1 == n ? 0 : i + 1) : (i == 0 ? n - 1 : i - 1);
}

// Where the density of direction q comes from that arrives at cell (x, y, z).
__device__ __forceinline__ long long origin(const lattice &l, int x, int y, int z, int q)
{
    const int from_x = around(x, -velocity(0, q), l.nx), from_y = around(y, -velocity(1, q), l.ny),
              from_z = around(z, -velocity(2, q), l.nz);
    return (((long long)q * l.nz + from_z) * l.ny + from_y) * l.nx + from_x;
}

// Relaxes the densities of a cell towards equilibrium.
__device__ __forceinline__ void collide(float (&f)[DIRECTIONS], float omega)
{
    float density = 0.0f, u[3] = {0.0f, 0.0f, 0.0f};
#pragma unroll
    for (int q = 0; q < DIRECTIONS; q++) {
        density += f[q];
#pragma unroll
        for (int axis = 0; axis < 3; axis++)
            u[axis] += velocity(axis, q) * f[q];
    }
    const float inverse = 1.0f / density;
    float square = 0.0f;
#pragma unroll
    for (int axis = 0; axis < 3; axis++) {
        u[axis] *= inverse;
        square += u[axis] * u[axis];
    }
#pragma unroll
    for (int q = 0; q < DIRECTIONS; q++) {
        const float along = velocity(0, q) * u[0] + velocity(1, q) * u[1] + velocity(2, q) * u[2];
        const float equilibrium =
            weight(q) * density * (1.0f + 3.0f * along + 4.5f * along * along - 1.5f * square);
        f[q] += omega * (equilibrium - f[q]);
    }
}

__device__ __forceinline__ void bounce(float (&f)[DIRECTIONS])
{
#pragma unroll
    for (int q = 1; q < DIRECTIONS; q += 2) {
        const float forth = f[q];
        f[q] = f[q + 1];
        f[q + 1] = forth;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y, MIN_BLOCKS)
    lattice_boltzmann(int nx, int ny, int nz, float omega, const int *__restrict__ solid,
                      const float *__restrict__ from, float *__restrict__ to)
{
    const lattice l = {nx, ny, nz};
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y, z = blockIdx.z;
    if (x >= nx || y >= ny)
        return;
    const long long cells = (long long)nx * ny * nz, here = ((long long)z * ny + y) * nx + x;
    float f[DIRECTIONS];
#pragma unroll
    for (int q = 0; q < DIRECTIONS; q++) {
        const float *source = from + origin(l, x, y, z, q);
        f[q] = LOADS == LOADS_L2 ? __ldcg(source) : LOADS == LOADS_STREAMING ? __ldcs(source) : __ldg(source);
    }
    if (__ldg(solid + here))
        bounce(f);
    else
        collide(f, omega);
#pragma unroll
    for (int q = 0; q < DIRECTIONS; q++) {
        if (STORES)
            __stcs(to + q * cells + here, f[q]);
        else
            to[q * cells + here] = f[q];
    }
}

// The same from the definition, in double precision.
extern "C" __global__ void lattice_boltzmann_reference(int nx, int ny, int nz, float omega,
                                                       const int *__restrict__ solid,
                                                       const float *__restrict__ from, float *__restrict__ to)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
              z = blockIdx.z;
    if (x >= nx || y >= ny)
        return;
    const long long cells = (long long)nx * ny * nz, here = ((long long)z * ny + y) * nx + x;
    double f[DIRECTIONS], density = 0, flow[3] = {0, 0, 0};
    for (int q = 0; q < DIRECTIONS; q++) {
        const int from_x = (x - velocity(0, q) + nx) % nx, from_y = (y - velocity(1, q) + ny) % ny,
                  from_z = (z - velocity(2, q) + nz) % nz;
        f[q] = from[q * cells + ((long long)from_z * ny + from_y) * nx + from_x];
        density += f[q];
        for (int axis = 0; axis < 3; axis++)
            flow[axis] += velocity(axis, q) * f[q];
    }
    const double square = (flow[0] * flow[0] + flow[1] * flow[1] + flow[2] * flow[2]) / (density * density);
    for (int q = 0; q < DIRECTIONS; q++) {
        const double along =
            (velocity(0, q) * flow[0] + velocity(1, q) * flow[1] + velocity(2, q) * flow[2]) / density;
        const double share = q == 0 ? 1.0 / 3 : q < 7 ? 1.0 / 18 : 1.0 / 36;
        const double equilibrium = share * density * (1 + 3 * along + 4.5 * along * along - 1.5 * square);
        to[q * cells + here] = (float)(solid[here] ? f[opposite(q)] : f[q] + omega * (equilibrium - f[q]));
    }
}
