/* Conversions between numbers. */
#include "model/emulate/convert.h"

#include "base/round.h"
#include "model/emulate/float.h"
#include "model/emulate/half.h"

#include <math.h>

/* FP8, a finite value beyond the range becomes the largest one. E5M2 is the high byte of a half. */
static uint32_t fp8_bits(bool e5m2, double value)
{
    const uint32_t sign = signbit(value) ? 0x80 : 0, most = e5m2 ? 0x7b : 0x7e;
    uint64_t bits;

    if (value != value)
        return 0x7f;
    if (isinf(value))
        return sign | most;
    bits = round_bits(value, e5m2 ? 2 : 3, e5m2 ? -14 : -6, ROUND_TO_NEAREST);
    return sign | (bits < most ? (uint32_t)bits : most);
}

static double fp8_value(bool e5m2, uint8_t bits)
{
    const unsigned exponent = bits >> 3 & 15, mantissa = bits & 7;
    double value;

    if (e5m2)
        return half_value(SASS_TYPE_F16, (uint16_t)(bits << 8));
    if ((bits & 0x7f) == 0x7f)
        value = NAN;
    else
        value = exponent ? ldexp(8 + mantissa, (int)exponent - 10) : ldexp(mantissa, -9);
    return bits >> 7 ? -value : value;
}

/* Two floats to a pair of FP8, the first becomes the high one; the third source stands above them. */
static void pack_fp8(struct alu *x, bool e5m2)
{
    for (unsigned l = 0; l < LANES; l++) {
        double high = float_of(x->s[0][0][l]), low = float_of(x->s[1][0][l]);

        if (x->i->mod[SASS_MOD_RELU]) {
            high = high < 0 ? 0 : high;
            low = low < 0 ? 0 : low;
        }
        x->d[0][l] = x->s[2][0][l] << 16 | fp8_bits(e5m2, high) << 8 | fp8_bits(e5m2, low);
    }
}

/* The low or, with .H1, the high two bytes, FP8, to a pair of halves. */
static void unpack_fp8(struct alu *x, bool e5m2)
{
    for (unsigned l = 0; l < LANES; l++) {
        const uint32_t pair = x->s[1][0][l] >> (x->i->mod[SASS_MOD_VARIANT] ? 16 : 0);
        const uint16_t low = half_bits(SASS_TYPE_F16, fp8_value(e5m2, (uint8_t)pair), SASS_ROUND_NEAR);
        const uint16_t high =
            half_bits(SASS_TYPE_F16, fp8_value(e5m2, (uint8_t)(pair >> 8)), SASS_ROUND_NEAR);

        x->d[0][l] = (uint32_t)high << 16 | low;
    }
}

static bool is_fp8(unsigned type)
{
    return type == SASS_TYPE_E4M3 || type == SASS_TYPE_E5M2;
}

/* Two floats to a pair of halves, the first becomes the high one; TF32, the formats below FP8 and merging of
 * halves are not emulated. */
void op_f2fp(struct alu *x)
{
    const enum sass_type to = (enum sass_type)x->i->mod[SASS_MOD_TO],
                         from = (enum sass_type)x->i->mod[SASS_MOD_FROM];
    const enum sass_rounding mode = (enum sass_rounding)x->i->mod[SASS_MOD_ROUNDING];
    const bool merge = x->i->mod[SASS_MOD_VARIANT], halves = to == SASS_TYPE_F16 || to == SASS_TYPE_BF16;

    if (is_fp8(to) && merge && from == SASS_TYPE_F32) {
        pack_fp8(x, to == SASS_TYPE_E5M2);
        return;
    }
    if (is_fp8(from) && to == SASS_TYPE_F16) {
        unpack_fp8(x, from == SASS_TYPE_E5M2);
        return;
    }
    x->result_unknown = merge || !halves || from != SASS_TYPE_F32;
    for (unsigned l = 0; l < LANES; l++) {
        double high = float_of(x->s[0][0][l]), low = float_of(x->s[1][0][l]);

        if (x->i->mod[SASS_MOD_RELU]) {
            high = high < 0 ? 0 : high;
            low = low < 0 ? 0 : low;
        }
        x->d[0][l] = (uint32_t)half_bits(to, high, mode) << 16 | half_bits(to, low, mode);
    }
}

static uint64_t source_bits(const struct alu *x, unsigned lane)
{
    return x->s[0][0][lane] | (uint64_t)x->s[0][1][lane] << 32;
}

static double real_value(enum sass_type type, uint64_t bits)
{
    switch (type) {
    case SASS_TYPE_F64:
        return double_of(bits);
    case SASS_TYPE_F16:
        return half_value(SASS_TYPE_F16, (uint16_t)bits);
    case SASS_TYPE_BF16:
        return half_value(SASS_TYPE_BF16, (uint16_t)bits);
    default:
        return float_of((uint32_t)bits);
    }
}

/* A float of any width from a value that a double holds to the last bit or, for F64, is. */
static uint64_t real_bits(enum sass_type type, double value, enum sass_rounding mode)
{
    if (type == SASS_TYPE_F64)
        return value != value ? UINT64_C(0xfff8000000000000) : bits_of_double(value);
    if (type == SASS_TYPE_F16 || type == SASS_TYPE_BF16)
        return half_bits(type, value, mode);
    return value != value ? 0x7fffffff : bits_of(round_to_float(value, mode));
}

static void set_result(struct alu *x, unsigned lane, uint64_t bits)
{
    x->d[0][lane] = (uint32_t)bits;
    x->d[1][lane] = (uint32_t)(bits >> 32);
}

void op_f2f(struct alu *x)
{
    const enum sass_type from = (enum sass_type)x->i->mod[SASS_MOD_FROM];
    const enum sass_type to = (enum sass_type)x->i->mod[SASS_MOD_TO];
    const enum sass_rounding mode = (enum sass_rounding)x->i->mod[SASS_MOD_ROUNDING];
    const bool ftz = x->i->mod[SASS_MOD_FTZ];

    for (unsigned l = 0; l < LANES; l++) {
        uint64_t bits = source_bits(x, l);

        if (ftz && from == SASS_TYPE_F32)
            bits = flush((uint32_t)bits);
        bits = real_bits(to, real_value(from, bits), mode);
        if (ftz && to == SASS_TYPE_F32)
            bits = flush((uint32_t)bits);
        set_result(x, l, bits);
    }
}

/* Rounds to an integral value of the same type. */
void op_frnd(struct alu *x)
{
    const enum sass_type type = (enum sass_type)x->i->mod[SASS_MOD_TO];

    for (unsigned l = 0; l < LANES; l++) {
        uint64_t bits = source_bits(x, l);

        if (x->i->mod[SASS_MOD_FTZ] && type == SASS_TYPE_F32)
            bits = flush((uint32_t)bits);
        set_result(x, l,
                   real_bits(type,
                             round_to_integral(real_value(type, bits),
                                               (enum sass_rounding)x->i->mod[SASS_MOD_ROUNDING]),
                             SASS_ROUND_NEAR));
    }
}

static unsigned type_bits(enum sass_type type)
{
    switch (type) {
    case SASS_TYPE_U8:
    case SASS_TYPE_S8:
        return 8;
    case SASS_TYPE_U16:
    case SASS_TYPE_S16:
        return 16;
    case SASS_TYPE_U64:
    case SASS_TYPE_S64:
        return 64;
    default:
        return 32;
    }
}

static bool type_signed(enum sass_type type)
{
    return type == SASS_TYPE_S8 || type == SASS_TYPE_S16 || type == SASS_TYPE_S32 || type == SASS_TYPE_S64;
}

static uint64_t extend(uint64_t value, enum sass_type type)
{
    const unsigned gap = 64 - type_bits(type);

    return type_signed(type) ? (uint64_t)((int64_t)(value << gap) >> gap) : value << gap >> gap;
}

/* A double that rounds like the integer: integers beyond 53 bits are rounded to odd. */
static double integer_value(uint64_t value, bool is_signed)
{
    const bool minus = is_signed && value >> 63;
    uint64_t magnitude = minus ? 0 - value : value;
    double out;

    if (magnitude >> 53)
        magnitude = (magnitude & ~UINT64_C(0x7ff)) | ((magnitude & 0x7ff) != 0) << 11;
    out = (double)magnitude;
    return minus ? -out : out;
}

void op_i2f(struct alu *x)
{
    enum sass_type from = (enum sass_type)x->i->mod[SASS_MOD_FROM];
    const enum sass_type to = x->i->mod[SASS_MOD_TO] ? (enum sass_type)x->i->mod[SASS_MOD_TO] : SASS_TYPE_F32;
    const enum sass_rounding mode = (enum sass_rounding)x->i->mod[SASS_MOD_ROUNDING];

    if (from == SASS_TYPE_NONE)
        from = SASS_TYPE_S32;
    for (unsigned l = 0; l < LANES; l++) {
        const uint64_t value = extend(source_bits(x, l), from);

        if (to == SASS_TYPE_F64 && type_bits(from) == 64)
            set_result(x, l, bits_of_double(type_signed(from) ? (double)(int64_t)value : (double)value));
        else
            set_result(x, l, real_bits(to, integer_value(value, type_signed(from)), mode));
    }
}

/* Integers that values are turned into. */
struct integers {
    unsigned bits;
    bool is_signed;
    double top, bottom; /* of those that need not be cut to the range, the ends */
};

static struct integers integers_of(enum sass_type type)
{
    const unsigned bits = type_bits(type);
    const bool is_signed = type_signed(type);
    const double top = ldexp(1, (int)bits - is_signed);

    return (struct integers){bits, is_signed, top, is_signed ? -top : 0};
}

static uint64_t to_integer(double value, const struct integers *to)
{
    if (value != value)
        return to->bits == 64 ? UINT64_C(0x8000000000000000) : 0;
    if (value >= to->top)
        return ~UINT64_C(0) >> (64 - to->bits + to->is_signed);
    if (value <= to->bottom)
        return to->is_signed ? (uint64_t)1 << (to->bits - 1) : 0;
    return to->is_signed ? (uint64_t)(int64_t)value : (uint64_t)value;
}

/* Rounded to an integral value, but for the sign of 0: most fit into an integer, which takes no call. */
static double to_integral(double value, enum sass_rounding mode)
{
    double cut;

    if (!(fabs(value) < 0x1p52))
        return round_to_integral(value, mode);
    cut = (double)(int64_t)value;
    switch (mode) {
    case SASS_ROUND_DOWN:
        return cut - (cut > value);
    case SASS_ROUND_UP:
        return cut + (cut < value);
    case SASS_ROUND_ZERO:
        return cut;
    default:
        return round_to_integral(value, mode);
    }
}

/* Floats that are cut to 32 bits, the frequent case. */
static void cut_floats(struct alu *x, const struct integers *to)
{
    for (unsigned l = 0; l < LANES; l++)
        x->d[0][l] = (uint32_t)to_integer((double)float_of(x->s[0][0][l]), to);
}

void op_f2i(struct alu *x)
{
    const enum sass_type from =
        x->i->mod[SASS_MOD_FROM] ? (enum sass_type)x->i->mod[SASS_MOD_FROM] : SASS_TYPE_F32;
    const enum sass_type to = x->i->mod[SASS_MOD_TO] ? (enum sass_type)x->i->mod[SASS_MOD_TO] : SASS_TYPE_S32;
    const enum sass_rounding mode = (enum sass_rounding)x->i->mod[SASS_MOD_ROUNDING];
    const struct integers integers = integers_of(to);

    if (from == SASS_TYPE_F32 && integers.bits == 32 && mode == SASS_ROUND_ZERO) {
        cut_floats(x, &integers);
        return;
    }
    for (unsigned l = 0; l < LANES; l++) {
        uint64_t bits = source_bits(x, l);

        if (x->i->mod[SASS_MOD_FTZ] && from == SASS_TYPE_F32)
            bits = flush((uint32_t)bits);
        bits = to_integer(to_integral(real_value(from, bits), mode), &integers);
        if (integers.bits < 32)
            bits = extend(bits, to) & 0xffffffff;
        set_result(x, l, bits);
    }
}

/* Integer to a narrower or wider one; saturates where asked. */
void op_i2i(struct alu *x)
{
    const enum sass_type from = (enum sass_type)x->i->mod[SASS_MOD_FROM];
    const enum sass_type to = (enum sass_type)x->i->mod[SASS_MOD_TO];
    const bool to_signed = type_signed(to);
    const int64_t top = (int64_t)(~UINT64_C(0) >> (64 - type_bits(to) + to_signed));
    const int64_t bottom = to_signed ? -top - 1 : 0;

    for (unsigned l = 0; l < LANES; l++) {
        int64_t value = (int64_t)extend(x->s[0][0][l], from == SASS_TYPE_NONE ? SASS_TYPE_S32 : from);

        if (x->i->mod[SASS_MOD_SATURATE])
            value = value > top ? top : value < bottom ? bottom : value;
        x->d[0][l] = (uint32_t)extend((uint64_t)value, to);
    }
}
