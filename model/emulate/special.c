#include "model/emulate/special.h"

#include <string.h>

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

/* Nothing lies between but registers and the way to the end. */
bool special_is_avoided(const struct emulation *emulation, size_t index)
{
    const struct sass *branch = &emulation->instructions[index];
    bool called = false;

    if (!is_forward_branch(branch))
        return false;
    for (size_t k = index + 1; k < (size_t)branch->target / SASS_BYTES && k < emulation->count; k++) {
        const struct sass *i = &emulation->instructions[k];

        if (i->op == SASS_CALL && i->has_target && is_subroutine(emulation, i->target))
            called = true;
        else if (i->op != SASS_BRA && i->op != SASS_NOP &&
                 (sass_info((enum sass_op)i->op)->class == SASS_CLASS_CONTROL || i->op == SASS_BAR ||
                  (i->access_count && i->accesses[0].space != SASS_SPACE_CONSTANT)))
            return false;
    }
    return called;
}
