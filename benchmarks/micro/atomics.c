/* Atomics.
 *
 * Isolates: dependent additions of zero to a word that holds its own address, in shared memory and (one
 * lane) in L2; and additions nobody waits for, all to one address, and each warp to 32 words of its own.
 *
 * Unit: cycles.
 *
 * Expected: in L2 a load's latency and a little; one address is served at a fixed rate for the whole GPU.
 *
 * Profile: atomic_shared_latency, atomic_global_latency, atomic_global_same, atomic_global_distinct.
 * (Throughput in shared memory: shared.c.) */
#include "micro/micro.h"

enum { STEPS = 64, PASSES = 16, LENGTH = 16, THREADS = 256 };

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
    call_init(&call, micro->sms, 32, 0);
    if (global)
        call_zeros(&call, "words", ROLE_OUT, (uint64_t)micro->sms * 64 * 2);
    call_samples(&call, micro);
    rc = micro_latency(out, micro, &code, &call, STEPS, "atomics", err);
    call_release(&call);
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

/* Warp instructions per cycle and SM. */
static int busy(struct device_value *out, const struct micro *micro, const struct micro_code *code,
                unsigned lane_words, unsigned warp_words, struct err *err)
{
    const uint64_t warps = (uint64_t)micro->sms * THREADS / 32;
    struct call call;
    int rc;

    call_init(&call, micro->sms, THREADS, 0);
    call_zeros(&call, "words", ROLE_INOUT, warps * 32);
    call_spans(&call, micro);
    call_int(&call, PASSES);
    call_unsigned(&call, lane_words);
    call_unsigned(&call, warp_words);
    rc = micro_rate(out, micro, code, &call, PASSES * LENGTH, 1, "atomics", err);
    call_release(&call);
    return rc;
}

static void per_warp(struct device_value *value, double sms)
{
    value->spread /= value->sustained * value->sustained * sms;
    value->sustained = 1 / (value->sustained * sms);
    value->best = 1 / (value->best * sms);
}

static int throughputs(const struct micro *micro, struct err *err)
{
    struct device_value *values = micro->device->values;
    struct micro_code code;
    int rc = compile_atomics(&code, micro, "atomic_busy", "- | REDG/RED*16", MICRO_LOOP, err);

    if (rc)
        return rc;
    rc = busy(&values[DEVICE_ATOMIC_GLOBAL_SAME], micro, &code, 0, 0, err);
    if (rc == 0) {
        per_warp(&values[DEVICE_ATOMIC_GLOBAL_SAME], micro->sms);
        rc = busy(&values[DEVICE_ATOMIC_GLOBAL_DISTINCT], micro, &code, 1, 32, err);
    }
    if (rc == 0)
        per_warp(&values[DEVICE_ATOMIC_GLOBAL_DISTINCT], 1);
    micro_code_release(&code);
    return rc;
}

int micro_atomics(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"atomic_latency", latencies}, {"atomic_global", throughputs}};

    return micro_parts(micro, parts, sizeof parts / sizeof *parts, err);
}
