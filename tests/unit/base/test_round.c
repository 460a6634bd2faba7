/* base/round: the bits that the definition says, for numbers of every size and each way of rounding. */
#include "base/hash.h"
#include "base/round.h"
#include "check.h"

#include <math.h>
#include <string.h>

/* In units of the last place, which the C library rounds. */
static uint64_t defined(double value, int digits, int least, enum round_to to)
{
    const double size = fabs(value);
    const int exponent = size > 0 && ilogb(size) > least ? ilogb(size) : least;
    const double units = ldexp(size, digits - exponent);
    const double whole = to == ROUND_TO_NEAREST ? nearbyint(units)
                         : to == ROUND_AWAY     ? ceil(units)
                                                : floor(units);

    return (uint64_t)whole + ((uint64_t)(exponent - least) << digits);
}

static const struct {
    int digits, least;
} formats[] = {{10, -14}, {7, -126}, {3, -6}, {2, -14}};

static void check_value(double value)
{
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        for (int to = ROUND_TO_NEAREST; to <= ROUND_AWAY; to++)
            assert_int_equal(round_bits(value, formats[f].digits, formats[f].least, (enum round_to)to),
                             defined(value, formats[f].digits, formats[f].least, (enum round_to)to));
}

static void numbers_of_any_bits_round_as_defined(void **state)
{
    for (uint64_t k = 0; k < 200000; k++) {
        uint64_t bits = hash_random(1, k);
        double value;

        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            check_value(value);
    }
}

/* Few digits, so that ties are met, near the numbers that the formats have. */
static void ties_and_neighbours_round_as_defined(void **state)
{
    for (uint64_t k = 0; k < 200000; k++) {
        const uint64_t bits = hash_random(2, k);
        const double value =
            ldexp((double)(bits & 0x1fff), (int)(bits >> 16 & 0xff) - 140 + (int)(bits >> 24 & 31));

        check_value(value);
        check_value(nextafter(value, INFINITY));
        check_value(-nextafter(value, 0));
    }
}

static void the_ends_of_the_range_round_as_defined(void **state)
{
    static const double values[] = {
        0,     -0.0,      0x1p-1074, 0x1p-1022, 0x1p-25, 0x1p-24, 0x1p-134,
        65504, 65519.999, 65520,     448,       464,     57344,   0x1.fffffffffffffp1023};

    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
        check_value(values[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_any_bits_round_as_defined),
        cmocka_unit_test(ties_and_neighbours_round_as_defined),
        cmocka_unit_test(the_ends_of_the_range_round_as_defined),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
