/* Chooses rows at run time; compiled as C99, C++17 and CUDA. */
#include "scale.h"

#include <stdio.h>
#include <string.h>

static int failures;

static void wants(const char *what, int threads, const struct scale_configuration *found)
{
    if (found->THREADS == threads)
        return;
    printf("%s: found %d threads, wanted %d\n", what, found->THREADS, threads);
    failures++;
}

#define COUNT(variant, threads, items, fast_math, scale)                                                     \
    +((threads) * (items) > 0 && (scale) > 0 && (fast_math) >= 0)

int main(void)
{
    const struct scale_configuration *row = scale_configuration_for("Example GPU", 90, 1048576);

    wants("this size", 256, row);
    wants("the other size", 64, scale_configuration_for("Example GPU", 90, 1024));
    wants("nearest by ratio, below", 64, scale_configuration_for("Example GPU", 90, 16384));
    wants("nearest by ratio, above", 256, scale_configuration_for("Example GPU", 90, 65536));
    wants("the other device", 128, scale_configuration_for("Other GPU", 80, 5));
    wants("same architecture", 64, scale_configuration_for("Third GPU", 90, 1000));
    wants("same architecture of the other", 128, scale_configuration_for(0, 80, 1000));
    wants("best over all", 256, scale_configuration_for("Third GPU", 70, 1000));
    wants("nothing known", 256, scale_configuration_for(0, 0, 0));
    if (row->option_count != 4 || strcmp(row->options[2], "--use_fast_math") || row->options[4])
        failures++, printf("the options are wrong\n");
    if (row->FAST_MATH != 1 || row->SCALE != 1.0 || row->block[0] != 256)
        failures++, printf("the values are wrong\n");
    if (SCALE_THREADS != 64 || SCALE_LAUNCH_BLOCK_X != 64 ||
        strcmp(SCALE_OPTIONS, "-DTHREADS=64 -DITEMS=1 -DSCALE=0.5"))
        failures++, printf("the macros are wrong\n");
    if (0 SCALE_CONFIGURATIONS(COUNT) != SCALE_CONFIGURATION_COUNT || SCALE_CONFIGURATION_COUNT != 3)
        failures++, printf("the list is wrong\n");
    return failures != 0;
}
