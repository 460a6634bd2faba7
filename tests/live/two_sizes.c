/* Which row the header of the scenario two_sizes takes. */
#include "kind.h"

#include <stdio.h>

static void show(const char *device, int sm, double n)
{
    const struct kind_configuration *row = kind_configuration_for(device, sm, n);

    printf("%s %.0f\n", row->device, row->size[0]);
}

int main(void)
{
    show("Pretended GPU", 90, 4000);
    show("Pretended GPU", 90, 1000);
    show("Other GPU", 80, 1e9);
    show("Third GPU", 80, 1);
    return 0;
}
