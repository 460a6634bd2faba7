#include "model/sass/sass.h"

#include "model/sass/arch/arch.h"
#include "model/sass/arch/geometry.h"
#include "model/sass/cubin.h"

#include <stdlib.h>
#include <string.h>

static const struct sass_info infos[SASS_OP_COUNT] = {
    [SASS_UNKNOWN] = {"?", SASS_CLASS_UNKNOWN, SASS_PIPE_NONE, 0},
#define SASS_OP(id, name, class, pipe, latency)                                                              \
    [SASS_##id] = {name, SASS_CLASS_##class, SASS_PIPE_##pipe, latency},
#include "model/sass/sass.def"
};

static const char *const classes[SASS_CLASS_COUNT] = {
    [SASS_CLASS_UNKNOWN] = "unknown", [SASS_CLASS_FP32] = "fp32",         [SASS_CLASS_IMAD] = "imad",
    [SASS_CLASS_INT] = "int",         [SASS_CLASS_FP16] = "fp16",         [SASS_CLASS_FP64] = "fp64",
    [SASS_CLASS_MUFU] = "mufu",       [SASS_CLASS_CONVERT] = "convert",   [SASS_CLASS_TENSOR] = "tensor",
    [SASS_CLASS_UNIFORM] = "uniform", [SASS_CLASS_GLOBAL] = "global",     [SASS_CLASS_SHARED] = "shared",
    [SASS_CLASS_LOCAL] = "local",     [SASS_CLASS_CONSTANT] = "constant", [SASS_CLASS_ATOMIC] = "atomic",
    [SASS_CLASS_SHUFFLE] = "shuffle", [SASS_CLASS_ASYNC] = "async",       [SASS_CLASS_TEXTURE] = "texture",
    [SASS_CLASS_BARRIER] = "barrier", [SASS_CLASS_CONTROL] = "control",   [SASS_CLASS_MISC] = "misc",
};

static const char *const pipes[SASS_PIPE_COUNT] = {
    [SASS_PIPE_NONE] = "none", [SASS_PIPE_FMA] = "fma",       [SASS_PIPE_FMA_HEAVY] = "fma_heavy",
    [SASS_PIPE_ALU] = "alu",   [SASS_PIPE_FP16] = "fp16",     [SASS_PIPE_FP64] = "fp64",
    [SASS_PIPE_XU] = "xu",     [SASS_PIPE_TENSOR] = "tensor", [SASS_PIPE_UNIFORM] = "uniform",
    [SASS_PIPE_LSU] = "lsu",   [SASS_PIPE_TEX] = "tex",       [SASS_PIPE_BRANCH] = "branch",
};

const struct sass_info *sass_info(enum sass_op op)
{
    return &infos[(unsigned)op < SASS_OP_COUNT ? op : SASS_UNKNOWN];
}

const char *sass_class_text(enum sass_class class)
{
    return classes[(unsigned)class < SASS_CLASS_COUNT ? class : SASS_CLASS_UNKNOWN];
}

const char *sass_pipe_text(enum sass_pipe pipe)
{
    return pipes[(unsigned)pipe < SASS_PIPE_COUNT ? pipe : SASS_PIPE_NONE];
}

/* Lanes per SM of a pipe; 0 where it is not known. */
static unsigned pipe_lanes(enum sass_pipe pipe, const struct arch_lanes *lanes)
{
    switch (pipe) {
    case SASS_PIPE_FMA:
        return lanes->fma;
    case SASS_PIPE_FMA_HEAVY:
        return lanes->fma_heavy;
    case SASS_PIPE_ALU:
        return lanes->alu;
    case SASS_PIPE_FP16:
        return lanes->fp16;
    case SASS_PIPE_FP64:
        return lanes->fp64;
    case SASS_PIPE_XU:
        return lanes->xu;
    case SASS_PIPE_LSU:
        return lanes->lsu;
    case SASS_PIPE_TEX:
        return lanes->tex;
    default:
        return 0;
    }
}

unsigned sass_issue_interval(const struct sass *instruction)
{
    const enum sass_pipe pipe = sass_info(instruction->op)->pipe;
    const struct arch *arch = arch_of(instruction->sm);
    const unsigned lanes = arch ? pipe_lanes(pipe, &arch->lanes) : 0;

    if (instruction->op == SASS_UNKNOWN)
        return 0;
    if (pipe == SASS_PIPE_UNIFORM || pipe == SASS_PIPE_BRANCH || pipe == SASS_PIPE_NONE)
        return 1;
    return lanes ? SUB_PARTITIONS * LANES / lanes : 0;
}

bool sass_is_jump(const struct sass *instruction)
{
    switch (instruction->op) {
    case SASS_BRA:
    case SASS_BRX:
    case SASS_BRXU:
    case SASS_JMP:
    case SASS_JMX:
    case SASS_CALL:
    case SASS_RET:
    case SASS_EXIT:
    case SASS_KILL:
    case SASS_RTT:
    case SASS_BPT:
        return true;
    default:
        return false;
    }
}

bool sass_is_bulk(const struct sass *instruction)
{
    return (instruction->op == SASS_UBLKCP || instruction->op == SASS_UBLKRED) &&
           instruction->access_count == 2;
}

bool sass_indexes_constants(const struct sass *instruction)
{
    return instruction->op == SASS_LDC && instruction->access_count &&
           instruction->accesses[0].index != SASS_RZ;
}

bool sass_fences_gpu(const struct sass *instruction)
{
    return instruction->op == SASS_MEMBAR && (instruction->mod[SASS_MOD_SCOPE] == SASS_SCOPE_GPU ||
                                              instruction->mod[SASS_MOD_SCOPE] == SASS_SCOPE_SYS);
}

/* Whether control cannot run past it: nothing guards it, and it goes elsewhere for good. */
static bool ends_here(const struct sass *in)
{
    bool always = in->guard == SASS_PT && !in->guard_negated &&
                  (in->source_count == 0 || in->sources[0].kind != SASS_PREDICATE ||
                   (in->sources[0].index == SASS_PT && !in->sources[0].invert));

    return always && (in->op == SASS_EXIT || in->op == SASS_RET ||
                      (in->op == SASS_BRA && in->has_target && in->target == in->pc));
}

/* ptxas fills the last 128-byte line with a branch to itself and NOPs: neither can be reached. */
static size_t count_reachable(const struct sass *instructions, size_t count)
{
    size_t end = count;

    while (end > 0 && instructions[end - 1].op == SASS_NOP)
        end--;
    if (end == 0 || !ends_here(&instructions[end - 1]))
        return count;
    if (end > 1 && instructions[end - 1].op == SASS_BRA)
        end--;
    return end;
}

static void count_spills(struct sass_code *code, const struct cubin_kernel *kernel)
{
    for (size_t i = 0; i < kernel->spill_count; i++) {
        size_t index = kernel->spills[i] / SASS_BYTES;
        const struct sass *in;

        if (index >= code->count)
            continue;
        in = &code->instructions[index];
        if (in->op == SASS_LDL)
            code->spill_loads++;
        else if (in->op == SASS_STL)
            code->spill_stores++;
        else
            continue;
        code->spill_bytes += in->accesses[0].bytes;
    }
}

static unsigned last_known(void)
{
    size_t i = 0;

    while (arch_row(i + 1))
        i++;
    return arch_row(i)->last;
}

int sass_read(struct sass_code *out, const struct cubin_kernel *kernel, struct err *err)
{
    size_t i, count = kernel->code_bytes / SASS_BYTES;

    memset(out, 0, sizeof *out);
    out->sm = kernel->resources.sm;
    if (!arch_of(out->sm))
        return err_set(err, ERR_FORMAT,
                       "kernel %s is for sm_%u; its machine code can be read for sm_%u to sm_%u",
                       kernel->name, out->sm, arch_row(0)->first, last_known());
    out->instructions = calloc(count ? count : 1, sizeof *out->instructions);
    if (!out->instructions)
        return err_memory(err);
    for (i = 0; i < count; i++)
        sass_decode(&out->instructions[i], kernel->code + i * SASS_BYTES, (uint32_t)(i * SASS_BYTES),
                    out->sm);
    out->count = count_reachable(out->instructions, count);
    for (i = 0; i < out->count; i++) {
        out->unknown += out->instructions[i].op == SASS_UNKNOWN;
        out->unclaimed += out->instructions[i].unclaimed_bits != 0;
    }
    count_spills(out, kernel);
    return 0;
}

void sass_release(struct sass_code *code)
{
    free(code->instructions);
    memset(code, 0, sizeof *code);
}
