/* How far the latencies of single loads from DRAM lie apart.
 *
 * Isolates: the time from issue to arrival of each of many loads of 512 bytes, one after another in each
 * warp, all warps of all SMs loading. Which bank a load meets, how near that is and what else is under way
 * there are matters of chance.
 *
 * Unit: of their mean; sorted, the middle of each sixteenth of them. The mean under load is loaded_dram.
 *
 * Expected: a tenth a quarter below the mean and less, a tenth a third above it and more, with a long tail;
 * the same up to some 60 % of the throughput, wider where DRAM is full, as here. Loads that lie together come
 * together, which is why 512 bytes count as one.
 *
 * Profile: curve dram_spread. */
#include "micro/micro.h"

#include "base/stats.h"

#include <stdlib.h>

enum {
    SHARES = 16,
    BLOCKS = 2,
    THREADS = 1024,
    ROUNDS = 64,
    COLD = 16 /* rounds, until all are under way */
};
#define BYTES  (UINT64_C(1) << 32)
#define AROUND MICRO_LOOP " LOP3 IMAD LEA STG"

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static int reduce(const struct micro *micro, const long long *times, size_t warps, struct err *err)
{
    const size_t count = warps * (ROUNDS - COLD);
    double *sorted = malloc(count * sizeof *sorted), x[SHARES], y[SHARES], mean;

    if (!sorted)
        return err_memory(err);
    for (size_t i = 0; i < count; i++)
        sorted[i] = (double)times[i / (ROUNDS - COLD) * ROUNDS + COLD + i % (ROUNDS - COLD)];
    qsort(sorted, count, sizeof *sorted, by_size);
    mean = stats_mean(sorted, count);
    for (size_t i = 0; i < SHARES; i++) {
        x[i] = ((double)i + 0.5) / SHARES;
        y[i] = sorted[(size_t)(x[i] * (double)count)] / mean;
    }
    free(sorted);
    if (!(mean > 0))
        return err_set(err, ERR_FORMAT, "loads took no time");
    return device_curve_set(&micro->device->curves[DEVICE_CURVE_DRAM_SPREAD], x, y, SHARES, "spread", err);
}

static int spread(const struct micro *micro, struct err *err)
{
    const struct micro_kernel kernel = {
        .file = "spread.cu",
        .name = "spread",
        .body = {.parts = "LDG", .bookkeeping = AROUND, .bytes_max = BODY_CACHE},
    };
    const size_t warps = (size_t)micro->sms * BLOCKS * THREADS / 32;
    void *times = NULL;
    struct micro_code code;
    struct call call;
    int rc = micro_compile(&code, micro, &kernel, err);

    if (rc)
        return rc;
    call_init(&call, micro->sms * BLOCKS, THREADS, 0);
    call_zeros(&call, "zeros", ROLE_OUT, BYTES / 4);
    call_zeros(&call, "times", ROLE_OUT, 2 * warps * ROUNDS);
    call_int(&call, ROUNDS);
    call_unsigned(&call, (unsigned)(BYTES / 16 - 1));
    rc = call_run(&times, micro, &code, &call, "times", err);
    if (rc == 0)
        rc = reduce(micro, times, warps, err);
    free(times);
    micro_code_release(&code);
    return rc;
}

int micro_spread(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"dram_spread", spread, false}};

    return micro_parts(micro, parts, 1, err);
}
