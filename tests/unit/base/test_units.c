/* Figures with units. */
#include "check.h"

#include "base/units.h"

static void test_units(void **state)
{
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {{1.5e-9, "0.0015 us"},   {18.2e-6, "18.2 us"}, {0.0009999, "999.9 us"}, {0.001, "1 ms"},
                 {2.7434e-3, "2.743 ms"}, {1, "1 s"},           {3601, "3601 s"},        {NAN, "none"}};
    char text[UNITS_BYTES];

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        units_time(text, cases[k].seconds);
        assert_string_equal(text, cases[k].text);
    }
    units_energy(text, 0.0729571);
    assert_string_equal(text, "72.96 mJ");
    units_energy(text, 1.7005);
    assert_string_equal(text, "1.7 J");
}

int main(void)
{
    return RUN_TESTS(test_units);
}
