#include "model/emulate/special.h"

#include "model/emulate/control.h"
#include "model/emulate/operand.h"
#include "model/emulate/slice_sets.h"

#include <stdlib.h>
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

/* The way to the end, as a warp goes it whose lanes part. */
static bool stays_within(const struct sass *i)
{
    return i->op == SASS_BRA || i->op == SASS_BSSY || i->op == SASS_BSYNC || i->op == SASS_NOP;
}

/* Nothing lies between but registers and the way to the end. A condition of the program's around a division is a branch around a
 * call, too, with that of the division inside. */
static bool is_around_call(const struct emulation *emulation, size_t index)
{
    const struct sass *branch = &emulation->instructions[index];
    bool called = false;

    for (size_t k = index + 1; k < (size_t)branch->target / SASS_BYTES && k < emulation->count; k++) {
        const struct sass *i = &emulation->instructions[k];

        if (i->op == SASS_CALL && i->has_target && is_subroutine(emulation, i->target))
            called = true;
        else if (!stays_within(i) && leaves_registers(i))
            return false;
        else if (is_forward_branch(i) && sass_is_guarded(i) && i->target <= branch->target &&
                 is_around_call(emulation, k))
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
            return compares_exponent(&code[k]) && !sass_is_guarded(&code[k]);
    return false;
}

static bool is_special(const struct emulation *emulation, size_t index)
{
    return is_forward_branch(&emulation->instructions[index]) &&
           (is_around_call(emulation, index) || is_around_special_exp(emulation, index));
}

/* No outcome is left in a predicate; those written on the way may seem to be needed, where a later definition is guarded. */
static void add_definitions(struct slice_set *set, const struct sass *i)
{
    for (unsigned k = 0; k < i->destination_count; k++)
        if (i->destinations[k].kind == SASS_REGISTER)
            set_add_operand(set, &i->destinations[k]);
}

/* What a subroutine writes. */
static void add_subroutine(struct slice_set *set, const struct emulation *emulation, int64_t target)
{
    for (size_t k = (size_t)target / SASS_BYTES; k < emulation->count; k++) {
        add_definitions(set, &emulation->instructions[k]);
        if (emulation->instructions[k].op == SASS_RET)
            return;
    }
}

/* The special case may lead past the fast path, which begins at the branch's target. */
static struct special describe(const struct emulation *emulation, size_t index)
{
    const int64_t target = emulation->instructions[index].target;
    struct special special = {.branch = (uint32_t)index, .merge = (uint32_t)(target / SASS_BYTES)};

    for (size_t k = index + 1; k < (size_t)target / SASS_BYTES && k < emulation->count; k++) {
        const struct sass *i = &emulation->instructions[k];

        add_definitions(&special.defined, i);
        if (i->op == SASS_CALL)
            add_subroutine(&special.defined, emulation, i->target);
        if (i->op == SASS_BRA && i->has_target && i->target > target &&
            (size_t)i->target / SASS_BYTES < emulation->count)
            special.merge = (uint32_t)(i->target / SASS_BYTES);
    }
    return special;
}

int specials_find(struct emulation *emulation, struct err *err)
{
    size_t count = 0;

    for (size_t k = 0; k < emulation->count; k++)
        count += is_special(emulation, k);
    emulation->specials = calloc(count + 1, sizeof *emulation->specials);
    if (!emulation->specials)
        return err_memory(err);
    for (size_t k = 0; k < emulation->count; k++)
        if (is_special(emulation, k)) {
            emulation->specials[emulation->special_count++] = describe(emulation, k);
            emulation->traits[k] |= TRAIT_SPECIAL;
        }
    return 0;
}

void specials_avoid(struct slice *slice, const struct slice_code *code)
{
    for (size_t k = 0; k < code->special_count; k++)
        slice->avoids[code->specials[k].branch] = true;
}

bool specials_settle(struct slice *slice, const struct slice_code *code)
{
    bool changed = false;

    for (size_t k = 0; k < code->special_count; k++) {
        const struct special *special = &code->specials[k];

        if (!slice->avoids[special->branch] || !set_overlap(&slice->live[special->merge], &special->defined))
            continue;
        slice->avoids[special->branch] = false;
        changed = true;
    }
    return changed;
}

bool special_is_passed(const struct emulation *emulation, const struct warp *warp, const struct sass *i,
                       uint32_t mask)
{
    uint32_t unknown = 0;

    if (emulation->slice.avoids[i->pc / SASS_BYTES])
        return true;
    if (emulation->mode != EMULATE_SLICED || !warp->regs->tainted)
        return false;
    unknown = guard_unknown(warp, i);
    for (unsigned k = 0; k < i->source_count; k++)
        if (operand_is_predicate(&i->sources[k]))
            unknown |= operand_unknown(emulation, warp, &i->sources[k]);
    return unknown & mask;
}
