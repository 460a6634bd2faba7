/* Arithmetic, one operation at a time.
 *
 * Isolates: the completion latency of an operation (one warp, each step reading the one before), and how
 * long it takes with two and four chains; how long it keeps its pipe (all warps, four chains each).
 *
 * Unit: cycles. Registers only, so memory does not enter.
 *
 * Expected: latencies of 4 to 6 cycles where ptxas counts them, more where a scoreboard tells; intervals
 * of 1, 2, 4, 8 or 16 cycles per warp instruction and sub-partition: 32 lanes over the width of the pipe.
 * Against occupancy, throughput rises as warps / latency up to the ridge and then stays.
 *
 * Profile: operations.*.latency, .ilp2, .ilp4, .interval, .roofline, .ridge_warps. */
#include "micro/micro.h"
#include "micro/operations.h"

#include "model/machine/occupancy.h"

#include <stdio.h>
#include <string.h>

#define MMA(text) "mma.sync.aligned." text ";"
#define ALONE     -1, 1, 1, 1, NULL
#define ALONE_NOP -1, 1, 1, 1, "NOP UIADD3 R2UR"
#define OP(name)  DEVICE_OP_##name
#define FLOAT     "float", "f"
#define WORD      "unsigned", "r"
#define DOUBLE    "double", "d"

static const struct operation table[] = {
    {OP(FADD), FLOAT, "add.f32 %0, %0, %1;", "FADD", ALONE},
    {OP(FMUL), FLOAT, "mul.f32 %0, %0, %1;", "FMUL", ALONE},
    {OP(FFMA), FLOAT, "fma.rn.f32 %0, %0, %1, %2;", "FFMA", ALONE},
    {OP(FMNMX), FLOAT, "min.f32 %0, %0, %1; max.f32 %0, %0, %2;", "(FMNMX FMNMX)", -1, 2, 2, 2, NULL},
    {OP(SEL), WORD, "{.reg .pred p; setp.lt.u32 p, %0, %1; selp.u32 %0, %2, %0, p;}", "(ISETP SEL)", -1, 2, 2,
     2, NULL},
    {OP(IMAD), WORD, "mad.lo.u32 %0, %0, %1, %2;", "IMAD", ALONE},
    {OP(IMAD_WIDE), "unsigned long long", "l", "{.reg .u32 l, h; mov.b64 {l, h}, %0; mul.wide.u32 %0, l, h;}",
     "IMAD.WIDE", ALONE},
    {OP(IMAD_HI), WORD, "mul.hi.u32 %0, %0, %1;", "IMAD.HI", ALONE},
    {OP(IADD3), WORD, "{.reg .u32 t; add.u32 t, %0, %1; add.u32 %0, t, %2;}", "IADD3", ALONE},
    {OP(LOP3), WORD, "lop3.b32 %0, %0, %1, %2, 0x1e;", "LOP3", ALONE},
    {OP(SHF), WORD, "shf.l.wrap.b32 %0, %0, %1, %2;", "SHF", ALONE},
    {OP(PRMT), WORD, "prmt.b32 %0, %0, %1, %2;", "PRMT", ALONE},
    {OP(ISETP), WORD, "{.reg .pred p; setp.lt.u32 p, %0, %1; selp.u32 %0, %2, %0, p;}", "(ISETP SEL)",
     OP(LOP3), 2, 1, 2, NULL},
    {OP(FSETP), FLOAT, "{.reg .pred p; setp.lt.f32 p, %0, %1; selp.f32 %0, %2, %0, p;}", "(FSETP FSEL)",
     OP(LOP3), 2, 1, 2, NULL},
    {OP(VIMNMX), "int", "r", "min.s32 %0, %0, %1; max.s32 %0, %0, %2;", "(VIMNMX/IMNMX VIMNMX/IMNMX)", -1, 2,
     2, 2, NULL},
    {OP(VIADD), WORD, "add.u32 %0, %0, 7; xor.b32 %0, %0, %1;", "(VIADD LOP3)", OP(LOP3), 2, 1, 0, NULL},
    {OP(IDP4A), WORD, "dp4a.u32.u32 %0, %0, %1, %2;", "IDP", ALONE},
    {OP(HADD2), WORD, "add.f16x2 %0, %0, %1; add.f16x2 %0, %0, %1;", "(HFMA2/HADD2 HFMA2/HADD2)", -1, 2, 2, 2,
     NULL},
    {OP(HMUL2), WORD, "mul.f16x2 %0, %0, %1; mul.f16x2 %0, %0, %1;", "(HFMA2/HMUL2 HFMA2/HMUL2)", -1, 2, 2, 2,
     NULL},
    {OP(HFMA2), WORD, "fma.rn.f16x2 %0, %0, %1, %2; fma.rn.f16x2 %0, %0, %1, %2;", "(HFMA2 HFMA2)", -1, 2, 2,
     2, NULL},
    {OP(DADD), DOUBLE, "add.f64 %0, %0, %1;", "DADD", ALONE_NOP},
    {OP(DMUL), DOUBLE, "mul.f64 %0, %0, %1;", "DMUL", ALONE_NOP},
    {OP(DFMA), DOUBLE, "fma.rn.f64 %0, %0, %1, %2;", "DFMA", ALONE_NOP},
    {OP(MUFU_RCP), FLOAT, "rcp.approx.ftz.f32 %0, %0; add.f32 %0, %0, %1;", "(MUFU.RCP FADD)", OP(FADD), 2, 1,
     1, NULL},
    {OP(MUFU_RSQ), FLOAT, "rsqrt.approx.ftz.f32 %0, %0;", "MUFU.RSQ", ALONE},
    {OP(MUFU_SQRT), FLOAT, "sqrt.approx.ftz.f32 %0, %0;", "MUFU.SQRT", ALONE},
    {OP(MUFU_EX2), FLOAT, "ex2.approx.ftz.f32 %0, %0;", "MUFU.EX2", ALONE},
    {OP(MUFU_LG2), FLOAT, "lg2.approx.ftz.f32 %0, %0;", "MUFU.LG2", ALONE},
    {OP(MUFU_SIN), FLOAT, "sin.approx.ftz.f32 %0, %0;", "(FMUL MUFU.SIN)", OP(FMUL), 2, 1, 1, NULL},
    {OP(MUFU_COS), FLOAT, "cos.approx.ftz.f32 %0, %0;", "(FMUL MUFU.COS)", OP(FMUL), 2, 1, 1, NULL},
    {OP(MUFU_TANH), FLOAT, "tanh.approx.f32 %0, %0;", "MUFU.TANH", ALONE},
    {OP(I2FP), WORD, "{.reg .f32 t; cvt.rn.f32.s32 t, %0; mov.b32 %0, t;}", "I2FP/I2F", ALONE},
    {OP(I2F), DOUBLE, "{.reg .u32 l, h; mov.b64 {l, h}, %0; cvt.rn.f64.s32 %0, l;}", "I2F", ALONE_NOP},
    {OP(F2I), WORD, "{.reg .f32 t; mov.b32 t, %0; cvt.rzi.s32.f32 %0, t;}", "F2I", ALONE},
    {OP(F2F), DOUBLE, "{.reg .f32 t; cvt.rn.f32.f64 t, %0; cvt.f64.f32 %0, t;}", "(F2F F2F)", -1, 2, 2, 2,
     "NOP"},
    {OP(F2FP), WORD, "{.reg .f32 t, u; mov.b32 t, %0; mov.b32 u, %1; cvt.rn.f16x2.f32 %0, t, u;}", "F2FP",
     ALONE},
    {OP(POPC), WORD, "popc.b32 %0, %0;", "POPC", ALONE},
    {OP(FLO), WORD, "bfind.u32 %0, %0;", "FLO", ALONE},
    {OP(BREV), WORD, "brev.b32 %0, %0;", "BREV", ALONE},
    {OP(SHFL), WORD, "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;", "SHFL", ALONE},
    {OP(VOTE), WORD, "{.reg .pred p; setp.lt.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, -1;}", "(ISETP VOTE)",
     OP(ISETP), 2, 1, 2, NULL},
    {OP(MOVM), WORD, "movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;", "MOVM", ALONE},
    {OP(HMMA), "float4", "m16n8k16",
     MMA("m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}"),
     "HMMA", ALONE_NOP},
    {OP(IMMA), "int4", "m16n8k32",
     MMA("m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}"),
     "IMMA", ALONE_NOP},
    {OP(DMMA), "double2", "m8n8k4", MMA("m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1}"),
     "DMMA", ALONE_NOP},
    {OP(DMMA_16), "double4", "m16n8k8",
     MMA("m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}"),
     "DMMA", ALONE_NOP},
};
enum { COUNT = sizeof table / sizeof *table };

const struct operation *operation_find(int op)
{
    for (size_t i = 0; i < COUNT; i++)
        if ((int)table[i].op == op)
            return &table[i];
    return NULL;
}

void operation_define(struct operation_options *out, const struct operation *o, const char *suffix,
                      const char *a, const char *b)
{
    snprintf(out->type, sizeof out->type, "-DOPERAND%s=%s", suffix, o->type);
    if (!strcmp(o->type, "double2"))
        snprintf(out->step, sizeof out->step,
                 "-DSTEP%s(v)=asm volatile(\"%s\" : \"+d\"(v.x), \"+d\"(v.y) : \"d\"(%s.x), \"d\"(%s.x))",
                 suffix, o->ptx, a, b);
    else if (o->constraint[0] == 'm') {
        const bool wide = o->type[0] == 'd'; /* else factors are halves or bytes in words */
        const char c = wide ? 'd' : o->type[0] == 'f' ? 'f' : 'r', f = wide ? 'd' : 'r';
        const char *as = wide ? "" : "bits";

        snprintf(out->step, sizeof out->step,
                 "-DSTEP%s(v)=asm volatile(\"%s\" : \"+%c\"(v.x), \"+%c\"(v.y), \"+%c\"(v.z), \"+%c\"(v.w) : "
                 "\"%c\"(%s(%s.x)), \"%c\"(%s(%s.y)), \"%c\"(%s(%s.z)), \"%c\"(%s(%s.w)), \"%c\"(%s(%s.x)), "
                 "\"%c\"(%s(%s.y)))",
                 suffix, o->ptx, c, c, c, c, f, as, a, f, as, a, f, as, a, f, as, a, f, as, b, f, as, b);
    } else
        snprintf(out->step, sizeof out->step,
                 "-DSTEP%s(v)=asm volatile(\"%s\" : \"+%s\"(v) : \"%s\"(%s), \"%s\"(%s))", suffix, o->ptx,
                 o->constraint, o->constraint, a, o->constraint, b);
}

/* Measuring ------------------------------------------------------------------------------------------------ */

enum { PASSES = 256, BLOCK_WARPS = 32, IN_FLOATS = 8192 };

int operation_compile(struct micro_code *out, const struct micro *micro, const struct operation *o,
                      const char *name, unsigned ilp, struct err *err)
{
    struct operation_options macros;
    char length[32], chains[16], parts[128];
    struct micro_kernel kernel = {
        .file = "arithmetic.cu",
        .name = name,
        .options = {macros.type, macros.step, chains, length},
        .body = {.parts = parts, .bytes_max = o->filler ? 3 * BODY_CACHE : BODY_CACHE}};

    operation_define(&macros, o, "", "a", "b");
    snprintf(length, sizeof length, "-DLENGTH=%d", OPERATION_LENGTH);
    snprintf(chains, sizeof chains, "-DILP=%u", ilp);
    if (!strcmp(name, "chain")) {
        snprintf(parts, sizeof parts, "%s*32 | %s*96", o->step, o->step);
        kernel.body.dependent = ilp == 1;
        kernel.body.any_order = ilp > 1;
        kernel.body.bookkeeping = o->filler;
    } else {
        snprintf(parts, sizeof parts, "- | %s*%d", o->step, OPERATION_LENGTH);
        kernel.body.any_order = true;         /* of the chains: the compiler interleaves them as it likes */
        kernel.body.bookkeeping = MICRO_LOOP; /* NOP among them */
    }
    return micro_compile(out, micro, &kernel, err);
}

/* Latency of the operation itself: a step less what stands beside it. */
static void take_own(struct device_value *latency, const struct micro *micro, const struct operation *o)
{
    const struct device_value *other = o->other >= 0 ? &micro->device->ops[o->other].latency : NULL;
    const double beside = o->count - o->own;

    if (other && other->known) {
        latency->sustained -= beside * other->sustained;
        latency->best -= beside * other->sustained;
    }
    latency->sustained /= o->own;
    latency->best /= o->own;
    latency->spread /= o->own;
}

/* Cycles per step of one warp with `ilp` independent chains. */
static int run_chain(struct device_value *out, const struct micro *micro, const struct operation *o,
                     unsigned ilp, struct err *err)
{
    struct micro_code code;
    struct call call;
    int rc = operation_compile(&code, micro, o, "chain", ilp, err);

    if (rc)
        return rc;
    call_init(&call, micro->sms, 32, 0);
    call_in(&call, "in", IN_FLOATS);
    call_sink(&call, "sink", micro);
    call_samples(&call, micro);
    rc = micro_latency(out, micro, &code, &call, 64, "arithmetic chain", err);
    micro_code_release(&code);
    return rc;
}

/* With more chains only what is nothing but itself: what stands beside another overlaps with it. */
static int measure_latency(const struct micro *micro, const struct operation *o, struct err *err)
{
    struct device_op *op = &micro->device->ops[o->op];
    int rc = run_chain(&op->latency, micro, o, 1, err);

    if (rc == 0)
        take_own(&op->latency, micro, o);
    if (rc || o->own != o->count)
        return rc;
    rc = run_chain(&op->ilp2, micro, o, 2, err);
    if (rc == 0)
        rc = run_chain(&op->ilp4, micro, o, 4, err);
    if (rc == 0) {
        take_own(&op->ilp2, micro, o);
        take_own(&op->ilp4, micro, o);
    }
    return rc;
}

/* Steps per cycle and SM with `blocks` blocks of `threads` threads resident on each. */
static int steps_rate(struct device_value *out, const struct micro *micro, const struct micro_code *code,
                      unsigned blocks, unsigned threads, struct err *err)
{
    const unsigned shared = blocks > 1 ? occupancy_shared_for(&micro->device->limits, blocks) : 0;
    const uint64_t all = (uint64_t)blocks * micro->sms;
    struct call call;

    call_init(&call, (unsigned)all, threads, shared);
    call_in(&call, "in", IN_FLOATS);
    call_sink(&call, "sink", micro);
    call_spans(&call, micro);
    call_int(&call, PASSES);
    return micro_rate(out, micro, code, &call, (double)PASSES * OPERATION_LENGTH, blocks,
                      "arithmetic saturated", err);
}

/* Whether an SM holds so many warps of this code. */
static bool fits(const struct micro *micro, const struct micro_code *code, unsigned warps)
{
    const unsigned blocks = warps > BLOCK_WARPS ? 2 : 1;
    const struct occupancy_block block = {
        .threads = 32 * warps / blocks, .registers = code->resources.registers, .carveout = -1};
    struct occupancy occupancy;

    occupancy_of(&occupancy, &micro->device->limits, &block);
    return occupancy.blocks >= blocks;
}

static int measure_interval(const struct micro *micro, const struct operation *o, struct err *err)
{
    const double parts = (double)micro->device->limits.subpartitions;
    unsigned warps = BLOCK_WARPS;
    struct device_value rate;
    struct micro_code code;
    int rc = operation_compile(&code, micro, o, "saturated", 4, err);

    if (rc)
        return rc;
    while (warps > parts && !fits(micro, &code, warps)) /* wide operands take many registers */
        warps /= 2;
    rc = steps_rate(&rate, micro, &code, 1, 32 * warps, err);
    if (rc == 0) {
        struct device_value *interval = &micro->device->ops[o->op].interval;

        *interval = rate;
        interval->sustained = parts / rate.sustained / o->sharing;
        interval->best = parts / rate.best / o->sharing;
        interval->spread = interval->sustained * rate.spread / rate.sustained;
    }
    micro_code_release(&code);
    return rc;
}

static double ridge_of(const double *warps, const double *rates, size_t count)
{
    double peak = 0;

    for (size_t i = 0; i < count; i++)
        peak = rates[i] > peak ? rates[i] : peak;
    for (size_t i = 0; i < count; i++)
        if (rates[i] >= 0.95 * peak)
            return warps[i];
    return 0;
}

/* The occupancy roofline: dependent chains, so that only warps hide the latency. */
static int measure_roofline(const struct micro *micro, const struct operation *o, struct err *err)
{
    static const unsigned wanted[] = {1, 2, 4, 8, 12, 16, 20, 24, 32, 48, 64};
    enum { POINTS = sizeof wanted / sizeof *wanted };
    struct device_op *op = &micro->device->ops[o->op];
    double warps[POINTS], rates[POINTS];
    struct micro_code code;
    size_t count = 0;
    int rc = operation_compile(&code, micro, o, "saturated", 1, err);

    if (rc)
        return rc;
    for (size_t i = 0; rc == 0 && i < POINTS && fits(micro, &code, wanted[i]); i++) {
        const unsigned blocks = wanted[i] > BLOCK_WARPS ? 2 : 1; /* one block spreads its warps evenly */
        struct device_value rate;

        rc = steps_rate(&rate, micro, &code, blocks, wanted[i] / blocks * 32, err);
        warps[count] = wanted[i];
        rates[count++] = rate.sustained * o->count;
    }
    if (rc == 0)
        rc = device_curve_set(&op->roofline, warps, rates, count, "arithmetic saturated", err);
    if (rc == 0)
        op->ridge_warps = ridge_of(warps, rates, count);
    micro_code_release(&code);
    return rc;
}

static void compile_ahead(const void *context, size_t index)
{
    static const struct {
        const char *kernel;
        unsigned ilp;
    } kernels[] = {{"chain", 1}, {"saturated", 4}, {"saturated", 1}, {"chain", 2}, {"chain", 4}};
    enum { KERNELS = sizeof kernels / sizeof *kernels };
    struct micro_code code;
    struct err ignored = {0};

    if (!operation_compile(&code, context, &table[index / KERNELS], kernels[index % KERNELS].kernel,
                           kernels[index % KERNELS].ilp, &ignored))
        micro_code_release(&code);
}

int micro_operations(const struct micro *micro, struct err *err)
{
    int rc = 0;

    micro_ahead(compile_ahead, micro, 5 * COUNT);

    for (size_t i = 0; rc == 0 && i < COUNT; i++) {
        const struct operation *o = &table[i];
        struct err why = {0};

        if (measure_latency(micro, o, &why) || (o->sharing && measure_interval(micro, o, &why)) ||
            (o->sharing && measure_roofline(micro, o, &why)))
            rc = micro_hole(micro, device_op_text(o->op), &why, err);
    }
    return rc;
}
