#include "reference.h"

#include <math.h>

void reference_row_softmax(int rows, int columns, const float *from, float *to)
{
    for (int r = 0; r < rows; r++) {
        const float *row = from + r * columns;
        double largest = row[0], sum = 0;

        for (int c = 1; c < columns; c++)
            largest = fmax(largest, row[c]);
        for (int c = 0; c < columns; c++)
            sum += exp(row[c] - largest);
        for (int c = 0; c < columns; c++)
            to[r * columns + c] = (float)(exp(row[c] - largest) / sum);
    }
}
