#include "reference.h"

void reference_stencil3d(int nx, int ny, int nz, const float *from, float *to)
{
    const int row = nx, sheet = nx * ny;

    for (int z = 0; z < nz; z++) {
        for (int y = 0; y < ny; y++) {
            for (int x = 0; x < nx; x++) {
                const int i = z * sheet + y * row + x;

                if (x == 0 || x == nx - 1 || y == 0 || y == ny - 1 || z == 0 || z == nz - 1)
                    to[i] = from[i];
                else
                    to[i] =
                        (float)(0.4 * from[i] + 0.1 * ((double)from[i - 1] + from[i + 1] + from[i - row] +
                                                       from[i + row] + from[i - sheet] + from[i + sheet]));
            }
        }
    }
}
