/* What would have to change to move the limit: each remedy is tried on the model's own input, and the gain is
 * what predict() then says. Gains do not add up, and a remedy may cost what the model cannot see. */
#ifndef MODEL_ADVICE_H
#define MODEL_ADVICE_H

#include "model/predict/analyze.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ADVICE_MOST = 16 };

struct advice {
    double gain;    /* predicted speed-up, at least 1.01 */
    char text[400]; /* "shared memory without bank conflicts: LDS takes 4.0 passes where 1.0 would do" */
    bool at_code;   /* it is about the instruction at offset `pc` */
    uint32_t pc;
};

/* Fills `out`, greatest gain first, and returns how many. `analysis` was predicted for `machine`; with its
 * account the advice also names the instruction that is waited for. */
size_t advice_of(struct advice out[ADVICE_MOST], const struct analysis *analysis,
                 const struct machine *machine);

#endif
