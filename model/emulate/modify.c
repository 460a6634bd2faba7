#include "model/emulate/modify.h"

static uint32_t take_part(uint32_t value, enum sass_part part)
{
    switch (part) {
    case SASS_PART_H0:
        return value & 0xffff;
    case SASS_PART_H1:
        return value >> 16;
    case SASS_PART_B0:
    case SASS_PART_B1:
    case SASS_PART_B2:
    case SASS_PART_B3:
        return value >> 8 * (part - SASS_PART_B0) & 0xff;
    case SASS_PART_H0_H0:
        return (value & 0xffff) * 0x10001;
    case SASS_PART_H1_H1:
        return (value >> 16) * 0x10001;
    default:
        return value;
    }
}

/* The bits of a word, the high one of two or not, that say which sign its numbers have. */
static uint32_t sign_bits(enum modifiers modifiers, bool high)
{
    switch (modifiers) {
    case MODIFIERS_FLOAT:
        return 0x80000000;
    case MODIFIERS_HALVES:
        return 0x80008000;
    case MODIFIERS_DOUBLE:
        return high ? 0x80000000 : 0;
    default:
        return 0;
    }
}

static void take_parts(row out, const row from, enum sass_part part)
{
    for (unsigned l = 0; l < LANES; l++)
        out[l] = take_part(from[l], part);
}

static void take_magnitude(row out, const row from)
{
    for (unsigned l = 0; l < LANES; l++)
        out[l] = from[l] >> 31 ? 0 - from[l] : from[l];
}

/* Minus flips the sign of floats, and all bits of integers, which are one more then. */
static void modify_row(row out, const uint32_t *from, const struct sass_operand *operand,
                       enum modifiers modifiers, bool negate, bool high)
{
    const bool whole = modifiers == MODIFIERS_INT || modifiers == MODIFIERS_LOGIC;
    const uint32_t sign = sign_bits(modifiers, high);
    const uint32_t keep = operand->absolute ? ~sign : ~UINT32_C(0);
    const uint32_t flip = negate ? whole ? ~UINT32_C(0) : sign : 0;
    const uint32_t one = negate && modifiers == MODIFIERS_INT;

    if (operand->part) {
        take_parts(out, from, (enum sass_part)operand->part);
        from = out;
    }
    if (operand->absolute && modifiers == MODIFIERS_INT) {
        take_magnitude(out, from);
        from = out;
    }
    for (unsigned l = 0; l < LANES; l++)
        out[l] = ((from[l] & keep) ^ flip) + one;
}

/* The high word of minus an integer of two words: one more only where the low one is zero. */
static void negate_high(row out, const row low, const row high)
{
    for (unsigned l = 0; l < LANES; l++)
        out[l] = ~high[l] + (low[l] == 0);
}

static bool is_negated(const struct sass_operand *operand, enum modifiers modifiers)
{
    return operand->negate || (modifiers == MODIFIERS_LOGIC && operand->invert);
}

bool is_modified(const struct sass_operand *operand, enum modifiers modifiers)
{
    return modifiers != MODIFIERS_NONE &&
           (is_negated(operand, modifiers) || operand->absolute || operand->part);
}

void modify(row *out, row *from, const struct sass_operand *operand, enum modifiers modifiers)
{
    const bool two = modifiers == MODIFIERS_DOUBLE || (modifiers == MODIFIERS_LOGIC && operand->count > 1);
    const unsigned words = two ? 2 : 1;

    if (operand->count > 1 && modifiers == MODIFIERS_INT && operand->negate)
        negate_high(out[1], from[0], from[1]);
    for (unsigned w = 0; w < words; w++)
        modify_row(out[w], from[w], operand, modifiers, is_negated(operand, modifiers), w == 1);
}
