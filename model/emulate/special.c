#include "model/emulate/special.h"

#include "model/emulate/control.h"
#include "model/emulate/slice_sets.h"

#include <string.h>

#define EXP_NORMAL UINT32_C(0x4086232b) /* the high word of 708.4 */

enum { CALL_REGION = 24 }; /* most instructions from the branch to its target: arguments, call, result */

static bool is_subroutine(const struct emulation *emulation, int64_t target)
{
    static const char *const marks[] = {"slowpath", "mediumpath", "_rn_f64_full"};

    for (size_t k = 0; k < emulation->cubin->symbol_count; k++) {
        const struct cubin_symbol *symbol = &emulation->cubin->symbols[k];

        if (symbol->section != emulation->kernel->section || (int64_t)symbol->value != target ||
            strncmp(symbol->name, "$__internal_", 12))
            continue;
        for (size_t m = 0; m < sizeof marks / sizeof *marks; m++)
            if (strstr(symbol->name, marks[m]))
                return true;
    }
    return false;
}

static bool is_forward_branch(const struct sass *i)
{
    return i->op == SASS_BRA && i->has_target && i->target > i->pc &&
           i->target - i->pc <= CALL_REGION * SASS_BYTES;
}

/* Whether it has an effect beyond registers, or says where the way goes on. */
static bool leaves_registers(const struct sass *i)
{
    return sass_info((enum sass_op)i->op)->class == SASS_CLASS_CONTROL || i->op == SASS_BAR ||
           (i->access_count && i->accesses[0].space != SASS_SPACE_CONSTANT);
}

/* Nothing lies between but registers and the way to the end. */
static bool is_around_call(const struct emulation *emulation, size_t index)
{
    const struct sass *branch = &emulation->instructions[index];
    bool called = false;

    for (size_t k = index + 1; k < (size_t)branch->target / SASS_BYTES && k < emulation->count; k++) {
        const struct sass *i = &emulation->instructions[k];

        if (i->op == SASS_CALL && i->has_target && is_subroutine(emulation, i->target))
            called = true;
        else if (i->op != SASS_BRA && i->op != SASS_NOP && leaves_registers(i))
            return false;
    }
    return called;
}

/* exp(x) of a double compares the absolute high word of x, read as a float, with this one: from there on the
 * result may be infinite, denormal or no number. */
static bool compares_exponent(const struct sass *i)
{
    return i->op == SASS_FSETP && i->mod[SASS_MOD_COMPARE] == SASS_CMP_GEU && i->source_count > 1 &&
           i->sources[0].kind == SASS_REGISTER && i->sources[0].absolute &&
           i->sources[1].kind == SASS_IMMEDIATE && (uint32_t)i->sources[1].value == EXP_NORMAL;
}

static bool sets_predicate(const struct sass *i, unsigned predicate)
{
    for (unsigned k = 0; k < i->destination_count; k++)
        if (i->destinations[k].kind == SASS_PREDICATE && i->destinations[k].index == predicate)
            return true;
    return false;
}

/* A branch by the opposite of that comparison, made since the branch before, around nothing but registers: the
 * compiler writes no subroutine for it. */
static bool is_around_special_exp(const struct emulation *emulation, size_t index)
{
    const struct sass *code = emulation->instructions, *branch = &code[index];
    size_t k = index;

    if (branch->guard_uniform || branch->guard >= SASS_PT || !branch->guard_negated)
        return false;
    for (size_t i = index + 1; i < (size_t)branch->target / SASS_BYTES && i < emulation->count; i++)
        if (leaves_registers(&code[i]))
            return false;
    while (k-- > 0 && (code[k].op == SASS_BSSY || !is_control(&code[k])))
        if (sets_predicate(&code[k], branch->guard))
            return compares_exponent(&code[k]) && !is_guarded(&code[k]);
    return false;
}

bool special_is_avoided(const struct emulation *emulation, size_t index)
{
    return is_forward_branch(&emulation->instructions[index]) &&
           (is_around_call(emulation, index) || is_around_special_exp(emulation, index));
}
