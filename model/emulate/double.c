/* FP64 arithmetic: the host's, in the rounding mode of the instruction. */
#include "model/emulate/float.h"

#include <fenv.h>
#include <math.h>

static double source_double(const struct alu *x, unsigned k, unsigned lane)
{
    return double_of(x->s[k][0][lane] | (uint64_t)x->s[k][1][lane] << 32);
}

static void set_double(struct alu *x, unsigned lane, double value)
{
    uint64_t bits = bits_of_double(value);

    if (value != value)
        bits = UINT64_C(0xfff8000000000000);
    x->d[0][lane] = (uint32_t)bits;
    x->d[1][lane] = (uint32_t)(bits >> 32);
}

static int host_rounding(const struct alu *x)
{
    switch (x->i->mod[SASS_MOD_ROUNDING]) {
    case SASS_ROUND_DOWN:
        return FE_DOWNWARD;
    case SASS_ROUND_UP:
        return FE_UPWARD;
    case SASS_ROUND_ZERO:
        return FE_TOWARDZERO;
    default:
        return FE_TONEAREST;
    }
}

enum double_kind { DOUBLE_ADD, DOUBLE_MULTIPLY, DOUBLE_FMA };

static void read_doubles(double out[LANES], const struct alu *x, unsigned k)
{
    const uint32_t *low = x->s[k][0], *high = x->s[k][1];

    for (unsigned l = 0; l < LANES; l++)
        out[l] = double_of(low[l] | (uint64_t)high[l] << 32);
}

/* In the rounding mode that is set. */
static void compute_doubles(struct alu *x, enum double_kind kind)
{
    double a[LANES], b[LANES], c[LANES];

    read_doubles(a, x, 0);
    read_doubles(b, x, 1);
    if (kind == DOUBLE_FMA)
        read_doubles(c, x, 2);
    for (unsigned l = 0; l < LANES && kind == DOUBLE_ADD; l++)
        a[l] += b[l];
    for (unsigned l = 0; l < LANES && kind == DOUBLE_MULTIPLY; l++)
        a[l] *= b[l];
    for (unsigned l = 0; l < LANES && kind == DOUBLE_FMA; l++)
        a[l] = fma(a[l], b[l], c[l]);
    for (unsigned l = 0; l < LANES; l++)
        set_double(x, l, a[l]);
}

static void compute_double(struct alu *x, enum double_kind kind)
{
    const int before = fegetround(), wanted = host_rounding(x);

    if (wanted == before) {
        compute_doubles(x, kind);
        return;
    }
    fesetround(wanted);
    for (unsigned l = 0; l < LANES; l++) {
        /* volatile: the compiler must not compute before the mode is set */
        volatile double a = source_double(x, 0, l), b = source_double(x, 1, l);
        const double c = kind == DOUBLE_FMA ? source_double(x, 2, l) : 0;

        set_double(x, l, kind == DOUBLE_ADD ? a + b : kind == DOUBLE_MULTIPLY ? a * b : fma(a, b, c));
    }
    fesetround(before);
}

void op_dadd(struct alu *x)
{
    compute_double(x, DOUBLE_ADD);
}

void op_dmul(struct alu *x)
{
    compute_double(x, DOUBLE_MULTIPLY);
}

void op_dfma(struct alu *x)
{
    compute_double(x, DOUBLE_FMA);
}

/* DSETP.MIN, .MAX: the first predicate says that the first source is the one to take, where a NaN loses and
 * -0 is below +0; the second that both are NaN. */
static void choose_double(struct alu *x, bool minimum)
{
    const enum sass_bool with = (enum sass_bool)x->i->mod[SASS_MOD_BOOL];
    uint32_t first = 0, neither = 0;

    for (unsigned l = 0; l < LANES; l++) {
        const double a = source_double(x, 0, l), b = source_double(x, 1, l);
        const bool below = a < b || (a == b && signbit(a) > signbit(b));
        const bool above = a > b || (a == b && signbit(a) < signbit(b));

        first |= (uint32_t)(a == a && (b != b || (minimum ? below : above))) << l;
        neither |= (uint32_t)(a != a && b != b) << l;
    }
    x->dq[0] = combine(with, first, x->q[0]);
    x->dq[1] = combine(with, neither, x->q[0]);
}

static uint32_t compare_lanes(const struct alu *x)
{
    uint32_t is = 0;

    for (unsigned l = 0; l < LANES; l++)
        is |= (uint32_t)compare_float((enum sass_compare)x->i->mod[SASS_MOD_COMPARE], source_double(x, 0, l),
                                      source_double(x, 1, l))
              << l;
    return is;
}

void op_dsetp(struct alu *x)
{
    const unsigned compare = x->i->mod[SASS_MOD_COMPARE];

    if (compare == SASS_CMP_MIN || compare == SASS_CMP_MAX)
        choose_double(x, compare == SASS_CMP_MIN);
    else
        set_compared(x, compare_lanes(x));
}
