/* Atomics.
 *
 * Isolates: dependent additions of zero to a word of shared memory that holds its own address, and of one
 * lane to 64 words all over L2 that each hold the address of the next; and additions nobody waits for, all to
 * one address, each warp to 32 words of its own, and all warps to a number of lines in a row.
 *
 * Unit: cycles; for lines in a row, the time of an addition to each, in that of as many sectors' additions to one address.
 *
 * Expected: in L2 a load's latency and a little; one address is served at a fixed rate for the whole GPU. Lines side by side
 * lie in the same slice of L2, and many in all slices, not quite evenly.
 *
 * Profile: atomic_shared_latency, atomic_global_latency, atomic_global_same, atomic_global_distinct, curve atomic_lines.
 * (Throughput in shared memory: shared.c.) */
#include "micro/micro.h"
#include "model/sass/arch/geometry.h"

#include <stdlib.h>

#define LINES_AROUND "LOP3 IMAD IADD3 LEA IMAD.WIDE VIADD"

enum { STEPS = 64, PASSES = 64, LENGTH = 16, THREADS = 256 };

static int compile_atomics(struct micro_code *out, const struct micro *micro, const char *name,
                           const char *parts, const char *bookkeeping, struct err *err)
{
    const struct micro_kernel kernel = {
        .file = "atomics.cu",
        .name = name,
        .options = {"-DLENGTH=16"},
        .body = {.parts = parts,
                 .bookkeeping = bookkeeping,
                 .dependent = !bookkeeping,
                 .bytes_max = BODY_CACHE},
    };

    return micro_compile(out, micro, &kernel, err);
}

static int latency_of(struct device_value *out, const struct micro *micro, const char *name,
                      const char *parts, bool global, struct err *err)
{
    struct micro_code code;
    struct call call;
    int rc = compile_atomics(&code, micro, name, parts, NULL, err);

    if (rc)
        return rc;
    call_init(&call, micro->sms, LANES, 0);
    if (global)
        call_zeros(&call, "places", ROLE_OUT, (uint64_t)micro->sms * STEPS * 1024 / 4);
    call_samples(&call, micro);
    rc = micro_latency(out, micro, &code, &call, STEPS, "atomics", err);
    micro_code_release(&code);
    return rc;
}

static int latencies(const struct micro *micro, struct err *err)
{
    struct device_value *values = micro->device->values;
    int rc = latency_of(&values[DEVICE_ATOMIC_SHARED_LATENCY], micro, "shared_atomic_chase", "ATOMS*64",
                        false, err);

    return rc ? rc
              : latency_of(&values[DEVICE_ATOMIC_GLOBAL_LATENCY], micro, "atomic_chase", "ATOMG/ATOM*64",
                           true, err);
}

/* Every SM adds PASSES * LENGTH times a warp; the addresses as atomic_busy() says. */
static void make_call(struct call *call, const struct micro *micro, unsigned lane_words, unsigned warp_words)
{
    const uint64_t warps = (uint64_t)micro->sms * THREADS / LANES;

    call_init(call, micro->sms, THREADS, 0);
    call_zeros(call, "words", ROLE_INOUT, warps * LANES * LENGTH);
    call_spans(call, micro);
    call_int(call, PASSES);
    call_unsigned(call, lane_words);
    call_unsigned(call, warp_words);
    call_unsigned(call, (unsigned)warps * warp_words);
}

/* Cycles of the GPU for an addition of a warp: SMs that are favoured end early, so the time of all counts. */
static int time_of_all(double *cycles, const struct micro *micro, const struct micro_code *code,
                       struct call *call, struct err *err)
{
    struct sm_time *times = calloc(micro->sms, sizeof *times);
    double warps = 0;
    size_t count = 0;
    int rc;

    if (!times)
        return err_memory(err);
    rc = micro_spans(times, &count, micro, code, call, err);
    *cycles = 0;
    for (size_t i = 0; i < count; i++) {
        *cycles = times[i].cycles > *cycles ? times[i].cycles : *cycles;
        warps += times[i].warps;
    }
    *cycles /= warps * PASSES * LENGTH;
    free(times);
    return rc;
}

/* One address for all. */
static int one_address(struct device_value *out, const struct micro *micro, const struct micro_code *code,
                       struct err *err)
{
    struct call call;
    double cycles;
    int rc;

    make_call(&call, micro, 0, 0);
    rc = time_of_all(&cycles, micro, code, &call, err);
    return rc ? rc : reduce_runs(out, &cycles, 1, false, "atomics", err);
}

static int distinct(struct device_value *out, const struct micro *micro, const struct micro_code *code,
                    struct err *err)
{
    struct device_value rate;
    struct call call;
    int rc;

    make_call(&call, micro, 1, LANES);
    rc = micro_rate_shared(&rate, micro, code, &call, PASSES * LENGTH, 1, "atomics", err);
    if (rc)
        return rc;
    *out = rate;
    out->sustained = 1 / rate.sustained;
    out->best = 1 / rate.best;
    out->spread = rate.spread / (rate.sustained * rate.sustained);
    return 0;
}

static int throughputs(const struct micro *micro, struct err *err)
{
    struct device_value *values = micro->device->values;
    struct micro_code code;
    int rc = compile_atomics(&code, micro, "atomic_busy", "- | REDG/RED*16", MICRO_LOOP " LEA", err);

    if (rc)
        return rc;
    rc = one_address(&values[DEVICE_ATOMIC_GLOBAL_SAME], micro, &code, err);
    if (rc == 0)
        rc = distinct(&values[DEVICE_ATOMIC_GLOBAL_DISTINCT], micro, &code, err);
    micro_code_release(&code);
    return rc;
}

/* In the time that additions to a line's sectors would take at one address. */
static int lines_in_a_row(const struct micro *micro, struct err *err)
{
    enum { POINTS = 13 }; /* 1 to 4096 lines */
    const double line = device_sustained(micro->device, DEVICE_ATOMIC_GLOBAL_SAME) / LANES * LINE / SECTOR;
    double x[POINTS], y[POINTS], cycles = 0;
    struct micro_code code;
    struct call call;
    int rc =
        compile_atomics(&code, micro, "atomic_lines", "- | REDG/RED*16", MICRO_LOOP " " LINES_AROUND, err);

    if (rc)
        return rc;
    for (unsigned i = 0; i < POINTS && !rc; i++) {
        call_init(&call, micro->sms, THREADS, 0);
        call_zeros(&call, "lines", ROLE_INOUT, (UINT64_C(1) << (POINTS - 1)) * LANES);
        call_spans(&call, micro);
        call_int(&call, PASSES);
        call_unsigned(&call, 1u << i);
        x[i] = 1u << i;
        rc = time_of_all(&cycles, micro, &code, &call, err);
        y[i] = x[i] * cycles / line;
    }
    micro_code_release(&code);
    return rc ? rc
              : device_curve_set(&micro->device->curves[DEVICE_CURVE_ATOMIC_LINES], x, y, POINTS, "atomics",
                                 err);
}

int micro_atomics(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"atomic_latency", latencies, false},
                                        {"atomic_global", throughputs, false},
                                        {"atomic_lines", lines_in_a_row, false}};

    return micro_parts(micro, parts, sizeof parts / sizeof *parts, err);
}
