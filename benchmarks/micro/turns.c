/* Which of several ready warps issues next.
 *
 * Isolates: FFMA that read no register and wait for nothing, in a loop, of four warps of every sub-partition.
 * All have the same to do and begin together, so that when each has done tells how they shared the scheduler.
 * Once the control field of every FFMA lets the warp go on, once its yield bit asks for another.
 *
 * Unit: cycles until a warp has done, per FFMA of it.
 *
 * Expected: one after another, or in small groups, where the scheduler stays with a warp; all at the end
 * where they take turns.
 *
 * Profile: curves turns_staying, turns_yielding. */
#include "micro/micro.h"
#include "micro/streams.h"

#include "base/stats.h"

#include <stdlib.h>

enum { PASSES = 64, EACH = 4 /* warps of a sub-partition */ };

/* Cycles from the first start of a block to the end of the warps numbered `turn` in their sub-partitions. */
static double done(const struct span *block, unsigned partitions, unsigned turn)
{
    long long first = block[0].start;
    double sum = 0;

    for (unsigned w = 1; w < partitions * EACH; w++)
        first = block[w].start < first ? block[w].start : first;
    for (unsigned p = 0; p < partitions; p++)
        sum += (double)(block[turn * partitions + p].stop - first);
    return sum / partitions;
}

/* Medians over the SMs. */
static int reduce_turns(double out[EACH], const struct micro *micro, const struct span *spans,
                        unsigned partitions, struct err *err)
{
    double *cycles = calloc(micro->sms, sizeof *cycles);

    if (!cycles)
        return err_memory(err);
    for (unsigned turn = 0; turn < EACH; turn++) {
        for (unsigned b = 0; b < micro->sms; b++)
            cycles[b] = done(spans + (size_t)b * partitions * EACH, partitions, turn);
        out[turn] = stats_median(cycles, micro->sms) / (PASSES * STREAM_LENGTH);
    }
    free(cycles);
    return 0;
}

static int turns(const struct micro *micro, enum device_curve_id curve, bool yields, struct err *err)
{
    const unsigned partitions = (unsigned)micro->device->limits.subpartitions;
    const struct stream stream = {.registers = {{SASS_RZ, SASS_RZ, SASS_RZ}},
                                  .count = 1,
                                  .threads = 32 * EACH * partitions,
                                  .stall = 1,
                                  .yields = yields};
    static const double x[EACH] = {0, 1, 2, 3};
    struct micro_code code;
    struct span *spans = NULL;
    struct call call;
    double y[EACH];
    int rc = stream_compile(&code, micro, &stream, err);

    if (rc)
        return rc;
    call_init(&call, micro->sms, stream.threads, 0);
    call_in(&call, "in", 512);
    call_sink(&call, "sink", micro);
    call_spans(&call, micro);
    call_int(&call, PASSES);
    rc = call_run((void **)&spans, micro, &code, &call, "spans", err);
    if (rc == 0)
        rc = reduce_turns(y, micro, spans, partitions, err);
    if (rc == 0)
        rc = device_curve_set(&micro->device->curves[curve], x, y, EACH, "turns", err);
    free(spans);
    micro_code_release(&code);
    return rc;
}

static int staying(const struct micro *micro, struct err *err)
{
    return turns(micro, DEVICE_CURVE_TURNS_STAYING, false, err);
}

static int yielding(const struct micro *micro, struct err *err)
{
    return turns(micro, DEVICE_CURVE_TURNS_YIELDING, true, err);
}

int micro_turns(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"turns_staying", staying, true}, {"turns_yielding", yielding, true}};

    return micro_parts(micro, parts, sizeof parts / sizeof *parts, err);
}
