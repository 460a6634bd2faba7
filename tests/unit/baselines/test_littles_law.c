#include "check.h"

#include "baselines/littles_law.h"

/* Volkov, Figure 3.1: ten items of 1, 2 or 3 cycles, mean latency 2, in ten cycles. */
static void ten_items_in_ten_cycles(void **state)
{
    const struct littles_item items[] = {{0, 1}, {0, 2}, {1, 4}, {2, 4}, {3, 5},
                                         {4, 7}, {5, 6}, {6, 8}, {7, 9}, {8, 10}};
    struct littles_sample sample;

    (void)state;
    littles_measure(&sample, items, 10, 0, 10);
    check_near(sample.mean_latency, 2, 1e-12);
    check_near(sample.throughput, 1, 1e-12);
    check_near(sample.mean_concurrency, 2, 1e-12);
    check_near(littles_concurrency(sample.mean_latency, sample.throughput), sample.mean_concurrency, 1e-12);
    assert_int_equal(sample.cut, 0);
}

static void items_cut_by_the_interval_are_counted_apart(void **state)
{
    const struct littles_item items[] = {{-5, 2}, {2, 6}, {8, 14}, {20, 30}};
    struct littles_sample sample;

    (void)state;
    littles_measure(&sample, items, 4, 0, 10);
    assert_int_equal(sample.whole, 1);
    assert_int_equal(sample.cut, 2);
    check_near(sample.mean_latency, 4, 1e-12);
    check_near(sample.mean_concurrency, 0.8, 1e-12);
    littles_measure(&sample, items, 0, 0, 10);
    check_near(sample.mean_latency, 0, 0);
    check_near(sample.mean_concurrency, 0, 0);
}

/* Volkov, 3.2: arithmetic on Maxwell. */
static void arithmetic_in_flight(void **state)
{
    (void)state;
    check_near(littles_throughput(1, 6), 1.0 / 6, 1e-12);
    check_near(littles_throughput(2, 6), 1.0 / 3, 1e-12);
    check_near(littles_throughput(3, 6), 1.0 / 2, 1e-12);
    check_near(littles_throughput(0.5, 6), 1.0 / 12, 1e-12);
    check_near(littles_concurrency(6, 4), 24, 1e-12);
    check_near(littles_latency(24, 4), 6, 1e-12);
}

/* Volkov, 3.2 and 3.3: memory on Maxwell. The 33 printed for pin bandwidth is a slip and no test. */
static void loads_in_flight(void **state)
{
    const double ipc = littles_rate_per_sm(211e9, 1.266e9, 16, 128);

    (void)state;
    check_near(ipc, 0.0814, 5e-5);
    check_near(littles_rate_per_sm(211e9, 1.266e9, 16, 1), 10.42, 0.005);
    check_near(littles_concurrency(368, ipc), 29.95, 0.005);
    check_near(littles_needed_warps(30, 2), 15, 1e-12);
    check_near(littles_needed_warps(30, 0.5), 60, 1e-12);
}

/* Volkov, Figure 3.2: half of the time arithmetic, half memory. Counting warps as instructions asks for 30
 * warps where 60 are needed. */
static void warps_are_not_instructions(void **state)
{
    const struct littles_class classes[] = {{1, 368, 30.0 / 368}, {1, 6, 4}};

    (void)state;
    check_near(littles_warps_as_instructions(classes, 2, 30), 368.0 / 30, 1e-12);
    check_near(littles_warps_as_instructions(classes, 2, 15), 368.0 / 15, 1e-12);
    check_near(littles_warps_as_instructions(classes, 2, 60), 368.0 / 30, 1e-12);
    check_near(littles_warps_as_instructions(classes, 0, 60), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_items_in_ten_cycles),
        cmocka_unit_test(items_cut_by_the_interval_are_counted_apart),
        cmocka_unit_test(arithmetic_in_flight),
        cmocka_unit_test(loads_in_flight),
        cmocka_unit_test(warps_are_not_instructions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
