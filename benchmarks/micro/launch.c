/* Launches and thread blocks that do nothing.
 *
 * Isolates: an empty kernel timed as variants are, as one of many in a graph (alone in a stream it takes 0.5
 * to 1.5 microseconds, which events do not resolve: two runs disagree, so it is left out); with a growing
 * grid; and the gap between a block's last instruction and its successor's first on an SM that holds one at a
 * time. Then a kernel of fixed work per block over a growing grid; and how many clusters of blocks that fill an SM
 * have begun before the first of them ends; and how many blocks of clusters, of blocks that take little.
 *
 * Unit: seconds; cycles for the gap.
 *
 * Expected: a microsecond a launch, half a nanosecond a block; time against blocks
 * flat within the first wave, then in steps (Lemeire et al., figure 1). A cluster lies in one GPC: GPCs of unequal
 * size leave SMs unused.
 *
 * Profile: launch_graph, block_dispatch, block_replace, cluster_blocks; curves time_blocks, clusters. */
#include "micro/micro.h"
#include "micro/operations.h"

#include "model/machine/occupancy.h"
#include "model/sass/arch/arch.h"
#include "model/sass/arch/geometry.h"

#include <stdio.h>
#include <stdlib.h>

enum { FEW = 1, MANY = 1 << 18 };

static int compile_launches(struct micro_code *out, const struct micro *micro, const char *name,
                            struct err *err)
{
    const struct micro_kernel kernel = {.file = "launches.cu", .name = name};

    return micro_compile(out, micro, &kernel, err);
}

static int empty(struct device_value *out, const struct micro *micro, const struct micro_code *code,
                 unsigned blocks, double sample_s, struct err *err)
{
    struct trial trial;
    struct call call;
    int rc;

    call_init(&call, blocks, LANES, 0);
    call_sink(&call, "sink", micro);
    rc = call_time(&trial, micro, code, &call, sample_s, err);
    if (rc == 0)
        rc = reduce_runs(out, trial.samples_s, trial.sample_count, false, "launches empty", err);
    trial_release(&trial);
    return rc;
}

static int launches(const struct micro *micro, struct err *err)
{
    struct device_value *values = micro->device->values, many;
    struct micro_code code;
    int rc = compile_launches(&code, micro, "empty", err);

    if (rc)
        return rc;
    rc = empty(&values[DEVICE_LAUNCH_GRAPH], micro, &code, FEW, 1e-3, err);
    if (rc == 0)
        rc = empty(&many, micro, &code, MANY, 1e-3, err);
    if (rc == 0) {
        many.sustained = (many.sustained - values[DEVICE_LAUNCH_GRAPH].sustained) / MANY;
        many.best = (many.best - values[DEVICE_LAUNCH_GRAPH].sustained) / MANY;
        many.spread /= MANY;
        values[DEVICE_BLOCK_DISPATCH] = many;
    }
    micro_code_release(&code);
    return rc;
}

static int by_start(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    const uint32_t sm_x = (uint32_t)x->place, sm_y = (uint32_t)y->place;

    if (sm_x != sm_y)
        return (sm_x > sm_y) - (sm_x < sm_y);
    return (x->start > y->start) - (x->start < y->start);
}

static int replacement(const struct micro *micro, struct err *err)
{
    enum { PER_SM = 32 };
    const size_t blocks = (size_t)micro->sms * PER_SM;
    double *gaps = calloc(blocks, sizeof *gaps);
    struct span *spans = NULL;
    struct micro_code code;
    struct call call;
    size_t count = 0;
    int rc = gaps ? compile_launches(&code, micro, "successive", err) : err_memory(err);

    if (rc) {
        free(gaps);
        return rc;
    }
    call_init(&call, (unsigned)blocks, LANES, occupancy_shared_for(&micro->device->limits, 1));
    call_spans(&call, micro);
    rc = call_run((void **)&spans, micro, &code, &call, "spans", err);
    if (rc == 0)
        qsort(spans, blocks, sizeof *spans, by_start);
    for (size_t i = 1; rc == 0 && i < blocks; i++)
        if ((uint32_t)spans[i].place == (uint32_t)spans[i - 1].place && spans[i].start >= spans[i - 1].stop)
            gaps[count++] = (double)(spans[i].start - spans[i - 1].stop);
    if (rc == 0)
        rc = reduce_runs(&micro->device->values[DEVICE_BLOCK_REPLACE], gaps, count, false,
                         "launches successive", err);
    free(spans);
    free(gaps);
    micro_code_release(&code);
    return rc;
}

/* Blocks of fixed work, four to an SM. The time is the longest of an SM from its first start to its last
 * stop. */
static int time_against_blocks(const struct micro *micro, struct err *err)
{
    enum { POINTS = 25, THREADS = 256, RESIDENT = 4, PASSES = 64 };
    struct sm_time *times = calloc(micro->sms, sizeof *times);
    const double clock = micro->device->values[DEVICE_CLOCK].known
                             ? micro->device->values[DEVICE_CLOCK].sustained
                             : (double)micro->device->limits.sm_clock_hz;
    double x[POINTS], y[POINTS];
    struct micro_code code;
    int rc = times ? operation_compile(&code, micro, operation_find(DEVICE_OP_FFMA), "saturated", 1, err)
                   : err_memory(err);

    if (rc) {
        free(times);
        return rc;
    }
    for (unsigned i = 0; rc == 0 && i < POINTS; i++) {
        const unsigned blocks = i == 0 ? 1 : micro->sms * RESIDENT * i / 6;
        struct call call;
        size_t count = 0;

        call_init(&call, blocks, THREADS, occupancy_shared_for(&micro->device->limits, RESIDENT));
        call_in(&call, "in", 8192);
        call_sink(&call, "sink", micro);
        call_spans(&call, micro);
        call_int(&call, PASSES);
        rc = micro_spans(times, &count, micro, &code, &call, err);
        x[i] = blocks;
        y[i] = 0;
        for (size_t s = 0; rc == 0 && s < count; s++)
            y[i] = times[s].lifetime / clock > y[i] ? times[s].lifetime / clock : y[i];
    }
    if (rc == 0)
        rc = device_curve_set(&micro->device->curves[DEVICE_CURVE_TIME_BLOCKS], x, y, POINTS,
                              "arithmetic saturated", err);
    free(times);
    micro_code_release(&code);
    return rc;
}

/* Blocks of clusters that run at a time, of those of which `per_sm` fit on an SM. */
static int count_blocks(double *out, const struct micro *micro, unsigned size, unsigned per_sm,
                        struct err *err)
{
    const unsigned blocks = 2 * per_sm * micro->sms / size * size;
    char cluster[32];
    const struct micro_kernel kernel = {.file = "launches.cu", .name = "clustered", .options = {cluster}};
    struct span *spans = NULL;
    struct micro_code code;
    struct call call;
    int64_t first_stop = INT64_MAX;
    unsigned begun = 0;
    int rc;

    snprintf(cluster, sizeof cluster, "-DCLUSTER=%u", size);
    rc = micro_compile(&code, micro, &kernel, err);
    if (rc)
        return rc;
    call_init(&call, blocks, LANES, occupancy_shared_for(&micro->device->limits, per_sm));
    call_spans(&call, micro);
    rc = call_run((void **)&spans, micro, &code, &call, "spans", err);
    for (unsigned b = 0; rc == 0 && b < blocks; b++)
        first_stop = spans[b].stop < first_stop ? spans[b].stop : first_stop;
    for (unsigned b = 0; rc == 0 && b < blocks; b++)
        begun += spans[b].start <= first_stop;
    *out = (double)begun;
    free(spans);
    micro_code_release(&code);
    return rc;
}

/* An SM holds fewer blocks of clusters than others, however small: of pairs, which leave no SM out. */
static int cluster_blocks(const struct micro *micro, struct err *err)
{
    struct device_value *value = &micro->device->values[DEVICE_CLUSTER_BLOCKS];
    double begun;
    const int rc = count_blocks(&begun, micro, 2, (unsigned)micro->device->limits.blocks_per_sm, err);

    if (rc)
        return rc;
    *value =
        (struct device_value){.known = true, .best = begun / micro->sms, .sustained = begun / micro->sms};
    snprintf(value->origin, sizeof value->origin, "launches clustered");
    return 0;
}

/* Up to the largest that a GPU with clusters launches where that is asked for. */
static int clusters(const struct micro *micro, struct err *err)
{
    enum { LEAST = 2, MOST = 16, POINTS = MOST - LEAST + 1 };
    const struct arch *arch = arch_of(micro->device->sm);
    double x[POINTS], y[POINTS];
    int rc;

    if (!arch || !arch->bulk_copies)
        return 0;
    for (unsigned i = 0; i < POINTS; i++) {
        rc = count_blocks(&y[i], micro, LEAST + i, 1, err);

        if (rc)
            return rc;
        x[i] = LEAST + i;
        y[i] /= x[i];
    }
    rc = cluster_blocks(micro, err);
    if (rc)
        return rc;
    return device_curve_set(&micro->device->curves[DEVICE_CURVE_CLUSTERS], x, y, POINTS, "launches clustered",
                            err);
}

int micro_launch(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"launch", launches, false},
                                        {"block_replace", replacement, false},
                                        {"clusters", clusters, false},
                                        {"time_blocks", time_against_blocks, true}};

    return micro_parts(micro, parts, sizeof parts / sizeof *parts, err);
}
