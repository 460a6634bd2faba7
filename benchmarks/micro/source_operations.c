/* Operations of the source, which are not always one machine instruction.
 *
 * Isolates: the same two kernels as arithmetic.cu, the step an expression of CUDA C++; with and without
 * --use_fast_math. How many machine instructions a step becomes, and whether it calls a routine, is counted
 * in the code.
 *
 * Unit: instructions; cycles.
 *
 * Expected: integer multiply one instruction (four on GT200), divisions tens, double division and precise
 * functions a routine for the rare cases; the fast forms one or two.
 *
 * Profile: sources. */
#include "micro/micro.h"

#include <stdio.h>

static const struct expression {
    const char *name, *type, *constraint;
    const char *step; /* of v, with the loop-invariant a and b */
} expressions[] = {
    {"int multiply", "unsigned", "r", "v * a"},
    {"int multiply-add", "unsigned", "r", "v * a + b"},
    {"int divide", "unsigned", "r", "(v / a) ^ b"},
    {"int remainder", "unsigned", "r", "v % a + b"},
    {"64-bit multiply", "unsigned long long", "l", "v * a"},
    {"64-bit multiply-add", "unsigned long long", "l", "v * a + b"},
    {"64-bit divide", "unsigned long long", "l", "(v / a) ^ b"},
    {"float divide", "float", "f", "a / v"},
    {"float sqrt", "float", "f", "sqrtf(v)"},
    {"float rsqrt", "float", "f", "rsqrtf(v)"},
    {"sinf", "float", "f", "sinf(v)"},
    {"cosf", "float", "f", "cosf(v)"},
    {"expf", "float", "f", "expf(v)"},
    {"logf", "float", "f", "logf(v)"},
    {"__sinf", "float", "f", "__sinf(v)"},
    {"__expf", "float", "f", "__expf(v)"},
    {"__logf", "float", "f", "__logf(v)"},
    {"double divide", "double", "d", "a / v"},
    {"double sqrt", "double", "d", "sqrt(v)"},
    {"double rsqrt", "double", "d", "rsqrt(v)"},
};
enum {
    EXPRESSIONS = sizeof expressions / sizeof *expressions,
    CHAIN = 4, /* short, since a step may be a hundred instructions: it has to fit the instruction cache */
    PASSES = 64,
    THREADS = 512,
    LENGTH = 32
};

static int compile_expression(struct micro_code *out, const struct micro *micro, const struct expression *e,
                              bool fast, const char *kernel_name, struct err *err)
{
    char type[64], step[128];
    const struct micro_kernel kernel = {
        .file = "arithmetic.cu",
        .name = kernel_name,
        .options = {type, step, "-DILP=1", "-DCHAIN=4", "-DLENGTH=32", fast ? "--use_fast_math" : NULL},
    };

    snprintf(type, sizeof type, "-DOPERAND=%s", e->type);
    /* the empty statement keeps the step between its clock reads */
    snprintf(step, sizeof step, "-DSTEP(v)=do { v = %s; asm volatile(\"\" : \"+%s\"(v)); } while (0)",
             e->step, e->constraint);
    return micro_compile(out, micro, &kernel, err);
}

static void compile_ahead(const void *context, size_t index)
{
    struct micro_code code;
    struct err ignored = {0};

    if (!compile_expression(&code, context, &expressions[index / 4], index % 4 / 2,
                            index % 2 ? "chain" : "saturated", &ignored))
        micro_code_release(&code);
}

static int latency(struct device_source *out, const struct micro *micro, const struct expression *e,
                   struct err *err)
{
    struct device_value value;
    struct micro_code code;
    struct call call;
    int rc = compile_expression(&code, micro, e, out->fast, "chain", err);

    if (rc)
        return rc;
    out->instructions = (double)body_count(&out->calls, &code.sass, 1) / (3 * CHAIN);
    call_init(&call, micro->sms, 32, 0);
    call_in(&call, "in", 8192);
    call_sink(&call, "sink", micro);
    call_samples(&call, micro);
    rc = micro_latency(&value, micro, &code, &call, 2 * CHAIN, "source operations", err);
    out->latency = value.sustained;
    micro_code_release(&code);
    return rc;
}

static int interval(struct device_source *out, const struct micro *micro, const struct expression *e,
                    struct err *err)
{
    struct device_value rate;
    struct micro_code code;
    struct call call;
    int rc = compile_expression(&code, micro, e, out->fast, "saturated", err);

    if (rc)
        return rc;
    call_init(&call, micro->sms, THREADS, 0);
    call_in(&call, "in", 8192);
    call_sink(&call, "sink", micro);
    call_spans(&call, micro);
    call_int(&call, PASSES);
    rc = micro_rate(&rate, micro, &code, &call, PASSES * LENGTH, 1, "source operations", err);
    if (rc == 0)
        out->interval = (double)micro->device->limits.subpartitions / rate.sustained;
    micro_code_release(&code);
    return rc;
}

int micro_source_operations(const struct micro *micro, struct err *err)
{
    int rc = 0;

    micro_ahead(compile_ahead, micro, 4 * EXPRESSIONS);
    for (size_t i = 0; rc == 0 && i < 2 * EXPRESSIONS; i++) {
        const struct expression *e = &expressions[i / 2];
        struct device_source source = {.fast = i % 2};
        struct err why = {0};

        snprintf(source.name, sizeof source.name, "%s", e->name);
        if (latency(&source, micro, e, &why) || interval(&source, micro, e, &why))
            rc = micro_hole(micro, e->name, &why, err);
        else
            rc = device_source_add(micro->device, &source, err);
    }
    return rc;
}
