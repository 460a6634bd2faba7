#include "gpu/bench.h"

int bench_copy(double *seconds, struct bench *bench, size_t bytes, struct err *err)
{
    gpu_event from = bench->measurer.events[0], to = bench->measurer.events[1];
    gpu_address source = 0, target = 0;
    int rc = gpu_alloc(&source, bench->gpu, bytes, err);

    if (!rc)
        rc = gpu_alloc(&target, bench->gpu, bytes, err);
    if (!rc)
        rc = gpu_set(bench->gpu, source, 1, bytes, err);
    if (!rc)
        rc = gpu_copy(bench->gpu, target, source, bytes, err); /* a first one that does not count */
    if (!rc)
        rc = gpu_record(bench->gpu, from, err);
    if (!rc)
        rc = gpu_copy(bench->gpu, target, source, bytes, err);
    if (!rc)
        rc = gpu_record(bench->gpu, to, err);
    if (!rc)
        rc = gpu_synchronize(bench->gpu, err);
    if (!rc)
        rc = gpu_elapsed(seconds, bench->gpu, from, to, err);
    gpu_free(bench->gpu, source);
    gpu_free(bench->gpu, target);
    return rc;
}
