/* A computing instruction on its way through the emulator: its sources are fetched with their modifiers
 * applied, a function of emulate/integer.c, emulate/float.c, ... computes all lanes, and the results of the
 * active lanes are stored. */
#ifndef MODEL_EMULATE_ALU_H
#define MODEL_EMULATE_ALU_H

#include "model/emulate/plan.h"

struct alu {
    const struct sass *i;
    const struct plan *plan;
    struct emulation *emulation;
    struct warp *warp;
    uint32_t active; /* lanes that execute */
    /* Sources that are no predicates, in the assembler's order; s[k][w] is word w of source k. Words beyond
     * the operand's own are 0, up to the second, or those of the next register. */
    row *s[SASS_SOURCES];
    uint32_t q[SASS_SOURCES];       /* sources that are predicates, likewise, as masks of lanes */
    row d[RESULT_WORDS];            /* the register result */
    uint32_t dq[SASS_DESTINATIONS]; /* predicate results, in order */
    bool result_unknown;            /* set by a function that cannot know */
    row scratch[SASS_SOURCES][2];
};

/* How the instruction names source `k`. */
static inline const struct sass_operand *source_operand(const struct alu *x, unsigned k)
{
    return x->plan->sources[k].operand;
}

/* Executes one computing instruction for the lanes `active` of a warp. */
void alu_execute(struct emulation *emulation, struct warp *warp, const struct sass *i, uint32_t active);

#endif
