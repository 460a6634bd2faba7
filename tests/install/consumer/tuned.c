#include "scale.h"

#include <stdio.h>

int main(void)
{
    printf("%d x %d on %s\n", SCALE_THREADS, SCALE_ITEMS, scale_configuration_for(0, 0, 0)->device);
    return 0;
}
