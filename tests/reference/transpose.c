#include "reference.h"

void reference_transpose(int rows, int columns, const float *from, float *to)
{
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++)
            to[column * rows + row] = from[row * columns + column];
}
