/* Integer operations that may be of packed parts, four bytes or two halves of a word: dot products, minimum
 * and maximum, addition, difference. */
#include "model/emulate/packed.h"

/* Part `k`, of `bits` bits, of a word. */
static int32_t part_of(uint32_t word, unsigned k, unsigned bits, bool is_signed)
{
    const unsigned gap = 32 - bits;
    const uint32_t top = word >> bits * k << gap;

    return is_signed ? (int32_t)top >> gap : (int32_t)(top >> gap);
}

/* Dot product of four bytes with four (4A), or of two halves with the two low or high bytes (2A.LO, 2A.HI);
 * the types say which operand is signed. */
void op_idp(struct alu *x)
{
    const bool a_signed =
        x->i->mod[SASS_MOD_FROM] == SASS_TYPE_S8 || x->i->mod[SASS_MOD_FROM] == SASS_TYPE_S16;
    const bool b_signed =
        x->i->mod[SASS_MOD_TYPE] == SASS_TYPE_S8 || x->i->mod[SASS_MOD_TYPE] == SASS_TYPE_S16;

    const unsigned kind = x->i->mod[SASS_MOD_VARIANT], parts = kind ? 2 : 4, first_byte = kind == 2 ? 2 : 0;

    for (unsigned l = 0; l < LANES; l++) {
        int64_t sum = x->s[2][0][l];

        for (unsigned k = 0; k < parts; k++)
            sum += (int64_t)part_of(x->s[0][0][l], k, 32 / parts, a_signed) *
                   part_of(x->s[1][0][l], first_byte + k, 8, b_signed);
        x->d[0][l] = (uint32_t)sum;
    }
}

static uint64_t pick(const struct alu *x, uint64_t a, uint64_t b, unsigned lane)
{
    const bool minimum = x->q[0] >> lane & 1;

    return integer_less(a, b, is_signed(x)) == minimum ? a : b;
}

static uint64_t relu(const struct alu *x, uint64_t value)
{
    return x->i->mod[SASS_MOD_RELU] && (int64_t)value < 0 ? 0 : value;
}

/* Bits of a part: packed bytes and halves are computed one by one. */
static unsigned part_bits(const struct alu *x)
{
    switch (type_of(x)) {
    case SASS_TYPE_U16X2:
    case SASS_TYPE_S16X2:
        return 16;
    case SASS_TYPE_U8X4:
    case SASS_TYPE_S8X4:
        return 8;
    default:
        return 32;
    }
}

/* A part of source `k`. A negated source has been negated as a word, though its parts are to be. */
static int32_t source_part(const struct alu *x, unsigned k, unsigned lane, unsigned part)
{
    const bool negate = source_operand(x, k)->negate;
    const uint32_t word = negate ? 0 - x->s[k][0][lane] : x->s[k][0][lane];
    const int32_t value = part_of(word, part, part_bits(x), is_signed(x));

    return negate ? -value : value;
}

/* The first where it is not beyond the second. */
static int32_t pick_part(const struct alu *x, int32_t a, int32_t b, unsigned lane)
{
    return (a < b) == (x->q[0] >> lane & 1) ? a : b;
}

static int32_t relu_part(const struct alu *x, int32_t value)
{
    return x->i->mod[SASS_MOD_RELU] && value < 0 ? 0 : value;
}

static int32_t minmax_part(const struct alu *x, unsigned lane, unsigned part)
{
    const int32_t a = source_part(x, 0, lane, part), b = source_part(x, 1, lane, part);

    return relu_part(x, pick_part(x, a, b, lane));
}

static int32_t minmax3_part(const struct alu *x, unsigned lane, unsigned part)
{
    const int32_t a = source_part(x, 0, lane, part), b = source_part(x, 1, lane, part);

    return relu_part(x, pick_part(x, pick_part(x, a, b, lane), source_part(x, 2, lane, part), lane));
}

static int32_t add_part(const struct alu *x, unsigned lane, unsigned part)
{
    return source_part(x, 0, lane, part) + source_part(x, 1, lane, part);
}

static int32_t add_minmax_part(const struct alu *x, unsigned lane, unsigned part)
{
    const int32_t sum = part_of((uint32_t)add_part(x, lane, part), 0, part_bits(x), is_signed(x));

    return relu_part(x, pick_part(x, sum, source_part(x, 2, lane, part), lane));
}

/* Whether the operation is on packed parts; then it is done. */
static bool compute_parts(struct alu *x, int32_t (*compute)(const struct alu *, unsigned, unsigned))
{
    const unsigned bits = part_bits(x);

    if (bits == 32)
        return false;
    for (unsigned l = 0; l < LANES; l++) {
        x->d[0][l] = 0;
        for (unsigned p = 0; p < 32 / bits; p++)
            x->d[0][l] |= ((uint32_t)compute(x, l, p) & ((1u << bits) - 1)) << bits * p;
    }
    return true;
}

/* Whether the first source is taken, of halves the low and the high one. */
static void tell_taken(struct alu *x)
{
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned p = 0; p < 2; p++) {
            const bool minimum = x->q[0] >> l & 1, parts = part_bits(x) == 16;
            const uint64_t a = parts ? (uint64_t)(int64_t)source_part(x, 0, l, p) : integer_source(x, 0, l);
            const uint64_t b = parts ? (uint64_t)(int64_t)source_part(x, 1, l, p) : integer_source(x, 1, l);

            x->dq[p] |=
                (uint32_t) !(minimum ? integer_less(b, a, is_signed(x)) : integer_less(a, b, is_signed(x)))
                << l;
        }
}

/* The minimum where the predicate is true, the maximum where it is not. */
void op_imnmx(struct alu *x)
{
    for (unsigned k = 1; k < x->i->destination_count; k++)
        if (x->i->destinations[k].index != SASS_PT) {
            tell_taken(x);
            break;
        }
    if (compute_parts(x, minmax_part))
        return;
    for (unsigned l = 0; l < LANES; l++) {
        const uint64_t out = relu(x, pick(x, integer_source(x, 0, l), integer_source(x, 1, l), l));

        x->d[0][l] = (uint32_t)out;
        x->d[1][l] = (uint32_t)(out >> 32);
    }
}

void op_vimnmx3(struct alu *x)
{
    if (compute_parts(x, minmax3_part))
        return;
    for (unsigned l = 0; l < LANES; l++) {
        const uint64_t two = pick(x, integer_source(x, 0, l), integer_source(x, 1, l), l);

        x->d[0][l] = (uint32_t)relu(x, pick(x, two, integer_source(x, 2, l), l));
    }
}

void op_viadd(struct alu *x)
{
    if (compute_parts(x, add_part))
        return;
    for (unsigned l = 0; l < LANES; l++)
        x->d[0][l] = x->s[0][0][l] + x->s[1][0][l];
}

void op_viaddmnmx(struct alu *x)
{
    if (compute_parts(x, add_minmax_part))
        return;
    for (unsigned l = 0; l < LANES; l++) {
        const uint32_t sum = x->s[0][0][l] + x->s[1][0][l];
        const uint64_t wide = is_signed(x) ? (uint64_t)(int64_t)(int32_t)sum : sum;

        x->d[0][l] = (uint32_t)relu(x, pick(x, wide, integer_source(x, 2, l), l));
    }
}

/* |a - b| of every byte; .ACC: their sum, plus c. */
void op_vabsdiff4(struct alu *x)
{
    const bool is_signed8 = x->i->mod[SASS_MOD_TYPE] == SASS_TYPE_S8, sums = x->i->mod[SASS_MOD_VARIANT];

    for (unsigned l = 0; l < LANES; l++) {
        uint32_t packed = 0, sum = x->s[2][0][l];

        for (unsigned p = 0; p < 4; p++) {
            const int32_t a = part_of(x->s[0][0][l], p, 8, is_signed8);
            const int32_t b = part_of(x->s[1][0][l], p, 8, is_signed8);
            const uint32_t difference = (uint32_t)(a < b ? b - a : a - b);

            packed |= difference << 8 * p;
            sum += difference;
        }
        x->d[0][l] = sums ? sum : packed;
    }
}

/* |a - b| + c. */
void op_vabsdiff(struct alu *x)
{
    for (unsigned l = 0; l < LANES; l++) {
        const uint64_t a = integer_source(x, 0, l), b = integer_source(x, 1, l);

        x->d[0][l] = (uint32_t)((integer_less(a, b, is_signed(x)) ? b - a : a - b) + x->s[2][0][l]);
    }
}
