/* Operands as instructions name them. What computes follows a plan instead: emulate/plan.h. */
#ifndef MODEL_EMULATE_OPERAND_H
#define MODEL_EMULATE_OPERAND_H

#include "model/emulate/state.h"

static inline bool operand_is_predicate(const struct sass_operand *operand)
{
    return operand->kind == SASS_PREDICATE || operand->kind == SASS_UNIFORM_PREDICATE;
}

/* A bit of a mask for each lane: masks are made and taken apart by loops over lanes that have nothing to shift. */
extern const row lane_bits;

void set_row(row out, uint32_t value); /* of all lanes */
void set_lanes(row out, const row from, uint32_t mask);

/* Word `word` of an immediate or a constant, else 0; false when it cannot be known, as that of a bindless
 * constant, whose bank only the driver knows. */
bool operand_word(uint32_t *out, const struct emulation *emulation, const struct sass_operand *operand,
                  unsigned word);
/* Lanes for which a source operand is unknown; those a guard leaves on, and for which it is not known. */
uint32_t operand_unknown(const struct emulation *emulation, const struct warp *warp,
                         const struct sass_operand *operand);
uint32_t guard_lanes(const struct warp *warp, const struct sass *i);
uint32_t guard_unknown(const struct warp *warp, const struct sass *i);

/* Word `word` of a source that needs no modifiers, as a row. */
const uint32_t *operand_row(const struct emulation *emulation, const struct warp *warp,
                            const struct sass_operand *operand, unsigned word, row scratch);
/* Stores `words` words for the lanes `mask`; lanes of `unknown` become unknown. */
void operand_store(struct warp *warp, const struct sass_operand *operand, row *words, unsigned count,
                   uint32_t mask, uint32_t unknown);
void predicate_store(struct warp *warp, const struct sass_operand *operand, uint32_t values, uint32_t mask,
                     uint32_t unknown);
uint32_t predicate_read(const struct warp *warp, const struct sass_operand *operand);
/* Everything the instruction writes becomes unknown in the lanes `mask`. */
void make_unknown(struct warp *warp, const struct sass *i, uint32_t mask);

#endif
