/* Issue: when the k-th of many independent instructions of a warp gets away.
 *
 * Isolates: 64 independent loads that miss L1, or stores, of one warp, a clock read after each; then the
 * loads again with the SM full of such warps. Without the clock reads, the gap between independent accesses;
 * and how many loads get through when all but one of a warp's 32 want a line that is under way from DRAM.
 *
 * Unit: cycles.
 *
 * Expected: a constant gap until something is full; from there a load issues when another returns (seed
 * 000 saw loads at 0, 6, 12, 38, 44 and the sixth at 526 on Fermi). Of lines under way, fewer than the
 * load/store units take: their loads need places, too.
 *
 * Profile: load_gap, store_gap, shared_load_gap, loads_per_warp, loads_per_sm; curves issue_*; a note. */
#include "micro/micro.h"

#include "base/stats.h"
#include "model/sass/arch/geometry.h"

#include <stdio.h>
#include <stdlib.h>

enum { ISSUES = 64, PASSES = 3, FULL_WARPS = 12 };

static int compile_issue(struct micro_code *out, const struct micro *micro, const char *name,
                         const char *access, const char *parts, struct err *err)
{
    const struct micro_kernel kernel = {
        .file = "issue.cu",
        .name = name,
        .options = {access},
        .body = {.parts = parts, .bookkeeping = "NOP IADD3 IMAD VIADD R2UR CS2R MOV LDC ULDC S2UR DEPBAR"},
    };

    return micro_compile(out, micro, &kernel, err);
}

/* Median over SMs of the issue time of each instruction of the first warp of a block. */
static int issue_times(double out[ISSUES], const struct micro *micro, const char *access, const char *part,
                       unsigned warps, unsigned passes, struct err *err)
{
    const uint64_t all = (uint64_t)micro->sms * warps;
    const uint64_t pass_words = all * ISSUES * LANES;
    double *runs = calloc(micro->sms, sizeof *runs);
    void *stamps = NULL;
    struct micro_code code;
    struct call call;
    int rc = runs ? compile_issue(&code, micro, "issue", access, part, err) : err_memory(err);

    if (rc) {
        free(runs);
        return rc;
    }
    call_init(&call, micro->sms, LANES * warps, 4096);
    call_zeros(&call, "data", ROLE_OUT, passes * pass_words);
    call_zeros(&call, "stamps", ROLE_OUT, all * ISSUES);
    call_sink(&call, "sink", micro);
    call_int(&call, (int)passes);
    call_long(&call, pass_words);
    rc = call_run(&stamps, micro, &code, &call, "stamps", err);
    for (unsigned k = 0; rc == 0 && k < ISSUES; k++) {
        for (unsigned b = 0; b < micro->sms; b++)
            runs[b] = ((unsigned *)stamps)[(uint64_t)b * warps * ISSUES + k];
        out[k] = stats_median(runs, micro->sms);
    }
    free(stamps);
    free(runs);
    micro_code_release(&code);
    return rc;
}

static int issue_curve(double times[ISSUES], const struct micro *micro, enum device_curve_id curve,
                       const char *access, const char *part, unsigned warps, struct err *err)
{
    double k[ISSUES];
    int rc = issue_times(times, micro, access, part, warps, PASSES, err);

    for (int i = 0; i < ISSUES; i++)
        k[i] = i + 1;
    return rc ? rc : device_curve_set(&micro->device->curves[curve], k, times, ISSUES, "issue", err);
}

static void set_count(struct device_value *out, double count)
{
    *out = (struct device_value){.known = true, .sustained = count, .best = count};
    snprintf(out->origin, sizeof out->origin, "issue");
}

/* Instructions that issue before one waits for a return: the first gap that only a return from L2 explains
 * ends them. */
static double in_flight(const double times[ISSUES])
{
    enum { WAIT = 100 };

    for (int k = 1; k < ISSUES; k++)
        if (times[k] - times[k - 1] > WAIT)
            return k;
    return ISSUES;
}

static int loads(const struct micro *micro, struct err *err)
{
    double times[ISSUES];
    int rc = issue_curve(times, micro, DEVICE_CURVE_ISSUE_LOADS, "-DACCESS_LOAD", "LDG", 1, err);

    if (rc)
        return rc;
    set_count(&micro->device->values[DEVICE_LOADS_PER_WARP], in_flight(times));
    rc = issue_curve(times, micro, DEVICE_CURVE_ISSUE_LOADS_FULL, "-DACCESS_LOAD", "LDG", FULL_WARPS, err);
    if (rc == 0) /* the warps of an SM get on alike */
        set_count(&micro->device->values[DEVICE_LOADS_PER_SM], FULL_WARPS * in_flight(times));
    return rc;
}

static int stores(const struct micro *micro, struct err *err)
{
    double times[ISSUES];

    return issue_curve(times, micro, DEVICE_CURVE_ISSUE_STORES, "-DACCESS_STORE", "STG", 1, err);
}

static int gap(struct device_value *out, const struct micro *micro, const char *access, const char *parts,
               struct err *err)
{
    struct micro_code code;
    struct call call;
    int rc = compile_issue(&code, micro, "gap", access, parts, err);

    if (rc)
        return rc;
    call_init(&call, micro->sms, LANES, 4096);
    call_zeros(&call, "data", ROLE_OUT, (uint64_t)micro->sms * ISSUES * LANES);
    call_samples(&call, micro);
    call_sink(&call, "sink", micro);
    rc = micro_latency(out, micro, &code, &call, 16, "issue gap", err);
    micro_code_release(&code);
    return rc;
}

static int gaps(const struct micro *micro, struct err *err)
{
    struct device_value *values = micro->device->values;
    int rc = gap(&values[DEVICE_LOAD_GAP], micro, "-DACCESS_LOAD", "LDG*8 | LDG*24", err);

    if (rc == 0)
        rc = gap(&values[DEVICE_STORE_GAP], micro, "-DACCESS_STORE", "STG*8 | STG*24", err);
    return rc ? rc : gap(&values[DEVICE_SHARED_LOAD_GAP], micro, "-DACCESS_SHARED", "LDS*8 | LDS*24", err);
}

static int lines(const struct micro *micro, struct err *err)
{
    enum { WARPS = 32, LOADS = 32, PASSES_TIMED = 64, ROUNDS = 2 };
    const struct device_value *dram = &micro->device->values[DEVICE_DRAM_LATENCY];
    const uint64_t pass_words = (uint64_t)micro->sms * WARPS * LANES;
    const struct micro_kernel kernel = {
        .file = "issue.cu",
        .name = "lines",
        .options = {"-DACCESS_LOAD"},
        .body = {.parts = "- | LDG*32",
                 .bookkeeping = MICRO_LOOP " LOP3 IMAD LEA IADD3.X",
                 .bytes_max = BODY_CACHE},
    };
    struct device_value rate;
    struct micro_code code;
    struct call call;
    int rc;

    if (!dram->known)
        return err_set(err, ERR_FORMAT, "without dram_latency nobody can say how many are under way");
    rc = micro_compile(&code, micro, &kernel, err);
    if (rc)
        return rc;
    call_init(&call, micro->sms, LANES * WARPS, 0);
    call_zeros(&call, "data", ROLE_IN, ROUNDS * PASSES_TIMED * pass_words);
    call_sink(&call, "sink", micro);
    call_spans(&call, micro);
    call_int(&call, PASSES_TIMED);
    call_long(&call, pass_words);
    rc = micro_rate_shared(&rate, micro, &code, &call, (double)PASSES_TIMED * LOADS, 1, "issue lines", err);
    micro_code_release(&code);
    return rc ? rc
              : device_note(
                    micro->device, err,
                    "issue: %d warps with %d loads each of a line that comes from DRAM get %.2f loads a "
                    "cycle through: %.0f are under way",
                    WARPS, LOADS, rate.sustained, rate.sustained * dram->sustained);
}

int micro_issue(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {{"issue_loads", loads, false},
                                        {"issue_stores", stores, true},
                                        {"load_gap", gaps, false},
                                        {"issue_lines", lines, true}};

    return micro_parts(micro, parts, sizeof parts / sizeof *parts, err);
}
