/* What never changes of the computing instructions of an emulation, found before the first of them is executed:
 * where the sources of each lie, the rows of its immediates and constants, and which of its results there are. */
#ifndef MODEL_EMULATE_PLAN_H
#define MODEL_EMULATE_PLAN_H

#include "model/emulate/modify.h"

struct alu;

struct operation {
    void (*compute)(struct alu *x); /* null: not a computing instruction */
    enum modifiers modifiers;
    bool crosses; /* a lane's result depends on other lanes */
};

extern const struct operation operations[SASS_OP_COUNT];

/* A source that is no predicate. Places in struct registers are bytes from its start. */
struct plan_source {
    const struct sass_operand *operand;
    row *fixed;          /* its two words where they never change, modified; else null, and */
    uint32_t at;         /* where they lie in struct registers, */
    uint32_t unknown_at; /* the lanes for which the first of them is unknown, */
    uint8_t words;       /* how many of them count, */
    bool modified;       /* whether modifiers apply */
};

struct plan_predicate {
    uint32_t at, unknown_at;
    uint32_t flip; /* all lanes: it is inverted */
};

/* A result that is neither RZ nor PT. */
struct plan_result {
    const struct sass_operand *operand;
    uint8_t from, count; /* word of the register result, or number of the predicate result; words */
    bool predicate;
};

struct plan {
    const struct operation *operation;
    enum modifiers modifiers;
    uint8_t source_count, predicate_count, result_count;
    bool sets_predicate;
    uint32_t unknown; /* all lanes: a constant among the sources cannot be known */
    struct plan_result results[SASS_DESTINATIONS];
    struct plan_predicate predicates[SASS_SOURCES];
    struct plan_source sources[SASS_SOURCES];
};

/* Plans all instructions, once code and constant banks are what they stay. */
int plans_open(struct emulation *emulation, struct err *err);
void plans_close(struct emulation *emulation);

static inline void *registers_at(struct registers *regs, uint32_t place)
{
    return (unsigned char *)regs + place;
}

#endif
