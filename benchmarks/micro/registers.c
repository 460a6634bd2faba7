/* Registers: banks, and how many threads they allow.
 *
 * Isolates: FFMA whose three sources are chosen in the machine code itself, all in one bank, in two, or
 * the same with the reuse flag; and launches of a kernel whose register count is raised in its cubin until
 * the driver refuses a block.
 *
 * Unit: cycles per instruction and sub-partition; threads.
 *
 * Expected: two banks since compute capability 7.0 that give one register a cycle each, so three sources
 * in one bank take three cycles, two take two, and the reuse flags save them; largest block by
 * occupancy_largest_block(): 88 registers allow 640 threads on sm_90 (Wong et al., figure 9, saw 128 on
 * GT200).
 *
 * Profile: register_banks, register_conflict, register_window; curve block_registers. */
#include "micro/micro.h"
#include "micro/streams.h"

#include "model/machine/occupancy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PASSES = 64 };

/* Cycles per FFMA and sub-partition. */
static int run_banks(double *out, const struct micro *micro, const struct stream *stream, struct err *err)
{
    struct device_value rate;
    struct micro_code code;
    struct call call;
    int rc = stream_compile(&code, micro, stream, err);

    if (rc)
        return rc;
    call_init(&call, micro->sms, stream->threads, 0);
    call_in(&call, "in", 512);
    call_sink(&call, "sink", micro);
    call_spans(&call, micro);
    call_int(&call, PASSES);
    rc = micro_rate(&rate, micro, &code, &call, PASSES * STREAM_LENGTH, 1, "banks", err);
    *out = rc ? 0 : (double)micro->device->limits.subpartitions / rate.sustained;
    micro_code_release(&code);
    return rc;
}

/* One warp of a sub-partition reads three sources of one bank, then none for two instructions: that takes no
 * longer than instructions without sources where the third source may still be read two cycles later, and a
 * cycle longer for each cycle that is missing. */
static int window(const struct micro *micro, struct err *err)
{
    static const struct stream
        burst = {.registers = {{4, 8, 12}, {SASS_RZ, SASS_RZ, SASS_RZ}, {SASS_RZ, SASS_RZ, SASS_RZ}},
                 .count = 3,
                 .threads = STREAM_ONE_WARP_EACH},
        nothing = {{{SASS_RZ, SASS_RZ, SASS_RZ}}, .count = 1, .threads = STREAM_ONE_WARP_EACH},
        pairs = {{{4, 6, SASS_RZ}, {5, 7, SASS_RZ}}, .count = 2, .threads = STREAM_ONE_WARP_EACH};
    struct device_value *value = &micro->device->values[DEVICE_REGISTER_WINDOW];
    double in_burst = 0, in_pairs = 0, without = 0;
    int rc = run_banks(&in_burst, micro, &burst, err);

    if (rc == 0)
        rc = run_banks(&in_pairs, micro, &pairs, err);
    if (rc == 0)
        rc = run_banks(&without, micro, &nothing, err);
    if (rc)
        return rc;
    *value = (struct device_value){.known = true,
                                   .sustained = fmin(fmax(3 - round(3 * (in_burst - without)), 1), 3)};
    value->best = value->sustained;
    snprintf(value->origin, sizeof value->origin, "window");
    return device_note(micro->device, err,
                       "register window: one warp's FFMA takes %.2f cycles without sources, %.2f with two in "
                       "either bank in turn, %.2f with three in one bank every third time",
                       without, in_pairs, in_burst);
}

static int banks(const struct micro *micro, struct err *err)
{
    static const struct stream four = {{{4, 8, 12}}, .count = 1, .threads = STREAM_THREADS},
                               two = {{{4, 6, 8}}, .count = 1, .threads = STREAM_THREADS},
                               mixed = {{{4, 5, 6}}, .count = 1, .threads = STREAM_THREADS},
                               kept = {{{4, 8, 12}}, .count = 1, .reuse = true, .threads = STREAM_THREADS};
    struct device_value *conflict = &micro->device->values[DEVICE_REGISTER_CONFLICT];
    struct device_value *number = &micro->device->values[DEVICE_REGISTER_BANKS];
    double in_four = 0, in_two = 0, apart = 0, reused = 0;
    int rc = run_banks(&in_four, micro, &four, err);

    if (rc == 0)
        rc = run_banks(&in_two, micro, &two, err);
    if (rc == 0)
        rc = run_banks(&apart, micro, &mixed, err);
    if (rc == 0)
        rc = run_banks(&reused, micro, &kept, err);
    if (rc)
        return rc;
    /* `mixed` has two sources in one bank, `four` and `two` all three. */
    *conflict = (struct device_value){.known = true, .sustained = in_four > apart ? in_four - apart : 0};
    conflict->best = conflict->sustained;
    snprintf(conflict->origin, sizeof conflict->origin, "banks");
    if (in_four > 1.05 * apart) {
        *number = *conflict;
        number->sustained = number->best = in_two > 1.05 * apart ? 2 : 4;
    }
    return device_note(
        micro->device, err,
        "register banks: FFMA takes %.2f cycles with sources in R4, R8, R12, %.2f in R4, R6, R8, %.2f in R4, "
        "R5, R6, and %.2f in R4, R8, R12 with the reuse flags",
        in_four, in_two, apart, reused);
}

/* Writes the register count of the kernel's record in .nv.info (attribute 0x2f: symbol, count). */
static bool patch_count(struct micro_code *code, unsigned registers)
{
    static const unsigned char head[] = {0x04, 0x2f, 0x08, 0x00};
    unsigned char *cubin = code->compiled.cubin;
    size_t found = 0;

    for (size_t i = 0; i + 12 <= code->compiled.cubin_bytes; i += 4)
        if (!memcmp(cubin + i, head, sizeof head) && cubin[i + 8] == code->resources.registers) {
            cubin[i + 8] = (unsigned char)registers;
            found++;
        }
    return found > 0;
}

static bool launches(const struct micro *micro, const struct micro_code *code, unsigned threads)
{
    struct err ignored = {0};
    void *spans = NULL;
    struct call call;
    int rc;

    call_init(&call, 1, threads, 0);
    call_spans(&call, micro);
    rc = call_run(&spans, micro, code, &call, "spans", &ignored);
    free(spans);
    return rc == 0;
}

/* The largest block that starts, looked for from the calculator's answer. */
static unsigned largest_block(const struct micro *micro, const struct micro_code *code, unsigned registers)
{
    const unsigned most = (unsigned)micro->device->limits.threads_per_block;
    unsigned threads = occupancy_largest_block(&micro->device->limits, registers);

    if (launches(micro, code, threads)) {
        while (threads + 32 <= most && launches(micro, code, threads + 32))
            threads += 32;
        return threads;
    }
    while (threads > 32 && !launches(micro, code, threads - 32))
        threads -= 32;
    return threads - 32;
}

static int block_registers(const struct micro *micro, struct err *err)
{
    static const unsigned counts[] = {32, 64, 72, 80, 88, 96, 128, 168, 255};
    enum { POINTS = sizeof counts / sizeof *counts };
    const struct micro_kernel kernel = {.file = "launches.cu", .name = "successive"};
    double x[POINTS], y[POINTS];
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < POINTS; i++) {
        struct micro_code code;

        rc = micro_compile(&code, micro, &kernel, err);
        if (rc)
            break;
        if (!patch_count(&code, counts[i]))
            rc = err_set(err, ERR_FORMAT, "the cubin has no register count to raise");
        x[i] = counts[i];
        y[i] = rc ? 0 : largest_block(micro, &code, counts[i]);
        if (rc == 0 && y[i] != occupancy_largest_block(&micro->device->limits, counts[i]))
            rc = device_note(micro->device, err,
                             "block_registers: %u registers let %.0f threads start, %u were computed",
                             counts[i], y[i], occupancy_largest_block(&micro->device->limits, counts[i]));
        micro_code_release(&code);
    }
    return rc ? rc
              : device_curve_set(&micro->device->curves[DEVICE_CURVE_BLOCK_REGISTERS], x, y, POINTS,
                                 "launches successive", err);
}

int micro_registers(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"register_conflict", banks, false},
                                        {"register_window", window, false},
                                        {"block_registers", block_registers, true}};

    return micro_parts(micro, parts, sizeof parts / sizeof *parts, err);
}
