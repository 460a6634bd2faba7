#include "reference.h"

enum { DIRECTIONS = 19 };

/* Rest, the axes, the diagonals; each direction is followed by its opposite. */
static const int velocity[DIRECTIONS][3] = {
    {0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},  {0, -1, 0}, {0, 0, 1},   {0, 0, -1},
    {1, 1, 0},  {-1, -1, 0}, {1, -1, 0},  {-1, 1, 0}, {1, 0, 1},  {-1, 0, -1}, {1, 0, -1},
    {-1, 0, 1}, {0, 1, 1},   {0, -1, -1}, {0, 1, -1}, {0, -1, 1},
};

static double weight(int q)
{
    return q == 0 ? 1.0 / 3 : q < 7 ? 1.0 / 18 : 1.0 / 36;
}

static void collide(const double f[DIRECTIONS], double omega, double out[DIRECTIONS])
{
    double density = 0, u[3] = {0, 0, 0};

    for (int q = 0; q < DIRECTIONS; q++) {
        density += f[q];
        for (int axis = 0; axis < 3; axis++)
            u[axis] += velocity[q][axis] * f[q];
    }
    for (int axis = 0; axis < 3; axis++)
        u[axis] /= density;
    for (int q = 0; q < DIRECTIONS; q++) {
        const double along = velocity[q][0] * u[0] + velocity[q][1] * u[1] + velocity[q][2] * u[2];
        const double square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];

        out[q] = f[q] +
                 omega * (weight(q) * density * (1 + 3 * along + 4.5 * along * along - 1.5 * square) - f[q]);
    }
}

static void bounce(const double f[DIRECTIONS], double out[DIRECTIONS])
{
    out[0] = f[0];
    for (int q = 1; q < DIRECTIONS; q += 2) {
        out[q] = f[q + 1];
        out[q + 1] = f[q];
    }
}

void reference_lattice_boltzmann(int nx, int ny, int nz, float omega, const int *solid, const float *from,
                                 float *to)
{
    const int cells = nx * ny * nz;

    for (int cell = 0; cell < cells; cell++) {
        const int x = cell % nx, y = cell / nx % ny, z = cell / nx / ny;
        double f[DIRECTIONS], out[DIRECTIONS];

        for (int q = 0; q < DIRECTIONS; q++) {
            const int from_x = (x - velocity[q][0] + nx) % nx, from_y = (y - velocity[q][1] + ny) % ny,
                      from_z = (z - velocity[q][2] + nz) % nz;

            f[q] = from[q * cells + (from_z * ny + from_y) * nx + from_x];
        }
        if (solid[cell])
            bounce(f, out);
        else
            collide(f, omega, out);
        for (int q = 0; q < DIRECTIONS; q++)
            to[q * cells + cell] = (float)out[q];
    }
}
