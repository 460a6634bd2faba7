#include "model/emulate/plan.h"

#include "model/emulate/operand.h"

#include <stdlib.h>

/* Conversions read floats of the width they come from; additions with carry have bitwise not for minus. */
static enum modifiers modifiers_of(const struct operation *operation, const struct sass *i)
{
    const unsigned from = i->mod[i->op == SASS_FRND ? SASS_MOD_TO : SASS_MOD_FROM]; /* rounds within a type */

    if (operation->modifiers == MODIFIERS_INT && i->mod[SASS_MOD_EXTENDED])
        return MODIFIERS_LOGIC;
    if (operation->modifiers == MODIFIERS_FLOAT && from == SASS_TYPE_F64)
        return MODIFIERS_DOUBLE;
    if (operation->modifiers == MODIFIERS_FLOAT && (from == SASS_TYPE_F16 || from == SASS_TYPE_BF16))
        return MODIFIERS_HALVES;
    return operation->modifiers;
}

/* Whether its words stand in a register; RZ and whatever has no value read as zeros, which stay that. */
static bool is_register(const struct sass_operand *operand)
{
    return operand->kind == SASS_REGISTER
               ? operand->index != SASS_RZ
               : operand->kind == SASS_UNIFORM_REGISTER && operand->index != SASS_URZ;
}

static void place_register(struct plan_source *source, const struct sass_operand *operand)
{
    const bool uniform = operand->kind == SASS_UNIFORM_REGISTER;
    const unsigned left = SASS_RZ - operand->index;
    const size_t rows = uniform ? offsetof(struct registers, u) : offsetof(struct registers, r);
    const size_t unknown =
        uniform ? offsetof(struct registers, u_unknown) : offsetof(struct registers, r_unknown);

    source->at = (uint32_t)(rows + operand->index * sizeof(row));
    source->unknown_at = (uint32_t)(unknown + operand->index * sizeof(uint32_t));
    source->words = operand->count < left ? operand->count : (uint8_t)left;
}

static struct plan_predicate plan_predicate(const struct sass_operand *operand)
{
    const bool uniform = operand->kind == SASS_UNIFORM_PREDICATE;
    const size_t values = uniform ? offsetof(struct registers, up) : offsetof(struct registers, p);
    const size_t unknown =
        uniform ? offsetof(struct registers, up_unknown) : offsetof(struct registers, p_unknown);
    const size_t place = (operand->index & 7) * sizeof(uint32_t);

    return (struct plan_predicate){.at = (uint32_t)(values + place),
                                   .unknown_at = (uint32_t)(unknown + place),
                                   .flip = operand->invert ? ALL_LANES : 0};
}

/* Where the next row of constants goes. The first one is zero. */
struct rows {
    row (*first)[2], (*next)[2];
};

/* The words of a source that is no register. */
static row *fix(struct plan *plan, const struct emulation *emulation, const struct sass_operand *operand,
                struct rows *rows)
{
    const bool modified = is_modified(operand, plan->modifiers);
    row *out;

    if (operand->kind != SASS_IMMEDIATE && operand->kind != SASS_CONSTANT && !modified)
        return *rows->first;
    out = *rows->next++;
    for (unsigned w = 0; w < 2; w++) {
        uint32_t value;

        if (!operand_word(&value, emulation, operand, w))
            plan->unknown = ALL_LANES;
        set_row(out[w], value);
    }
    if (modified)
        modify(out, out, operand, plan->modifiers);
    return out;
}

static void plan_sources(struct plan *plan, const struct emulation *emulation, const struct sass *i,
                         struct rows *rows)
{
    for (unsigned k = 0; k < i->source_count; k++) {
        const struct sass_operand *operand = &i->sources[k];
        struct plan_source *source;

        if (operand_is_predicate(operand)) {
            plan->predicates[plan->predicate_count++] = plan_predicate(operand);
            continue;
        }
        source = &plan->sources[plan->source_count++];
        source->operand = operand;
        if (is_register(operand)) {
            place_register(source, operand);
            source->modified = is_modified(operand, plan->modifiers);
        } else {
            source->fixed = fix(plan, emulation, operand, rows);
        }
    }
}

static void plan_results(struct plan *plan, const struct sass *i)
{
    unsigned predicate = 0, word = 0;

    for (unsigned k = 0; k < i->destination_count; k++) {
        const struct sass_operand *operand = &i->destinations[k];
        struct plan_result result = {.operand = operand, .predicate = operand_is_predicate(operand)};

        if (result.predicate) {
            result.from = (uint8_t)predicate++;
            plan->sets_predicate |= operand->index != SASS_PT;
        } else if (operand->kind == SASS_REGISTER || operand->kind == SASS_UNIFORM_REGISTER) {
            const unsigned left = RESULT_WORDS - word;

            result.from = (uint8_t)word;
            result.count = operand->count < left ? operand->count : (uint8_t)left;
            word += result.count;
        }
        if (result.predicate ? operand->index != SASS_PT : result.count && operand->index != SASS_RZ)
            plan->results[plan->result_count++] = result;
    }
}

/* How many rows of constants there can be at most. */
static size_t count_rows(const struct emulation *emulation)
{
    size_t count = 1;

    for (size_t k = 0; k < emulation->count; k++) {
        const struct sass *i = &emulation->instructions[k];

        for (unsigned s = 0; operations[i->op].compute && s < i->source_count; s++)
            count += !is_register(&i->sources[s]);
    }
    return count;
}

int plans_open(struct emulation *emulation, struct err *err)
{
    struct rows rows;

    emulation->plans = calloc(emulation->count, sizeof *emulation->plans);
    emulation->plan_rows = calloc(count_rows(emulation), sizeof *emulation->plan_rows);
    if (!emulation->plans || !emulation->plan_rows)
        return err_memory(err);
    rows = (struct rows){emulation->plan_rows, emulation->plan_rows + 1};
    for (size_t k = 0; k < emulation->count; k++) {
        const struct sass *i = &emulation->instructions[k];
        struct plan *plan = &emulation->plans[k];

        plan->operation = &operations[i->op];
        if (!plan->operation->compute)
            continue;
        plan->modifiers = modifiers_of(plan->operation, i);
        plan_sources(plan, emulation, i, &rows);
        plan_results(plan, i);
    }
    return 0;
}

void plans_close(struct emulation *emulation)
{
    free(emulation->plans);
    free(emulation->plan_rows);
}
