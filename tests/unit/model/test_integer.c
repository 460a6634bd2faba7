/* Comparisons and scaled sums of all lanes against plain C. */
#include "check.h"

#include "base/hash.h"
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

static void set_up(struct alu *x, struct sass *i, uint64_t seed)
{
    *x = (struct alu){.i = i};
    for (unsigned k = 0; k < 3; k++) {
        x->s[k] = x->scratch[k];
        x->slot[k] = (uint8_t)k;
        for (unsigned l = 0; l < LANES; l++)
            x->scratch[k][0][l] = draw(seed + k, l);
    }
}

static void lanes_are_compared(void **state)
{
    static const unsigned hows[] = {SASS_CMP_F,  SASS_CMP_LT, SASS_CMP_EQ, SASS_CMP_LE,
                                    SASS_CMP_GT, SASS_CMP_NE, SASS_CMP_GE, SASS_CMP_T};

    (void)state;
    for (uint64_t n = 0; n < 400; n++) {
        struct sass i = {.op = SASS_ISETP};
        struct alu x;

        i.mod[SASS_MOD_COMPARE] = (uint8_t)hows[n % 8];
        i.mod[SASS_MOD_TYPE] = n / 8 % 2 ? SASS_TYPE_S32 : SASS_TYPE_U32;
        i.mod[SASS_MOD_BOOL] = SASS_BOOL_AND;
        set_up(&x, &i, 10 * n);
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
    (void)state;
    for (uint64_t n = 0; n < 64; n++) {
        struct sass i = {.op = SASS_LEA};
        struct alu x;

        set_up(&x, &i, 10 * n);
        i.sources[1].negate = n / 32;
        i.sources[3].kind = SASS_IMMEDIATE;
        x.s[3] = x.scratch[3];
        x.slot[3] = 3;
        for (unsigned l = 0; l < LANES; l++)
            x.scratch[3][0][l] = n % 32;
        op_lea(&x);
        for (unsigned l = 0; l < LANES; l++) {
            const uint32_t b = n / 32 ? 0 - x.s[1][0][l] : x.s[1][0][l];

            assert_int_equal(x.d[0][l], (x.s[0][0][l] << n % 32) + b);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_are_compared),
        cmocka_unit_test(scaled_sums_are_added),
    };

    return cmocka_run_group_tests_name("integer", tests, NULL, NULL);
}
