#include "check.h"

#include "baselines/pipeline.h"

static void two_pipelines(void **state)
{
    const struct pipeline_class classes[] = {{100, 0.25, 4, 100, 0}, {10, 4, 500, 2, 1}};

    check_near(pipeline_cycles(classes, 2, 1), 1400, 1e-12);  /* one warp: its chain */
    check_near(pipeline_cycles(classes, 2, 64), 2560, 1e-12); /* many: the memory pipeline */
    check_near(pipeline_cycles(classes, 1, 64), 1600, 1e-12);
}

int main(void)
{
    return RUN_TESTS(two_pipelines);
}
