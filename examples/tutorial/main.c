#include <stdio.h>
#include "blur.h"

int main(void)
{
    const struct blur_configuration *best = blur_configuration_for("NVIDIA H200", 90, 4096, 4096);

    printf("%d x %d threads, %d rows each\n", best->BLOCK_X, best->BLOCK_Y, best->ROWS);
    return 0;
}
