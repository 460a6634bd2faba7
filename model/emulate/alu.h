/* A computing instruction on its way through the emulator: its sources are fetched with their modifiers
 * applied, a function of emulate/integer.c, emulate/float.c, ... computes all lanes, and the results of the
 * active lanes are stored. */
#ifndef MODEL_EMULATE_ALU_H
#define MODEL_EMULATE_ALU_H

#include "model/emulate/state.h"

struct alu {
    const struct sass *i;
    struct emulation *emulation;
    struct warp *warp;
    uint32_t active; /* lanes that execute */
    /* Sources that are no predicates, in the assembler's order; s[k][w] is word w of source k. Words beyond
     * the operand's own are 0, up to the second. */
    row *s[SASS_SOURCES];
    uint8_t slot[SASS_SOURCES]; /* where s[k] stands in i->sources */
    unsigned source_count;
    uint32_t q[SASS_SOURCES]; /* sources that are predicates, likewise, as masks of lanes */
    unsigned predicate_count;
    row d[RESULT_WORDS];            /* the register result */
    uint32_t dq[SASS_DESTINATIONS]; /* predicate results, in order */
    bool result_unknown;            /* set by a function that cannot know */
    row scratch[SASS_SOURCES][2];
};

/* How minus, absolute value and halves of a source are to be read. */
enum modifiers {
    MODIFIERS_NONE,   /* the function looks at them itself */
    MODIFIERS_INT,    /* two's complement */
    MODIFIERS_LOGIC,  /* bitwise not */
    MODIFIERS_FLOAT,  /* sign bit of 32 */
    MODIFIERS_HALVES, /* sign bits of both halves, which may be swapped */
    MODIFIERS_DOUBLE  /* sign bit of 64 */
};

struct operation {
    void (*compute)(struct alu *x); /* null: not a computing instruction */
    enum modifiers modifiers;
    bool crosses; /* a lane's result depends on other lanes */
};

extern const struct operation operations[SASS_OP_COUNT];

/* Executes one computing instruction for the lanes `active` of a warp. */
void alu_execute(struct emulation *emulation, struct warp *warp, const struct sass *i, uint32_t active);

/* Lanes of `active` for which a source operand is unknown; those a guard leaves on, and for which it is not
 * known. */
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
