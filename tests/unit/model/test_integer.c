/* Comparisons, sums and conversions of all lanes against plain C. */
#include "check.h"

#include "base/hash.h"
#include "model/emulate/convert.h"
#include "model/emulate/float.h"
#include "model/emulate/integer.h"

static const uint32_t odd[] = {0, 1, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 5};

/* Half of the lanes hold numbers at the ends of the ranges. */
static uint32_t draw(uint64_t seed, unsigned lane)
{
    const uint64_t bits = hash_random(seed, lane);

    return bits >> 40 & 1 ? (uint32_t)bits : odd[bits % (sizeof odd / sizeof *odd)];
}

static bool wanted(unsigned how, uint32_t a, uint32_t b, bool with_sign)
{
    const int64_t x = with_sign ? (int64_t)(int32_t)a : (int64_t)a;
    const int64_t y = with_sign ? (int64_t)(int32_t)b : (int64_t)b;

    return (how == SASS_CMP_LT && x < y) || (how == SASS_CMP_LE && x <= y) ||
           (how == SASS_CMP_EQ && x == y) || (how == SASS_CMP_NE && x != y) ||
           (how == SASS_CMP_GT && x > y) || (how == SASS_CMP_GE && x >= y) || how == SASS_CMP_T;
}

static void set_up(struct alu *x, struct plan *plan, struct sass *i, uint64_t seed)
{
    *plan = (struct plan){.source_count = 3};
    *x = (struct alu){.i = i, .plan = plan};
    for (unsigned k = 0; k < 3; k++) {
        x->s[k] = x->scratch[k];
        plan->sources[k].operand = &i->sources[k];
        for (unsigned l = 0; l < LANES; l++)
            x->scratch[k][0][l] = draw(seed + k, l);
    }
}

static void lanes_are_compared(void **state)
{
    static const unsigned hows[] = {SASS_CMP_F,  SASS_CMP_LT, SASS_CMP_EQ, SASS_CMP_LE,
                                    SASS_CMP_GT, SASS_CMP_NE, SASS_CMP_GE, SASS_CMP_T};

    for (uint64_t n = 0; n < 400; n++) {
        struct sass i = {.op = SASS_ISETP};
        struct plan plan;
        struct alu x;

        i.mod[SASS_MOD_COMPARE] = (uint8_t)hows[n % 8];
        i.mod[SASS_MOD_TYPE] = n / 8 % 2 ? SASS_TYPE_S32 : SASS_TYPE_U32;
        i.mod[SASS_MOD_BOOL] = SASS_BOOL_AND;
        set_up(&x, &plan, &i, 10 * n);
        x.q[0] = ALL_LANES;
        op_isetp(&x);
        for (unsigned l = 0; l < LANES; l++) {
            const bool is = wanted(hows[n % 8], x.s[0][0][l], x.s[1][0][l], n / 8 % 2);

            assert_int_equal(x.dq[0] >> l & 1, is);
            assert_int_equal(x.dq[1] >> l & 1, !is);
        }
    }
}

static void scaled_sums_are_added(void **state)
{
    for (uint64_t n = 0; n < 64; n++) {
        struct sass i = {.op = SASS_LEA};
        struct plan plan;
        struct alu x;

        set_up(&x, &plan, &i, 10 * n);
        i.sources[1].negate = n / 32;
        i.sources[3].kind = SASS_IMMEDIATE;
        x.s[3] = x.scratch[3];
        plan.sources[3].operand = &i.sources[3];
        for (unsigned l = 0; l < LANES; l++)
            x.scratch[3][0][l] = n % 32;
        op_lea(&x);
        for (unsigned l = 0; l < LANES; l++) {
            const uint32_t b = n / 32 ? 0 - x.s[1][0][l] : x.s[1][0][l];

            assert_int_equal(x.d[0][l], (x.s[0][0][l] << n % 32) + b);
        }
    }
}

/* Of three terms, the carries of which a predicate takes. */
static void sums_carry(void **state)
{
    for (uint64_t n = 0; n < 200; n++) {
        struct sass i = {.op = SASS_IADD3};
        const bool extended = n % 2;
        struct plan plan;
        struct alu x;

        i.mod[SASS_MOD_EXTENDED] = extended;
        i.sources[1].negate = n / 2 % 2;
        set_up(&x, &plan, &i, 10 * n);
        plan.predicate_count = 1;
        plan.sets_predicate = true;
        x.q[0] = (uint32_t)hash_random(n, 1000);
        op_iadd3(&x);
        for (unsigned l = 0; l < LANES; l++) {
            const uint32_t b = x.s[1][0][l];
            const uint64_t minus = (uint64_t)~b + !extended;
            const uint64_t sum = x.s[0][0][l] + (i.sources[1].negate ? minus : b) + (uint64_t)x.s[2][0][l] +
                                 (extended ? x.q[0] >> l & 1 : 0);

            assert_int_equal(x.d[0][l], (uint32_t)sum);
            assert_int_equal(x.dq[0] >> l & 1, sum >> 32 >= 1);
            assert_int_equal(x.dq[1] >> l & 1, sum >> 32 >= 2);
        }
    }
}

static double rounded(double value, enum sass_rounding mode)
{
    return mode == SASS_ROUND_DOWN   ? floor(value)
           : mode == SASS_ROUND_UP   ? ceil(value)
           : mode == SASS_ROUND_ZERO ? trunc(value)
                                     : rint(value);
}

/* Also of halves between integers, beyond the range, and none. */
static void floats_become_integers(void **state)
{
    static const float ends[] = {0.5f, -0.5f, 1.5f,   -2.5f,    2147483648.f, -2147483648.f,
                                 4e9f, 1e30f, -1e30f, INFINITY, -0.f};

    for (uint64_t n = 0; n < 200; n++) {
        struct sass i = {.op = SASS_F2I};
        struct plan plan;
        struct alu x;

        i.mod[SASS_MOD_ROUNDING] = (uint8_t)(n % 4);
        i.mod[SASS_MOD_TO] = SASS_TYPE_S32;
        set_up(&x, &plan, &i, 10 * n);
        for (unsigned l = 0; l < LANES; l++) {
            const float value =
                l < 11 ? ends[l] : (float)(int32_t)hash_random(n, l) / (float)(UINT32_C(1) << l);

            memcpy(&x.scratch[0][0][l], &value, sizeof value);
        }
        op_f2i(&x);
        for (unsigned l = 0; l < LANES; l++) {
            float value;

            memcpy(&value, &x.scratch[0][0][l], sizeof value);
            assert_int_equal(
                (int32_t)x.d[0][l],
                (int32_t)fmin(fmax(rounded(value, (enum sass_rounding)(n % 4)), -0x1p31), 0x1p31 - 1));
        }
    }
}

/* In every rounding mode: by rows in the host's, one by one in the others. */
static void doubles_are_added(void **state)
{
    for (unsigned mode = 0; mode < 4; mode++) {
        struct sass i = {.op = SASS_DADD};
        struct plan plan;
        struct alu x;

        i.mod[SASS_MOD_ROUNDING] = (uint8_t)mode;
        set_up(&x, &plan, &i, 1);
        for (unsigned l = 0; l < LANES; l++) {
            const uint64_t bits[] = {bits_of_double(1.0 + l), bits_of_double((l % 2 ? -0x1p-60 : 0x1p-60))};

            for (unsigned k = 0; k < 2; k++)
                x.scratch[k][0][l] = (uint32_t)bits[k], x.scratch[k][1][l] = (uint32_t)(bits[k] >> 32);
        }
        op_dadd(&x);
        for (unsigned l = 0; l < LANES; l++) {
            const double sum = double_of(x.d[0][l] | (uint64_t)x.d[1][l] << 32);
            const double away =
                l % 2 ? mode == SASS_ROUND_DOWN || mode == SASS_ROUND_ZERO ? nextafter(1.0 + l, 0) : 1.0 + l
                : mode == SASS_ROUND_UP ? nextafter(1.0 + l, INFINITY)
                                        : 1.0 + l;

            assert_true(sum == away);
        }
    }
}

/* Lanes that all want the minimum, or all the maximum, get what they get beside others that want the other. */
static void minima_are_chosen(void **state)
{
    const uint32_t mixed = 0xaaaaaaaa;

    for (uint64_t n = 0; n < 400; n++) {
        struct sass i = {.op = SASS_FMNMX};
        struct plan plan;
        struct alu x, same;

        set_up(&x, &plan, &i, 10 * n);
        set_up(&same, &plan, &i, 10 * n);
        x.q[0] = mixed;
        same.q[0] = n % 2 ? ALL_LANES : 0;
        op_fmnmx(&x);
        op_fmnmx(&same);
        for (unsigned l = 0; l < LANES; l++)
            if ((mixed >> l & 1) == n % 2)
                assert_int_equal(same.d[0][l], x.d[0][l]);
    }
}

int main(void)
{
    return RUN_TESTS(minima_are_chosen, lanes_are_compared, scaled_sums_are_added, sums_carry,
                     floats_become_integers, doubles_are_added);
}
