/* Operands as instructions name them, and guards: read, stored, forgotten. */
#include "model/emulate/operand.h"

#include <string.h>

const row lane_bits = {1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
                       1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
                       1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
                       1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

void set_row(row out, uint32_t value)
{
    for (unsigned l = 0; l < LANES; l++)
        out[l] = value;
}

uint32_t predicate_read(const struct warp *warp, const struct sass_operand *operand)
{
    const uint32_t *file = operand->kind == SASS_UNIFORM_PREDICATE ? warp->regs->up : warp->regs->p;
    const uint32_t value = file[operand->index & 7];

    return operand->invert ? ~value : value;
}

uint32_t guard_lanes(const struct warp *warp, const struct sass *i)
{
    const uint32_t value = (i->guard_uniform ? warp->regs->up : warp->regs->p)[i->guard & 7];

    return i->guard_negated ? ~value : value;
}

uint32_t guard_unknown(const struct warp *warp, const struct sass *i)
{
    return (i->guard_uniform ? warp->regs->up_unknown : warp->regs->p_unknown)[i->guard & 7];
}

bool operand_word(uint32_t *out, const struct emulation *emulation, const struct sass_operand *operand,
                  unsigned word)
{
    *out = 0;
    if (word >= operand->count)
        return true;
    if (operand->kind == SASS_IMMEDIATE)
        *out = (uint32_t)(operand->value >> 32 * word);
    else if (operand->kind == SASS_CONSTANT)
        return !operand->bindless &&
               constant_word(&emulation->memory, operand->bank, operand->value + 4 * word, out);
    return true;
}

uint32_t operand_unknown(const struct emulation *emulation, const struct warp *warp,
                         const struct sass_operand *operand)
{
    const struct registers *regs = warp->regs;
    uint32_t unknown = 0, ignored;

    switch (operand->kind) {
    case SASS_REGISTER:
        for (unsigned w = 0; w < operand->count && operand->index + w < SASS_RZ; w++)
            unknown |= regs->r_unknown[operand->index + w];
        return unknown;
    case SASS_UNIFORM_REGISTER:
        for (unsigned w = 0; w < operand->count && operand->index + w < SASS_URZ; w++)
            unknown |= regs->u_unknown[operand->index + w];
        return unknown;
    case SASS_PREDICATE:
        return regs->p_unknown[operand->index & 7];
    case SASS_UNIFORM_PREDICATE:
        return regs->up_unknown[operand->index & 7];
    case SASS_CONSTANT:
        for (unsigned w = 0; w < operand->count; w++)
            if (!operand_word(&ignored, emulation, operand, w))
                return ALL_LANES;
        return 0;
    default:
        return 0;
    }
}

const uint32_t *operand_row(const struct emulation *emulation, const struct warp *warp,
                            const struct sass_operand *operand, unsigned word, row scratch)
{
    const unsigned index = operand->index + word;
    uint32_t value;

    switch (operand->kind) {
    case SASS_REGISTER:
        return operand->index == SASS_RZ || word >= operand->count || index >= SASS_RZ ? warp->regs->zero[0]
                                                                                       : warp->regs->r[index];
    case SASS_UNIFORM_REGISTER:
        return operand->index == SASS_URZ || word >= operand->count || index >= SASS_URZ
                   ? warp->regs->zero[0]
                   : warp->regs->u[index];
    case SASS_IMMEDIATE:
    case SASS_CONSTANT:
        operand_word(&value, emulation, operand, word);
        set_row(scratch, value);
        return scratch;
    default:
        return warp->regs->zero[0];
    }
}

static void mark_unknown(uint32_t *unknown, uint32_t mask, uint32_t lanes, bool *tainted)
{
    *unknown = (*unknown & ~mask) | (lanes & mask);
    *tainted |= *unknown != 0;
}

static void store_uniform(struct registers *regs, unsigned index, const uint32_t *words, uint32_t mask,
                          uint32_t unknown)
{
    const unsigned lane = (unsigned)__builtin_ctz(mask);

    set_row(regs->u[index], words[lane]);
    mark_unknown(&regs->u_unknown[index], ALL_LANES, unknown & mask ? ALL_LANES : 0, &regs->tainted);
}

void set_lanes(row out, const row from, uint32_t mask)
{
    for (unsigned l = 0; l < LANES; l++) {
        const uint32_t taken = mask & lane_bits[l] ? ALL_LANES : 0;

        out[l] = (out[l] & ~taken) | (from[l] & taken);
    }
}

void operand_store(struct warp *warp, const struct sass_operand *operand, row *words, unsigned count,
                   uint32_t mask, uint32_t unknown)
{
    struct registers *regs = warp->regs;

    if (!mask)
        return;
    for (unsigned w = 0; w < count; w++) {
        const unsigned index = operand->index + w;

        if (index >= SASS_RZ)
            return;
        if (operand->kind == SASS_UNIFORM_REGISTER) {
            store_uniform(regs, index, words[w], mask, unknown);
            continue;
        }
        if (mask == ALL_LANES)
            memcpy(regs->r[index], words[w], sizeof(row));
        else
            set_lanes(regs->r[index], words[w], mask);
        if (regs->tainted || unknown)
            mark_unknown(&regs->r_unknown[index], mask, unknown, &regs->tainted);
    }
}

void predicate_store(struct warp *warp, const struct sass_operand *operand, uint32_t values, uint32_t mask,
                     uint32_t unknown)
{
    struct registers *regs = warp->regs;
    const unsigned index = operand->index & 7;

    if (index == SASS_PT || !mask)
        return;
    if (operand->kind == SASS_UNIFORM_PREDICATE) {
        regs->up[index] = values >> __builtin_ctz(mask) & 1 ? ALL_LANES : 0;
        mark_unknown(&regs->up_unknown[index], ALL_LANES, unknown & mask ? ALL_LANES : 0, &regs->tainted);
        return;
    }
    regs->p[index] = (regs->p[index] & ~mask) | (values & mask);
    if (regs->tainted || unknown)
        mark_unknown(&regs->p_unknown[index], mask, unknown, &regs->tainted);
}

/* Words of a result that lie in a row, of which tensor products have many. */
static void forget_rows(struct registers *regs, unsigned first, unsigned end)
{
    for (unsigned r = first; r < end; r++) {
        if (regs->r_unknown[r] == ALL_LANES) /* from the last product, most often */
            continue;
        set_row(regs->r[r], 0);
        regs->r_unknown[r] = ALL_LANES;
    }
    regs->tainted |= first < end;
}

static void forget(struct warp *warp, const struct sass_operand *operand, uint32_t mask)
{
    const unsigned end = operand->index + operand->count;
    row nothing[1];

    if (operand->kind == SASS_REGISTER && mask == ALL_LANES) {
        forget_rows(warp->regs, operand->index, end < SASS_RZ ? end : SASS_RZ);
        return;
    }
    set_row(nothing[0], 0);
    for (unsigned r = operand->index; r < end && r < SASS_RZ; r++) {
        const struct sass_operand one = {.kind = operand->kind, .index = (uint8_t)r};

        operand_store(warp, &one, nothing, 1, mask, mask);
    }
}

void make_unknown(struct warp *warp, const struct sass *i, uint32_t mask)
{
    for (unsigned k = 0; k < i->destination_count; k++)
        if (operand_is_predicate(&i->destinations[k]))
            predicate_store(warp, &i->destinations[k], 0, mask, mask);
        else
            forget(warp, &i->destinations[k], mask);
}
