/* The clock.
 *
 * Isolates: two reads of clock64 with nothing between; the stamps of all SMs at one time; and the SM clock
 * while arithmetic runs.
 *
 * Unit: cycles, Hz.
 *
 * Expected: some 2 to 20 cycles. Whether all SMs count from one zero decides whether stamps of two SMs may
 * be compared; nothing here does so.
 *
 * Profile: clock, clock_read, clock_common. */
#include "micro/micro.h"
#include "micro/operations.h"
#include "model/sass/arch/geometry.h"

#include <stdio.h>
#include <stdlib.h>

static int clock_read(const struct micro *micro, struct err *err)
{
    const struct micro_kernel kernel = {
        .file = "control.cu",
        .name = "clock_read",
        .options = {"-DREPEAT=8"},
        .body = {.parts = " ", .bookkeeping = NULL},
    };
    struct micro_code code;
    struct call call;
    int rc = micro_compile(&code, micro, &kernel, err);

    if (rc)
        return rc;
    call_init(&call, micro->sms, LANES, 0);
    call_samples(&call, micro);
    rc = micro_latency(&micro->device->values[DEVICE_CLOCK_READ], micro, &code, &call, 1,
                       "control clock_read", err);
    micro_code_release(&code);
    return rc;
}

/* A launch spreads over the GPU within microseconds; counters that differ by more than a millisecond do not
 * share a zero. */
static int clock_common(const struct micro *micro, struct err *err)
{
    const struct micro_kernel kernel = {.file = "launches.cu", .name = "successive"};
    struct device_value *common = &micro->device->values[DEVICE_CLOCK_COMMON];
    struct span *spans = NULL;
    struct micro_code code;
    struct call call;
    int64_t first, last;
    int rc = micro_compile(&code, micro, &kernel, err);

    if (rc)
        return rc;
    call_init(&call, micro->sms, LANES, 0);
    call_spans(&call, micro);
    rc = call_run((void **)&spans, micro, &code, &call, "spans", err);
    if (rc == 0) {
        first = last = spans[0].start;
        for (unsigned i = 1; i < micro->sms; i++) {
            first = spans[i].start < first ? spans[i].start : first;
            last = spans[i].start > last ? spans[i].start : last;
        }
        *common = (struct device_value){.known = true, .sustained = last - first < 1000000, .spread = 0};
        common->best = common->sustained;
        snprintf(common->origin, sizeof common->origin, "launches successive");
    }
    free(spans);
    micro_code_release(&code);
    return rc;
}

/* The clock a trial finds while all pipes run. */
static int clock_rate(const struct micro *micro, struct err *err)
{
    enum { THREADS = 1024, PASSES = 1024 };
    struct micro_code code;
    struct trial trial;
    struct call call;
    int rc = operation_compile(&code, micro, operation_find(DEVICE_OP_FFMA), "saturated", 4, err);

    if (rc)
        return rc;
    call_init(&call, micro->sms, THREADS, 0);
    call_in(&call, "in", 8192);
    call_sink(&call, "sink", micro);
    call_spans(&call, micro);
    call_int(&call, PASSES);
    rc = call_time(&trial, micro, &code, &call, 1e-3, err);
    if (rc == 0)
        rc = reduce_runs(&micro->device->values[DEVICE_CLOCK], &trial.clock_hz, 1, true, "trial", err);
    if (rc == 0 && trial.throttled)
        rc = device_note(micro->device, err,
                         "clock: the GPU was throttled: throughputs per second are doubtful");
    trial_release(&trial);
    micro_code_release(&code);
    return rc;
}

int micro_clock(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {
        {"clock_read", clock_read, true}, {"clock_common", clock_common, true}, {"clock", clock_rate, false}};

    return micro_parts(micro, parts, sizeof parts / sizeof *parts, err);
}
