/* Halves, FP16 and BF16: their bits, and arithmetic on pairs of them. */
#include "model/emulate/half.h"

#include "base/round.h"
#include "model/emulate/float.h"
#include "model/emulate/integer.h"

#include <math.h>

struct half_format {
    int digits, lowest; /* fraction bits; exponent of the smallest normal number, ... */
    double least;       /* ... which is this */
    uint16_t infinity, nan;
    double scale; /* of a float with the same bits on top */
};

static const struct half_format fp16 = {10, -14, 0x1p-14, 0x7c00, 0x7fff, 0x1p112},
                                bf16 = {7, -126, 0x1p-126, 0x7f80, 0x7fff, 1};

static const struct half_format *format_of(enum sass_type type)
{
    return type == SASS_TYPE_BF16 || type == SASS_TYPE_BF16X2 ? &bf16 : &fp16;
}

double half_value(enum sass_type type, uint16_t bits)
{
    const struct half_format *format = format_of(type);
    const uint32_t magnitude = bits & 0x7fff;
    double value;

    if (magnitude > format->infinity)
        value = NAN;
    else if (magnitude == format->infinity)
        value = INFINITY;
    else /* the bits as those of a float with a smaller exponent */
        value = (double)float_of(magnitude << (23 - format->digits)) * format->scale;
    return bits >> 15 ? -value : value;
}

static enum round_to round_to(enum sass_rounding mode, bool negative)
{
    switch (mode) {
    case SASS_ROUND_DOWN:
        return negative ? ROUND_AWAY : ROUND_TO_ZERO;
    case SASS_ROUND_UP:
        return negative ? ROUND_TO_ZERO : ROUND_AWAY;
    case SASS_ROUND_ZERO:
        return ROUND_TO_ZERO;
    default:
        return ROUND_TO_NEAREST;
    }
}

uint16_t half_bits(enum sass_type type, double value, enum sass_rounding mode)
{
    const struct half_format *format = format_of(type);
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    const enum round_to to = round_to(mode, sign);
    uint64_t bits;

    if (value != value)
        return format->nan;
    if (isinf(value))
        return sign | format->infinity;
    bits = round_bits(value, format->digits, format->lowest, to);
    if (bits < format->infinity)
        return sign | (uint16_t)bits;
    return (uint16_t)(sign | (format->infinity - (to == ROUND_TO_ZERO)));
}

static double flush_half(const struct alu *x, double value)
{
    if (x->i->mod[SASS_MOD_FTZ] && fabs(value) < format_of(type_of(x))->least)
        return copysign(0, value);
    return value;
}

/* Half `h` of source `k`. */
static double source_half(const struct alu *x, unsigned k, unsigned lane, unsigned h)
{
    return flush_half(x, half_value(type_of(x), (uint16_t)(x->s[k][0][lane] >> 16 * h)));
}

static uint32_t finish_half(const struct alu *x, double value)
{
    uint16_t bits;

    if (x->i->mod[SASS_MOD_RELU] && value < 0)
        value = 0;
    if (x->i->mod[SASS_MOD_SATURATE])
        value = value > 1 ? 1 : value > 0 ? value : 0;
    bits = half_bits(type_of(x), value, SASS_ROUND_NEAR);
    if (x->i->mod[SASS_MOD_FTZ] && half_value(type_of(x), bits & 0x7fff) < format_of(type_of(x))->least)
        bits &= 0x8000;
    return bits;
}

enum half_kind { HALF_ADD, HALF_MULTIPLY, HALF_FMA, HALF_MINMAX, HALF_MINMAX3 };

/* Where the predicate holds the smaller one. */
static double choose_half(const struct alu *x, unsigned lane, double a, double b)
{
    if (a != a || b != b)
        return x->i->mod[SASS_MOD_NAN] || (a != a && b != b) ? NAN : a != a ? b : a;
    return (a < b) == (x->q[0] >> lane & 1) ? a : b;
}

static double compute_half(const struct alu *x, enum half_kind kind, unsigned lane, unsigned h)
{
    const double a = source_half(x, 0, lane, h), b = source_half(x, 1, lane, h);

    switch (kind) {
    case HALF_ADD:
        return a + b;
    case HALF_MULTIPLY:
        return a * b;
    case HALF_FMA:
        return add_to_odd(a * b, source_half(x, 2, lane, h));
    case HALF_MINMAX:
        return choose_half(x, lane, a, b);
    default:
        return choose_half(x, lane, choose_half(x, lane, a, b), source_half(x, 2, lane, h));
    }
}

/* Whether every lane has the same sources: compilers load constants that way. */
static bool lanes_agree(const struct sass *i)
{
    for (unsigned k = 0; k < i->source_count; k++)
        if ((i->sources[k].kind == SASS_REGISTER && i->sources[k].index != SASS_RZ) ||
            (i->sources[k].kind == SASS_PREDICATE && i->sources[k].index != SASS_PT))
            return false;
    return true;
}

static void compute_halves(struct alu *x, enum half_kind kind)
{
    if (lanes_agree(x->i)) {
        const uint32_t both =
            finish_half(x, compute_half(x, kind, 0, 0)) | finish_half(x, compute_half(x, kind, 0, 1)) << 16;

        for (unsigned l = 0; l < LANES; l++)
            x->d[0][l] = both;
        return;
    }
    for (unsigned l = 0; l < LANES; l++)
        if (x->active >> l & 1)
            x->d[0][l] = finish_half(x, compute_half(x, kind, l, 0)) |
                         finish_half(x, compute_half(x, kind, l, 1)) << 16;
}

uint32_t combine_halves(uint32_t a, uint32_t b, enum sass_type type, enum sass_atomic how)
{
    uint32_t out = 0;

    for (unsigned h = 0; h < 32; h += 16) {
        const double x = half_value(type, (uint16_t)(a >> h)), y = half_value(type, (uint16_t)(b >> h));
        const double value = how == SASS_ATOMIC_MIN   ? fmin(x, y)
                             : how == SASS_ATOMIC_MAX ? fmax(x, y)
                                                      : x + y;

        out |= (uint32_t)half_bits(type, value, SASS_ROUND_NEAR) << h;
    }
    return out;
}

void op_hadd2(struct alu *x)
{
    if (x->i->mod[SASS_MOD_TO] == SASS_TYPE_F32) { /* HADD2.F32: one half becomes a float */
        for (unsigned l = 0; l < LANES; l++)
            x->d[0][l] = bits_of((float)(source_half(x, 0, l, 0) + source_half(x, 1, l, 0)));
        return;
    }
    compute_halves(x, HALF_ADD);
}

void op_hmul2(struct alu *x)
{
    compute_halves(x, HALF_MULTIPLY);
}

void op_hfma2(struct alu *x)
{
    compute_halves(x, HALF_FMA);
}

void op_hmnmx2(struct alu *x)
{
    compute_halves(x, HALF_MINMAX);
}

void op_vhmnmx(struct alu *x)
{
    compute_halves(x, HALF_MINMAX3);
}

static uint32_t compare_halves(const struct alu *x, unsigned h)
{
    uint32_t is = 0;

    for (unsigned l = 0; l < LANES; l++)
        is |= (uint32_t)compare_float((enum sass_compare)x->i->mod[SASS_MOD_COMPARE], source_half(x, 0, l, h),
                                      source_half(x, 1, l, h))
              << l;
    return is;
}

/* One predicate for each half, or (.H_AND) for both. */
void op_hsetp2(struct alu *x)
{
    const enum sass_bool with = (enum sass_bool)x->i->mod[SASS_MOD_BOOL];

    const uint32_t low = compare_halves(x, 0), high = compare_halves(x, 1);
    const bool both = x->i->mod[SASS_MOD_VARIANT];

    x->dq[0] = combine(with, both ? low & high : low, x->q[0]);
    x->dq[1] = combine(with, both ? ~(low & high) : high, x->q[0]);
}

/* 1.0 or all ones in each half. */
void op_hset2(struct alu *x)
{
    const enum sass_bool with = (enum sass_bool)x->i->mod[SASS_MOD_BOOL];
    const uint32_t one = x->i->mod[SASS_MOD_VARIANT] ? half_bits(type_of(x), 1, SASS_ROUND_NEAR) : 0xffff;
    const uint32_t low = combine(with, compare_halves(x, 0), x->q[0]);
    const uint32_t high = combine(with, compare_halves(x, 1), x->q[0]);

    for (unsigned l = 0; l < LANES; l++)
        x->d[0][l] = (low >> l & 1 ? one : 0) | (high >> l & 1 ? one << 16 : 0);
}
