/* FP32 arithmetic, rounded as the GPU does, and the special functions.
 *
 * A sum, product or fused product of floats is computed in double and rounded to odd there: the last bit is
 * set whenever bits were lost. Rounding that to a float gives the correctly rounded result in every mode
 * (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to
 * odd", 2008), because a double has more than twice a float's bits. */
#include "model/emulate/float.h"

#include "model/emulate/operand.h"

#include <math.h>
#include <string.h>

/* a + b, rounded to odd. */
double add_to_odd(double a, double b)
{
    const double sum = a + b, b_part = sum - a, error = (a - (sum - b_part)) + (b - b_part);
    uint64_t bits = bits_of_double(sum);

    if (error == 0 || !isfinite(sum) || bits & 1)
        return sum;
    bits += (error > 0) == (sum > 0) ? 1 : (uint64_t)-1; /* towards the exact sum, which is odd there */
    return double_of(bits);
}

/* The correctly rounded float of a double that was rounded to odd. */
double round_to_integral(double value, enum sass_rounding mode)
{
    switch (mode) {
    case SASS_ROUND_DOWN:
        return floor(value);
    case SASS_ROUND_UP:
        return ceil(value);
    case SASS_ROUND_ZERO:
        return trunc(value);
    default:
        return rint(value);
    }
}

float round_to_float(double value, enum sass_rounding mode)
{
    const float near = (float)value;

    switch (mode) {
    case SASS_ROUND_DOWN:
        return (double)near > value ? nextafterf(near, -INFINITY) : near;
    case SASS_ROUND_UP:
        return (double)near < value ? nextafterf(near, INFINITY) : near;
    case SASS_ROUND_ZERO:
        return fabs((double)near) > fabs(value) ? nextafterf(near, 0) : near;
    default:
        return near;
    }
}

static uint32_t finish(const struct alu *x, double value)
{
    uint32_t bits = bits_of(round_to_float(value, (enum sass_rounding)x->i->mod[SASS_MOD_ROUNDING]));

    if ((bits & 0x7fffffff) > 0x7f800000)
        return x->i->mod[SASS_MOD_SATURATE] ? 0 : 0x7fffffff;
    if (x->i->mod[SASS_MOD_FTZ])
        bits = flush(bits);
    if (x->i->mod[SASS_MOD_SATURATE])
        bits = bits >> 31 ? 0 : bits > 0x3f800000 ? 0x3f800000 : bits;
    return bits;
}

static double source_float(const struct alu *x, unsigned k, unsigned lane)
{
    const uint32_t bits = x->s[k][0][lane];

    return float_of(x->i->mod[SASS_MOD_FTZ] ? flush(bits) : bits);
}

/* Whether the host computes just that: rounded to the nearest, without a modifier. */
static bool is_plain(const struct alu *x)
{
    const uint8_t *mod = x->i->mod;

    return mod[SASS_MOD_ROUNDING] == SASS_ROUND_NEAR && !mod[SASS_MOD_FTZ] && !mod[SASS_MOD_SATURATE];
}

static uint32_t finish_plain(float value)
{
    return value != value ? 0x7fffffff : bits_of(value);
}

void op_fadd(struct alu *x)
{
    if (is_plain(x)) {
        for (unsigned l = 0; l < LANES; l++)
            x->d[0][l] = finish_plain(float_of(x->s[0][0][l]) + float_of(x->s[1][0][l]));
        return;
    }
    for (unsigned l = 0; l < LANES; l++)
        x->d[0][l] = finish(x, add_to_odd(source_float(x, 0, l), source_float(x, 1, l)));
}

void op_fmul(struct alu *x)
{
    static const double factor[] = {1, 0.5, 0.25, 0.125, 8, 4, 2};
    const double scale = factor[x->i->mod[SASS_MOD_SCALE] % 7];

    if (is_plain(x) && scale == 1) {
        for (unsigned l = 0; l < LANES; l++)
            x->d[0][l] = finish_plain(float_of(x->s[0][0][l]) * float_of(x->s[1][0][l]));
        return;
    }
    for (unsigned l = 0; l < LANES; l++)
        x->d[0][l] = finish(x, source_float(x, 0, l) * source_float(x, 1, l) * scale);
}

void op_ffma(struct alu *x)
{
    if (is_plain(x)) {
        for (unsigned l = 0; l < LANES; l++)
            x->d[0][l] = finish_plain((float)add_to_odd(
                (double)float_of(x->s[0][0][l]) * (double)float_of(x->s[1][0][l]), float_of(x->s[2][0][l])));
        return;
    }
    for (unsigned l = 0; l < LANES; l++)
        x->d[0][l] =
            finish(x, add_to_odd(source_float(x, 0, l) * source_float(x, 1, l), source_float(x, 2, l)));
}

bool compare_float(enum sass_compare how, double a, double b)
{
    const bool unordered = a != a || b != b;

    switch (how) {
    case SASS_CMP_LT:
    case SASS_CMP_LTU:
        return a < b || (unordered && how == SASS_CMP_LTU);
    case SASS_CMP_EQ:
    case SASS_CMP_EQU:
        return a == b || (unordered && how == SASS_CMP_EQU);
    case SASS_CMP_LE:
    case SASS_CMP_LEU:
        return a <= b || (unordered && how == SASS_CMP_LEU);
    case SASS_CMP_GT:
    case SASS_CMP_GTU:
        return a > b || (unordered && how == SASS_CMP_GTU);
    case SASS_CMP_NE:
        return a < b || a > b;
    case SASS_CMP_NEU:
        return a != b;
    case SASS_CMP_GE:
    case SASS_CMP_GEU:
        return a >= b || (unordered && how == SASS_CMP_GEU);
    case SASS_CMP_NUM:
        return !unordered;
    case SASS_CMP_NAN:
        return unordered;
    default:
        return how == SASS_CMP_T;
    }
}

static uint32_t compare_lanes(const struct alu *x)
{
    uint32_t is = 0;

    for (unsigned l = 0; l < LANES; l++)
        is |= (uint32_t)compare_float((enum sass_compare)x->i->mod[SASS_MOD_COMPARE], source_float(x, 0, l),
                                      source_float(x, 1, l))
              << l;
    return is;
}

void set_compared(struct alu *x, uint32_t is)
{
    const enum sass_bool with = (enum sass_bool)x->i->mod[SASS_MOD_BOOL];

    x->dq[0] = combine(with, is, x->q[0]);
    x->dq[1] = combine(with, ~is, x->q[0]);
}

void op_fsetp(struct alu *x)
{
    set_compared(x, compare_lanes(x));
}

/* 1.0 or, without .BF, all ones. */
void op_fset(struct alu *x)
{
    const uint32_t one = x->i->mod[SASS_MOD_VARIANT] ? 0x3f800000 : ALL_LANES;
    const uint32_t is = combine((enum sass_bool)x->i->mod[SASS_MOD_BOOL], compare_lanes(x), x->q[0]);

    for (unsigned l = 0; l < LANES; l++)
        x->d[0][l] = is >> l & 1 ? one : 0;
}

void op_fsel(struct alu *x)
{
    memcpy(x->d[0], x->s[1][0], sizeof(row));
    set_lanes(x->d[0], x->s[0][0], x->q[0]);
    for (unsigned l = 0; l < LANES && x->i->mod[SASS_MOD_FTZ]; l++)
        x->d[0][l] = flush(x->d[0][l]);
}

/* -0 is below +0. */
static float pick(float a, float b, bool minimum, bool nan)
{
    if (a != a || b != b)
        return nan || (a != a && b != b) ? NAN : a != a ? b : a;
    if (a == b)
        return (signbit(a) != 0) == minimum ? a : b;
    return (a < b) == minimum ? a : b;
}

static void minimum_or_maximum(struct alu *x, unsigned sources)
{
    for (unsigned l = 0; l < LANES; l++) {
        const bool minimum = x->q[0] >> l & 1;
        float out = (float)source_float(x, 0, l);

        for (unsigned k = 1; k < sources; k++)
            out = pick(out, (float)source_float(x, k, l), minimum, x->i->mod[SASS_MOD_NAN]);
        x->d[0][l] = out != out ? 0x7fffffff : bits_of(out);
    }
}

/* A float's bits as an integer, in the order of the numbers, -0 below +0. */
static int32_t order_of(uint32_t bits)
{
    return (int32_t)(bits >> 31 ? bits ^ 0x7fffffff : bits);
}

static bool is_nan(uint32_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000;
}

/* pick() without branches, which the compiler does for several lanes at once. */
static uint32_t pick_bits(uint32_t a, uint32_t b, bool minimum)
{
    const uint32_t of_numbers = (order_of(a) < order_of(b)) == minimum ? a : b;
    const uint32_t out = is_nan(a) ? b : is_nan(b) ? a : of_numbers;

    return is_nan(out) ? 0x7fffffff : out;
}

void op_fmnmx(struct alu *x)
{
    const bool minimum = x->q[0] == ALL_LANES;

    if ((x->q[0] && !minimum) || x->i->mod[SASS_MOD_FTZ] || x->i->mod[SASS_MOD_NAN]) {
        minimum_or_maximum(x, 2);
        return;
    }
    for (unsigned l = 0; l < LANES; l++)
        x->d[0][l] = pick_bits(x->s[0][0][l], x->s[1][0][l], minimum);
}

void op_fmnmx3(struct alu *x)
{
    minimum_or_maximum(x, 3);
}

/* Whether a division needs the slow path: an operand or the quotient may leave the range of normal numbers, or the quotient
 * is a zero with a sign, which the fast path loses. How the hardware decides is not published; this is what correct results
 * need. */
void op_fchk(struct alu *x)
{
    uint32_t slow = 0;

    for (unsigned l = 0; l < LANES; l++) {
        const int a = (int)(x->s[0][0][l] >> 23 & 255), b = (int)(x->s[1][0][l] >> 23 & 255);
        const bool is_zero = !(x->s[0][0][l] << 1), minus = (x->s[0][0][l] ^ x->s[1][0][l]) >> 31;

        slow |= (uint32_t)((a < 24 && (!is_zero || minus)) || a > 253 || b < 2 || b > 252 || a - b > 125 ||
                           (a - b < -125 && a))
                << l;
    }
    x->dq[0] = slow;
}

/* The approximations of the special function unit differ from these in their last bits. Sine and cosine take
 * turns of 2 pi; the 64-bit functions work on high words alone. */
static uint32_t special(enum sass_function function, uint32_t bits)
{
    const double turn = 6.283185307179586476925, v = float_of(bits), high = double_of((uint64_t)bits << 32);

    switch (function) {
    case SASS_MUFU_COS:
        return bits_of((float)cos(turn * v));
    case SASS_MUFU_SIN:
        return bits_of((float)sin(turn * v));
    case SASS_MUFU_EX2:
        return bits_of((float)exp2(v));
    case SASS_MUFU_LG2:
        return bits_of((float)log2(v));
    case SASS_MUFU_RCP:
        return bits_of((float)(1 / v));
    case SASS_MUFU_RSQ:
        return bits_of((float)(1 / sqrt(v)));
    case SASS_MUFU_RCP64H:
        return (uint32_t)(bits_of_double(1 / high) >> 32);
    case SASS_MUFU_RSQ64H:
        return (uint32_t)(bits_of_double(1 / sqrt(high)) >> 32);
    case SASS_MUFU_SQRT:
        return bits_of((float)sqrt(v));
    default:
        return bits_of((float)tanh(v));
    }
}

void op_mufu(struct alu *x)
{
    for (unsigned l = 0; l < LANES; l++)
        if (x->active >> l & 1)
            x->d[0][l] = special((enum sass_function)x->i->mod[SASS_MOD_FUNCTION], x->s[0][0][l]);
}
