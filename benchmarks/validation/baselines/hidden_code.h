/* The basic blocks of the latency-hidden-factor model, cut from machine code: a block ends where a warp waits
 * for global memory, and at a barrier. */
#ifndef BASELINES_HIDDEN_CODE_H
#define BASELINES_HIDDEN_CODE_H

#include "base/err.h"
#include "model/predict/analyze.h"
#include "baselines/hidden_factor.h"

#include <stddef.h>
#include <stdint.h>

struct hidden_code {
    struct hidden_block *blocks; /* of all runs, one run after another; owned */
    uint32_t *first, *last;      /* of each block: index of its first instruction, and of its last; owned */
    size_t block_count, block_capacity;
    struct hidden_run *runs; /* owned; their blocks are those above */
    size_t run_count, run_capacity;
};

/* Cuts the path that most warps of the analysis took. Traffic is ours (counted), spread evenly over the
 * executions of an instruction. ERR_MISSING where the path was not kept or the profile lacks a latency. */
int hidden_code_init(struct hidden_code *out, const struct analysis *analysis, const struct machine *machine,
                     struct err *err);
void hidden_code_release(struct hidden_code *code);

/* The launch as that model wants it. */
struct hidden_launch hidden_code_launch(const struct analysis *analysis, const struct machine *machine);

#endif
