/* What a thread and a loop iteration cost.
 *
 * Isolates: a copy of long arrays by threads of 1 to 256 elements of 4 bytes, the loop over them unrolled, of
 * constant length, or of a length known at run time (Lemeire et al., figure 6).
 *
 * Unit: bytes per second of the whole GPU, both ways counted.
 *
 * Expected: one element a thread pays for a thread each, many in a loop for an iteration each; a loop that is
 * not unrolled waits for each load before its store.
 *
 * Profile: curves copy_unrolled, copy_constant, copy_run_time. */
#include "micro/micro.h"

#include <stdio.h>

enum { THREADS = 256 };
#define BYTES  (UINT64_C(1) << 31) /* as dram.c, so that the buffers are filled once */
#define SAMPLE 1e-3
#define AROUND MICRO_LOOP " LOP3 IMAD UIMAD LEA SHF S2UR EXIT ULOP3 USHF R2UR"

static const unsigned elements[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
enum { POINTS = sizeof elements / sizeof *elements, LOOPS = 3 };

static int compile_copy(struct micro_code *out, const struct micro *micro, unsigned loop, unsigned count,
                        struct err *err)
{
    char option[32], number[32], parts[32];
    const struct micro_kernel kernel = {
        .file = "copies.cu",
        .name = "copy_elements",
        .options = {option, number},
        .body = {.parts = parts, .bookkeeping = AROUND, .any_order = true},
    };

    snprintf(option, sizeof option, "-DLOOP=%u", loop);
    snprintf(number, sizeof number, "-DELEMENTS=%u", count);
    snprintf(parts, sizeof parts, "(LDG STG)*%u", loop == 0 ? count : 1);
    return micro_compile(out, micro, &kernel, err);
}

/* The unrolled one is the first, and all that the model reads. */
static unsigned loops_of(const struct micro *micro)
{
    return micro->full ? LOOPS : 1;
}

static void compile_ahead(const void *context, size_t index)
{
    const unsigned loops = loops_of(context);
    struct micro_code code;
    struct err ignored = {0};

    if (!compile_copy(&code, context, (unsigned)(index % loops), elements[POINTS - 1 - index / loops],
                      &ignored))
        micro_code_release(&code);
}

static int run_copy(double *rate, const struct micro *micro, unsigned loop, unsigned count, struct err *err)
{
    struct device_value value;
    struct micro_code code;
    struct trial trial;
    struct call call;
    int rc = compile_copy(&code, micro, loop, count, err);

    if (rc)
        return rc;
    call_init(&call, (unsigned)(BYTES / 4 / THREADS / count), THREADS, 0);
    call_in(&call, "in", BYTES / 4);
    call_zeros(&call, "out", ROLE_OUT, BYTES / 4);
    call_unsigned(&call, count);
    rc = call_time(&trial, micro, &code, &call, SAMPLE, err);
    for (size_t i = 0; rc == 0 && i < trial.sample_count; i++)
        trial.samples_s[i] = 2.0 * (double)BYTES / trial.samples_s[i];
    if (rc == 0)
        rc = reduce_runs(&value, trial.samples_s, trial.sample_count, true, "copies", err);
    *rate = rc ? 0 : value.sustained;
    trial_release(&trial);
    micro_code_release(&code);
    return rc;
}

static int copies(const struct micro *micro, struct err *err)
{
    static const enum device_curve_id curves[LOOPS] = {DEVICE_CURVE_COPY_UNROLLED, DEVICE_CURVE_COPY_CONSTANT,
                                                       DEVICE_CURVE_COPY_RUN_TIME};
    double x[POINTS], y[POINTS];
    int rc = 0;

    micro_ahead(compile_ahead, micro, (size_t)POINTS * loops_of(micro));
    for (unsigned loop = 0; rc == 0 && loop < loops_of(micro); loop++) {
        for (size_t i = 0; rc == 0 && i < POINTS; i++) {
            x[i] = elements[i];
            rc = run_copy(&y[i], micro, loop, elements[i], err);
        }
        if (rc == 0)
            rc = device_curve_set(&micro->device->curves[curves[loop]], x, y, POINTS, "copies", err);
    }
    return rc;
}

int micro_copies(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"copies", copies, false}};

    return micro_parts(micro, parts, 1, err);
}
