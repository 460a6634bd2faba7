/* The pipe map: which operations share a pipe.
 *
 * Isolates: the time of two operations interleaved one to one on separate registers, all warps running.
 *
 * Unit: cycles per pair and sub-partition.
 *
 * Expected: the longer of their two intervals (at least the 2 cycles that two issues take) where each has
 * a pipe of its own, the sum where they share one. Two that together take no more than their issue slots
 * cannot be told apart; the decoder's table then decides.
 *
 * Profile: pairs, operations.*.pipe. */
#include "micro/micro.h"
#include "micro/operations.h"

#include "model/sass/sass.h"

#include <stdio.h>
#include <string.h>

static const enum device_op_id members[] = {
    DEVICE_OP_FFMA, DEVICE_OP_IMAD, DEVICE_OP_IDP4A, DEVICE_OP_LOP3,     DEVICE_OP_HFMA2, DEVICE_OP_DFMA,
    DEVICE_OP_F2FP, DEVICE_OP_I2FP, DEVICE_OP_POPC,  DEVICE_OP_MUFU_RSQ, DEVICE_OP_SHFL,  DEVICE_OP_HMMA};
enum {
    MEMBERS = sizeof members / sizeof *members,
    LENGTH = 128,
    PASSES = 128,
    THREADS = 512,
    IN_FLOATS = 8192
};

/* Multiply-adds get one operand twice: with three sources each, two operations would wait for the register
 * file, which has two banks that give one register a cycle each, and not for a pipe. */
static bool multiplies(const struct operation *o)
{
    return strstr(o->ptx, "fma.") || strstr(o->ptx, "mad.") || strstr(o->ptx, "dp4a.");
}

static int compile_pair(struct micro_code *out, const struct micro *micro, const struct operation *a,
                        const struct operation *b, struct err *err)
{
    struct operation_options first, second;
    char length[32], parts[160];
    const struct micro_kernel kernel = {
        .file = "pairs.cu",
        .name = "pair",
        .options = {first.type, first.step, second.type, second.step, length},
        .body = {.parts = parts, .bookkeeping = MICRO_LOOP, .any_order = true, .bytes_max = 2 * BODY_CACHE}};
    char *at = parts;

    operation_define(&first, a, "_A", "a", multiplies(a) ? "a" : "b");
    operation_define(&second, b, "_B", "c", multiplies(b) ? "c" : "d");
    snprintf(length, sizeof length, "-DLENGTH=%d", LENGTH);
    at += sprintf(at, "- | (");
    for (const char *c = a->step; *c; c++)
        if (*c != '(' && *c != ')')
            *at++ = *c;
    *at++ = ' ';
    for (const char *c = b->step; *c; c++)
        if (*c != '(' && *c != ')')
            *at++ = *c;
    snprintf(at, (size_t)(parts + sizeof parts - at), ")*%d", LENGTH / 2);
    return micro_compile(out, micro, &kernel, err);
}

/* Cycles per sub-partition that a step of each takes together. */
static int measure_pair(double *out, const struct micro *micro, const struct operation *a,
                        const struct operation *b, struct err *err)
{
    struct device_value rate;
    struct micro_code code;
    struct call call;
    int rc = compile_pair(&code, micro, a, b, err);

    if (rc)
        return rc;
    call_init(&call, micro->sms, THREADS, 0);
    call_in(&call, "in_a", IN_FLOATS);
    call_in(&call, "in_b", IN_FLOATS);
    call_sink(&call, "sink_a", micro);
    call_sink(&call, "sink_b", micro);
    call_spans(&call, micro);
    call_int(&call, PASSES);
    rc = micro_rate(&rate, micro, &code, &call, PASSES * LENGTH / 2.0, 1, "pairs", err);
    if (rc == 0)
        *out = (double)micro->device->limits.subpartitions / rate.sustained;
    micro_code_release(&code);
    return rc;
}

static double step_interval(const struct micro *micro, const struct operation *o)
{
    return micro->device->ops[o->op].interval.sustained * o->sharing;
}

/* The pipe of the operation's first instruction in the decoder's table. */
static const char *table_pipe(enum device_op_id op)
{
    const char *name = operation_find((int)op)->step;
    size_t length;

    name += *name == '(';
    length = strcspn(name, " ./)");
    for (int i = 0; i < SASS_OP_COUNT; i++) {
        const struct sass_info *info = sass_info((enum sass_op)i);

        if (info->name && strlen(info->name) == length && !strncmp(info->name, name, length))
            return sass_pipe_text(info->pipe);
    }
    return "";
}

enum verdict { PIPE_UNKNOWN, PIPE_OWN, PIPE_SHARED, PIPE_ISSUE_BOUND };

/* What the shorter operation adds to the longer one, as a share of its own time: nothing on another pipe, all
 * of it on the same. In between the registers may be what is short, and nothing is said. */
static enum verdict judge(const struct micro *micro, const struct operation *a, const struct operation *b,
                          double cycles)
{
    const double issue = a->count + b->count, x = step_interval(micro, a), y = step_interval(micro, b);
    const double longer = x > y ? x : y, shorter = x > y ? y : x;
    const double least = longer > issue ? longer : issue;
    const double added = (cycles - least) / shorter;

    if (longer + shorter <= 1.05 * least)
        return PIPE_ISSUE_BOUND;
    return added > 0.85 ? PIPE_SHARED : added < 0.6 ? PIPE_OWN : PIPE_UNKNOWN;
}

/* Where measurement and decoder table disagree, the profile says so. */
static int compare_with_table(const struct micro *micro, const struct operation *a, const struct operation *b,
                              enum verdict verdict, double cycles, struct err *err)
{
    const char *one = table_pipe(a->op), *other = table_pipe(b->op);
    const bool same = !strcmp(one, other);

    /* fma_heavy, which multiplies integers, is half of fma: the other half goes on meanwhile */
    if (!same && !strncmp(one, other, strlen("fma")))
        return 0;
    if ((verdict == PIPE_SHARED && !same) || (verdict == PIPE_OWN && same))
        return device_note(micro->device, err,
                           "pipes: %s (%s) and %s (%s) take %.2f cycles together: they %s",
                           device_op_text(a->op), one, device_op_text(b->op), other, cycles,
                           same ? "do not share a pipe, the decoder's table says they do"
                                : "share a pipe, the decoder's table says they do not");
    return 0;
}

/* An operation belongs to the pipe of the first member it was seen to share with, else to its own in the
 * table. */
static void name_pipe(const struct micro *micro, int member, int shares_with)
{
    struct device_op *op = &micro->device->ops[members[member]];
    const char *pipe =
        shares_with >= 0 ? micro->device->ops[members[shares_with]].pipe : table_pipe(members[member]);
    char text[sizeof op->pipe];

    snprintf(text, sizeof text, "%s", pipe);
    memcpy(op->pipe, text, sizeof text);
}

static void compile_ahead(const void *context, size_t index)
{
    const size_t a = index / MEMBERS, b = index % MEMBERS;
    struct micro_code code;
    struct err ignored = {0};

    if (a < b && !compile_pair(&code, context, operation_find((int)members[a]),
                               operation_find((int)members[b]), &ignored))
        micro_code_release(&code);
}

int micro_pairs(const struct micro *micro, struct err *err)
{
    int rc = 0;

    micro_ahead(compile_ahead, micro, MEMBERS * MEMBERS);

    for (int j = 0; rc == 0 && j < MEMBERS; j++) {
        const struct operation *b = operation_find((int)members[j]);
        int shares_with = -1;

        for (int i = 0; rc == 0 && i < j; i++) {
            const struct operation *a = operation_find((int)members[i]);
            double cycles = 0;
            struct err why = {0};
            enum verdict verdict;

            if (!micro->device->ops[a->op].interval.known || !micro->device->ops[b->op].interval.known)
                continue;
            if (measure_pair(&cycles, micro, a, b, &why)) {
                rc = micro_hole(micro, "pairs", &why, err);
                continue;
            }
            rc = device_pair_add(micro->device, a->op, b->op, cycles, err);
            verdict = judge(micro, a, b, cycles);
            if (verdict == PIPE_SHARED && shares_with < 0)
                shares_with = i;
            if (rc == 0)
                rc = compare_with_table(micro, a, b, verdict, cycles, err);
        }
        name_pipe(micro, j, shares_with);
    }
    return rc;
}
