/* The calibration kernel, timed until its time stays. */
#include "gpu/bench.h"

#include "base/stats.h"

#include <math.h>

enum {
    STEPS = 40000,    /* of arithmetic: a third of a millisecond at 2 GHz */
    L2_SIZES = 4,     /* of memory: what does not stay in L2 */
    BATCH = 15,       /* launches whose median counts */
    BATCHES_MOST = 60 /* until two agree: the clock of an idle GPU is low at first */
};
static const double agreement = 0.002;

static int time_once(double *seconds, struct bench *bench, gpu_address data, uint64_t count, unsigned steps,
                     struct err *err)
{
    gpu_event from = bench->measurer.events[0], to = bench->measurer.events[1];
    int rc = gpu_record(bench->gpu, from, err);

    if (!rc)
        rc = kernels_pace(&bench->kernels, data, count, steps, err);
    if (!rc)
        rc = gpu_record(bench->gpu, to, err);
    if (!rc)
        rc = gpu_synchronize(bench->gpu, err);
    return rc ? rc : gpu_elapsed(seconds, bench->gpu, from, to, err);
}

static int time_batches(double *out, struct bench *bench, gpu_address data, uint64_t count, unsigned steps,
                        struct err *err)
{
    double seconds[BATCH], before;
    int batch, k, rc = 0;

    *out = INFINITY;
    for (batch = 0; batch < BATCHES_MOST && !rc; batch++) {
        before = *out;
        for (k = 0; k < BATCH && !rc; k++)
            rc = time_once(&seconds[k], bench, data, count, steps, err);
        if (rc)
            return rc;
        *out = stats_median(seconds, BATCH);
        if (fabs(*out - before) <= agreement * *out)
            break;
    }
    return 0;
}

int bench_pace(struct gpu_pace *out, struct bench *bench, struct err *err)
{
    const size_t bytes = L2_SIZES * gpu_l2_bytes(bench->gpu);
    gpu_address data = 0;
    int rc = gpu_alloc(&data, bench->gpu, bytes + sizeof(float), err);

    if (!rc)
        rc = gpu_set(bench->gpu, data, 0, bytes, err);
    if (!rc)
        rc = time_batches(&out->arithmetic_s, bench, data, 0, STEPS, err);
    if (!rc)
        rc = time_batches(&out->memory_s, bench, data, bytes / sizeof(float), 0, err);
    gpu_free(bench->gpu, data);
    return rc;
}
