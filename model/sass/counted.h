/* Counted loops: those of which the number of iterations follows, at their beginning, from registers there. Each iteration
 * moves a register, the counter, by the same, and the loop goes on while that compares in some way with a bound that it
 * leaves alone. */
#ifndef MODEL_COUNTED_H
#define MODEL_COUNTED_H

#include "model/sass/sass.h"

#define SASS_COUNTED_ENDLESS UINT64_MAX

/* Instructions first to back, of which the last one is the branch back to the first. The operands are registers that the loop
 * does not define, constants or immediates; of kind SASS_NONE they are 0. */
struct sass_counted {
    uint32_t first, back;
    struct sass_operand counter; /* a register, as it is at the loop's beginning */
    struct sass_operand ahead;   /* is added to it before it is compared for the first time */
    struct sass_operand step;    /* from one comparison to the next */
    struct sass_operand bound;
    enum sass_compare while_it; /* is so to the bound, another iteration follows */
    bool with_sign;
};

/* Finds the loop that instruction `back` of the code closes, if it is a counted one that is left at its end alone. What it calls
 * is taken to leave its operands alone. */
bool sass_counted(struct sass_counted *out, const struct sass *code, size_t back);

/* Whether instruction k of the loop is the one that moves a register, its first destination, by the same in each iteration: `by`,
 * which the loop leaves alone; of kind SASS_NONE it is 0. */
bool sass_counted_moves(struct sass_operand *by, const struct sass *code, const struct sass_counted *loop,
                        size_t k);

/* The iterations of such a loop for one lane, from the values of its operands; SASS_COUNTED_ENDLESS where it does not end. */
uint64_t sass_counted_trips(const struct sass_counted *loop, uint32_t counter, uint32_t ahead, uint32_t step,
                            uint32_t bound);

#endif
