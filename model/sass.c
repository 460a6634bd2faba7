#include "model/sass.h"

#include <string.h>

static const struct sass_info infos[SASS_OP_COUNT] = {
    [SASS_UNKNOWN] = {"?", SASS_CLASS_UNKNOWN, SASS_PIPE_NONE, 0},
#define SASS_OP(id, name, class, pipe, latency)                                                              \
    [SASS_##id] = {name, SASS_CLASS_##class, SASS_PIPE_##pipe, latency},
#include "model/sass.def"
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

int sass_class_parse(const char *text)
{
    int i;

    for (i = 0; i < SASS_CLASS_COUNT; i++)
        if (strcmp(text, classes[i]) == 0)
            return i;
    return -1;
}

const char *sass_pipe_text(enum sass_pipe pipe)
{
    return pipes[(unsigned)pipe < SASS_PIPE_COUNT ? pipe : SASS_PIPE_NONE];
}
