#include "check.h"

#include "launch/element.h"

#include <float.h>

static uint64_t bits_of(enum element_type type, double value)
{
    unsigned char bytes[8] = {0};
    uint64_t bits = 0;

    element_from_real(bytes, type, value);
    for (int i = 7; i >= 0; i--)
        bits = bits << 8 | bytes[i];
    return bits;
}

static void names_go_both_ways(void **state)
{
    for (int type = 0; type < ELEMENT_TYPE_COUNT; type++)
        assert_int_equal(element_parse(element_text((enum element_type)type)), type);
    assert_int_equal(element_parse("float"), -1);
}

/* Expected bits from NumPy 2.x: numpy.float16(x).view("uint16"). */
static void halves_round_to_nearest_even(void **state)
{
    static const struct {
        double value;
        unsigned bits;
    } samples[] = {
        {0, 0},           {-0.0, 0x8000},       {1, 0x3c00},          {-2, 0xc000},       {0.1, 0x2e66},
        {65504, 0x7bff},  {65519, 0x7bff},      {65520, 0x7c00},      {1e30, 0x7c00},     {-1e30, 0xfc00},
        {2049, 0x6800},   {2051, 0x6802},       {0x1p-24, 1},         {0x1p-25, 0},       {0x1.8p-25, 1},
        {0x1p-14, 0x400}, {0x1.ff8p-15, 0x3ff}, {0x1.ffcp-15, 0x400}, {INFINITY, 0x7c00}, {NAN, 0x7e00},
    };

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        assert_int_equal(bits_of(ELEMENT_FLOAT16, samples[i].value), samples[i].bits);
}

static void bfloats_are_cut_floats_rounded_to_even(void **state)
{
    assert_int_equal(bits_of(ELEMENT_BFLOAT16, 1), 0x3f80);
    assert_int_equal(bits_of(ELEMENT_BFLOAT16, -3.140625), 0xc049);
    assert_int_equal(bits_of(ELEMENT_BFLOAT16, 0x1.01p0), 0x3f80);
    assert_int_equal(bits_of(ELEMENT_BFLOAT16, 0x1.03p0), 0x3f82);
    assert_int_equal(bits_of(ELEMENT_BFLOAT16, 3.4e38), 0x7f80);
    assert_int_equal(bits_of(ELEMENT_BFLOAT16, 0x1p-133), 1);
}

static void every_half_survives_the_way_back(void **state)
{
    static const enum element_type types[] = {ELEMENT_FLOAT16, ELEMENT_BFLOAT16};
    uint16_t word;
    double value;

    for (int t = 0; t < 2; t++)
        for (unsigned bits = 0; bits < 0x10000; bits++) {
            word = (uint16_t)bits;
            value = element_to_real(types[t], &word);
            if (!isnan(value))
                assert_int_equal(bits_of(types[t], value), bits);
        }
}

static void integers_take_the_nearest_in_range(void **state)
{
    assert_int_equal(bits_of(ELEMENT_INT8, -1.6), 0xfe);
    assert_int_equal(bits_of(ELEMENT_INT8, 300), 0x7f);
    assert_int_equal(bits_of(ELEMENT_INT8, -300), 0x80);
    assert_int_equal(bits_of(ELEMENT_UINT8, -5), 0);
    assert_int_equal(bits_of(ELEMENT_INT32, NAN), 0);
    assert_int_equal(bits_of(ELEMENT_UINT32, 5e9), 0xffffffff);
    assert_true(bits_of(ELEMENT_INT64, 1e30) == INT64_MAX);
    assert_true(bits_of(ELEMENT_INT64, -1e30) == (uint64_t)INT64_MIN);
    assert_true(bits_of(ELEMENT_UINT64, 0x1p63) == UINT64_C(1) << 63);
    assert_true(bits_of(ELEMENT_UINT64, 1e30) == UINT64_MAX);
}

static void integers_are_cut_and_ranges_known(void **state)
{
    int8_t byte;
    double value;

    element_from_integer(&byte, ELEMENT_INT8, 257);
    assert_int_equal(byte, 1);
    element_from_integer(&value, ELEMENT_FLOAT64, -3);
    check_near(value, -3, 0);
    assert_true(element_fits(ELEMENT_UINT8, 255));
    assert_false(element_fits(ELEMENT_UINT8, 256));
    assert_false(element_fits(ELEMENT_UINT64, -1));
    assert_true(element_fits(ELEMENT_INT64, INT64_MIN));
    assert_false(element_fits(ELEMENT_INT32, INT64_C(1) << 31));
    byte = -3;
    check_near(element_to_real(ELEMENT_INT8, &byte), -3, 0);
    check_near(element_to_real(ELEMENT_UINT8, &byte), 253, 0);
}

static void what_rounds_to_infinity_does_not_fit(void **state)
{
    static const struct {
        enum element_type type;
        double most, beyond;
    } cases[] = {{ELEMENT_INT8, 127, 128},
                 {ELEMENT_UINT32, 4294967295, 4294967296},
                 {ELEMENT_INT64, 0x1.fffffffffffffp62, 0x1p63},
                 {ELEMENT_UINT64, 0x1.fffffffffffffp63, 0x1p64},
                 {ELEMENT_FLOAT16, 65519.99, 65520},
                 {ELEMENT_BFLOAT16, 0x1.fefffp127, 0x1.ffp127},
                 {ELEMENT_FLOAT32, 0x1.fffffefffp127, 0x1.ffffffp127},
                 {ELEMENT_FLOAT64, DBL_MAX, INFINITY}};
    double made;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_true(element_takes(cases[k].type, cases[k].most));
        assert_false(element_takes(cases[k].type, cases[k].beyond));
        assert_false(element_takes(cases[k].type, NAN));
        if (element_is_integer(cases[k].type))
            continue;
        element_from_real(&made, cases[k].type, cases[k].most);
        assert_true(isfinite(element_to_real(cases[k].type, &made)));
        element_from_real(&made, cases[k].type, cases[k].beyond);
        assert_true(isinf(element_to_real(cases[k].type, &made)));
    }
    assert_false(element_takes(ELEMENT_INT32, 1.5));
    assert_false(element_takes(ELEMENT_UINT8, -1));
    assert_true(element_takes(ELEMENT_INT8, -128));
}

int main(void)
{
    return RUN_TESTS(names_go_both_ways, halves_round_to_nearest_even, bfloats_are_cut_floats_rounded_to_even,
                     every_half_survives_the_way_back, integers_take_the_nearest_in_range,
                     integers_are_cut_and_ranges_known, what_rounds_to_infinity_does_not_fit);
}
