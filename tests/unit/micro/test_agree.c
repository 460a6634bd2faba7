#include "check.h"

#include "micro/agree.h"

static struct device_value value(double sustained)
{
    return (struct device_value){.known = true, .sustained = sustained, .best = sustained};
}

static void expect(const struct device *first, const struct device *second, size_t compared, const char *text)
{
    struct err err = {0};
    size_t count;
    char *lines;

    assert_int_equal(calibrate_differences(&lines, &count, first, second, &err), 0);
    assert_string_equal(lines, text);
    assert_int_equal(count, compared);
    free(lines);
}

static void small_differences_agree(void **state)
{
    struct device first, second;

    device_init(&first);
    device_init(&second);
    expect(&first, &second, 0, "");
    first.values[DEVICE_L1_LATENCY] = value(34);
    second.values[DEVICE_L1_LATENCY] = value(34.6);
    first.values[DEVICE_L2_BYTES] = value(100e6);
    second.values[DEVICE_L2_BYTES] = value(104e6);
    first.values[DEVICE_L1_SECTOR] = value(0);
    second.values[DEVICE_L1_SECTOR] = value(0.005);
    first.ops[DEVICE_OP_FFMA].interval = value(1.01);
    second.ops[DEVICE_OP_FFMA].interval = value(1);
    expect(&first, &second, 4, "");
}

static void large_ones_and_holes_are_named(void **state)
{
    struct device first, second;

    device_init(&first);
    device_init(&second);
    first.values[DEVICE_L1_LATENCY] = value(34);
    second.values[DEVICE_L1_LATENCY] = value(35);
    first.values[DEVICE_DRAM_READ] = value(4e12);
    second.values[DEVICE_L2_BYTES] = value(5e7);
    first.ops[DEVICE_OP_DFMA].latency = value(8);
    second.ops[DEVICE_OP_DFMA].latency = value(9);
    expect(&first, &second, 2,
           "l1_latency: 34 and 35 cycles, 2.9 % apart\n"
           "dram_read: only the first knows it\n"
           "l2_bytes: only the second knows it\n"
           "DFMA latency: 8 and 9 cycles, 11.1 % apart\n");
    second.values[DEVICE_DRAM_READ] = first.values[DEVICE_DRAM_READ];
    first.values[DEVICE_L2_BYTES] = value(4.7e7);
    expect(&first, &second, 4,
           "l1_latency: 34 and 35 cycles, 2.9 % apart\n"
           "l2_bytes: 4.7e+07 and 5e+07 B, 6.0 % apart\n"
           "DFMA latency: 8 and 9 cycles, 11.1 % apart\n");
}

int main(void)
{
    return RUN_TESTS(small_differences_agree, large_ones_and_holes_are_named);
}
