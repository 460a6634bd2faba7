/* Control flow: barriers, branches, calls, divergence.
 *
 * Isolates: a few of each between two stamps and three times as many after them; the difference is free of
 * the clock's cost. What the other instructions of a step cost is measured alone and subtracted.
 *
 * Unit: cycles, one warp (barriers: of the whole block).
 *
 * Expected: a barrier some 20 cycles and a little more per warp; branches 10 to 20; four equal arms of
 * (thread / n) % 4 run at 1/4 for n = 1 to 8, 1/2 at 16, full speed at 32 and its multiples.
 *
 * Profile: barrier_latency, barrier_per_warp, warp_sync_latency, branch_*, call_return, divergence; curves
 * barrier_warps, divergence_run. */
#include "micro/micro.h"
#include "model/sass/arch/geometry.h"

#include <stdlib.h>

enum { REPEAT = 8 };

static int compile_control(struct micro_code *out, const struct micro *micro, const char *name,
                           const char *parts, const char *bookkeeping, struct err *err)
{
    const struct micro_kernel kernel = {
        .file = "control.cu",
        .name = name,
        .options = {"-DREPEAT=8"},
        .body = {.parts = parts, .bookkeeping = bookkeeping, .bytes_max = 2 * BODY_CACHE},
    };

    return micro_compile(out, micro, &kernel, err);
}

/* Cycles per repetition of a kernel called with samples, then perhaps a sink and up to two numbers. */
static int run_control(struct device_value *out, const struct micro *micro, const struct micro_code *code,
                       unsigned warps, int numbers, unsigned first, unsigned second, double steps,
                       struct err *err)
{
    struct call call;

    call_init(&call, micro->sms, LANES * warps, 0);
    call_samples(&call, micro);
    if (numbers >= 0)
        call_sink(&call, "sink", micro);
    if (numbers >= 1)
        call_unsigned(&call, first);
    if (numbers >= 2)
        call_unsigned(&call, second);
    return micro_latency(out, micro, code, &call, steps, "control", err);
}

static int barriers(const struct micro *micro, struct err *err)
{
    static const unsigned warps[] = {1, 2, 4, 8, 12, 16, 24, 32};
    enum { POINTS = sizeof warps / sizeof *warps };
    struct device_value *values = micro->device->values, value;
    double x[POINTS], y[POINTS];
    struct micro_code code;
    int rc = compile_control(&code, micro, "barrier", "BAR*8 | BAR*24", NULL, err);

    if (rc)
        return rc;
    for (size_t i = 0; rc == 0 && i < POINTS; i++) {
        rc = run_control(&value, micro, &code, warps[i], -1, 0, 0, 2 * REPEAT, err);
        x[i] = warps[i];
        y[i] = value.sustained;
        if (rc == 0 && i == 0)
            values[DEVICE_BARRIER_LATENCY] = value;
    }
    if (rc == 0) {
        values[DEVICE_BARRIER_PER_WARP] = value;
        values[DEVICE_BARRIER_PER_WARP].sustained = values[DEVICE_BARRIER_PER_WARP].best =
            y[POINTS - 1] > y[0] ? (y[POINTS - 1] - y[0]) / (x[POINTS - 1] - x[0]) : 0;
        rc = device_curve_set(&micro->device->curves[DEVICE_CURVE_BARRIER_WARPS], x, y, POINTS, "control",
                              err);
    }
    micro_code_release(&code);
    return rc;
}

static int warp_sync(const struct micro *micro, struct err *err)
{
    struct micro_code code;
    int rc = compile_control(&code, micro, "warp_sync", "NOP/WARPSYNC*8 | NOP/WARPSYNC*24", "WARPSYNC", err);

    if (rc)
        return rc;
    rc = run_control(&micro->device->values[DEVICE_WARP_SYNC_LATENCY], micro, &code, 1, -1, 0, 0, 2 * REPEAT,
                     err);
    micro_code_release(&code);
    return rc;
}

static void less(struct device_value *value, double cycles)
{
    value->sustained = value->sustained > cycles ? value->sustained - cycles : 0;
    value->best = value->best > cycles ? value->best - cycles : 0;
}

/* Taken: a jump over eight instructions to an addition, less the cycle in which that issues. Not taken: the
 * same with the eight executed, less what the same code takes without the branch. */
static int branches(const struct micro *micro, struct err *err)
{
    static const char inside[] = "LOP3 POPC VIADD IADD3 BREV ISETP UISETP MOV IMAD";
    struct device_value *values = micro->device->values, fallen, straight;
    struct micro_code code;
    int rc = compile_control(&code, micro, "branch", "BRA*8 | BRA*24", inside, err);

    if (rc)
        return rc;
    rc = run_control(&values[DEVICE_BRANCH_TAKEN], micro, &code, 1, 1, 0, 0, 2 * REPEAT, err);
    if (rc == 0)
        less(&values[DEVICE_BRANCH_TAKEN], 1);
    if (rc == 0 && micro->full)
        rc = run_control(&fallen, micro, &code, 1, 1, 1, 0, 2 * REPEAT, err);
    micro_code_release(&code);
    if (rc || !micro->full)
        return rc;
    rc = compile_control(&code, micro, "straight", "POPC*16 | POPC*48", inside, err);
    if (rc == 0)
        rc = run_control(&straight, micro, &code, 1, 0, 0, 0, 2 * REPEAT, err);
    if (rc == 0) {
        less(&fallen, straight.sustained);
        values[DEVICE_BRANCH_NOT_TAKEN] = fallen;
    }
    micro_code_release(&code);
    return rc;
}

static int loops(const struct micro *micro, struct err *err)
{
    enum { SHORT = 16, LONG = 80 };
    struct device_value *loop = &micro->device->values[DEVICE_BRANCH_LOOP];
    struct micro_code code;
    int rc = compile_control(&code, micro, "loop", "BRA*2 | BRA*2",
                             "ULDC LDC LDCU IMAD ISETP UISETP VIADD IADD3 UIADD3 MOV HFMA2 UMOV", err);

    if (rc)
        return rc;
    rc = run_control(loop, micro, &code, 1, 2, SHORT, LONG, LONG - SHORT, err);
    micro_code_release(&code);
    return rc;
}

static int calls(const struct micro *micro, struct err *err)
{
    struct device_value *value = &micro->device->values[DEVICE_CALL_RETURN];
    const struct device_value *add = &micro->device->ops[DEVICE_OP_IADD3].latency;
    struct micro_code code;
    int rc = compile_control(&code, micro, "call", "CALL*8 | CALL*24", "MOV", err);

    if (rc)
        return rc;
    rc = run_control(value, micro, &code, 1, 0, 0, 0, 2 * REPEAT, err);
    if (rc == 0)
        less(value, add->known ? add->sustained : 4);
    micro_code_release(&code);
    return rc;
}

/* Half a warp in each arm, less all of it in the first, less the second arm's eight operations. */
static int divergence(const struct micro *micro, struct err *err)
{
    const struct device_value *arm = &micro->device->ops[DEVICE_OP_BREV].latency;
    struct device_value half, whole;
    struct micro_code code;
    int rc = compile_control(&code, micro, "diverge", "BSYNC*8",
                             "BRA BREV POPC BSSY NOP WARPSYNC ISETP PLOP3", err);

    if (rc)
        return rc;
    rc = run_control(&half, micro, &code, 1, 1, 16, 0, 2 * REPEAT, err);
    if (rc == 0)
        rc = run_control(&whole, micro, &code, 1, 1, 32, 0, 2 * REPEAT, err);
    if (rc == 0 && !arm->known)
        rc = err_set(err, ERR_FORMAT, "without the latency of BREV there is nothing to subtract");
    if (rc == 0) {
        less(&half, whole.sustained + 8 * arm->sustained);
        micro->device->values[DEVICE_DIVERGENCE] = half;
    }
    micro_code_release(&code);
    return rc;
}

static int arms(const struct micro *micro, struct err *err)
{
    static const unsigned runs[] = {1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 64, 96, 128};
    enum { POINTS = sizeof runs / sizeof *runs, THREADS = 256, ROUNDS = 256 };
    double x[POINTS], y[POINTS], best = 0;
    struct micro_code code;
    int rc = compile_control(&code, micro, "arms", "- | FFMA*128",
                             MICRO_LOOP " VIMNMX IMNMX SHF BSSY BSYNC BRX WARPSYNC LOP3 IMAD SEL", err);

    if (rc)
        return rc;
    for (size_t i = 0; rc == 0 && i < POINTS; i++) {
        struct device_value rate;
        struct call call;

        call_init(&call, micro->sms, THREADS, 0);
        call_sink(&call, "sink", micro);
        call_spans(&call, micro);
        call_int(&call, ROUNDS);
        call_unsigned(&call, runs[i]);
        rc = micro_rate(&rate, micro, &code, &call, ROUNDS, 1, "control arms", err);
        x[i] = runs[i];
        y[i] = rate.sustained;
        best = y[i] > best ? y[i] : best;
    }
    for (size_t i = 0; rc == 0 && i < POINTS; i++)
        y[i] /= best;
    if (rc == 0)
        rc = device_curve_set(&micro->device->curves[DEVICE_CURVE_DIVERGENCE_RUN], x, y, POINTS,
                              "control arms", err);
    micro_code_release(&code);
    return rc;
}

struct arm_order {
    int first, last; /* lanes of the first warp */
    bool overlap;    /* the second warp begins before the first has begun its last arm */
};

static int run_order(struct arm_order *out, const struct micro *micro, const struct micro_code *code,
                     const char *constants, struct err *err)
{
    int64_t *begins = NULL;
    struct call call;
    int rc;

    call_init(&call, 1, 64, 0);
    call_expression(&call, "order", LANES, constants);
    call_out(&call, "begins", ELEMENT_INT64, 64);
    rc = call_run((void **)&begins, micro, code, &call, "begins", err);
    *out = (struct arm_order){0};
    for (int lane = 1; rc == 0 && lane < LANES; lane++) {
        out->first = begins[lane] < begins[out->first] ? lane : out->first;
        out->last = begins[lane] > begins[out->last] ? lane : out->last;
    }
    for (int lane = LANES; rc == 0 && lane < 2 * LANES; lane++)
        out->overlap |= begins[lane] < begins[out->last];
    free(begins);
    return rc;
}

/* Wong et al., figures 7 and 8: a chain of 32 arms, one a lane. */
static int order_of_arms(const struct micro *micro, struct err *err)
{
    struct arm_order up, down;
    struct micro_code code;
    int rc = compile_control(&code, micro, "chain_of_arms", NULL, NULL, err);

    if (rc)
        return rc;
    rc = run_order(&up, micro, &code, "i", err);
    if (rc == 0)
        rc = run_order(&down, micro, &code, "31 - i", err);
    micro_code_release(&code);
    return rc ? rc
              : device_note(micro->device, err,
                            "divergence: of 32 arms, one a lane, tested for in ascending order lane %d "
                            "begins first and "
                            "lane %d last, in descending order %d and %d; the arms of two warps %s",
                            up.first, up.last, down.first, down.last,
                            up.overlap ? "overlap" : "follow each other");
}

int micro_control(const struct micro *micro, struct err *err)
{
    static const struct part parts[] = {
        {"barrier_latency", barriers, false}, {"warp_sync_latency", warp_sync, true},
        {"branch_taken", branches, false},    {"branch_loop", loops, true},
        {"call_return", calls, true},         {"divergence", divergence, true},
        {"divergence_run", arms, true},       {"order_of_arms", order_of_arms, true},
    };

    return micro_parts(micro, parts, sizeof parts / sizeof *parts, err);
}
