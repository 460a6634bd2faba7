/* The arithmetic of gpu/measure: clocks from stamps, and which samples count. */
#include "check.h"
#include "gpu/measure_judge.h"

static void test_clock(void **state)
{
    struct stamp before[4] = {{1000, 500}, {9000, 500}, {0, 0}, {100, 900}};
    struct stamp after[4] = {{2980, 1500}, {10990, 1500}, {5, 5}, {100, 900}};

    check_near(measure_clock(before, after, 4), 1.985e9,
               1); /* the median of 1.98 and 1.99; the others were not stamped */
    check_near(measure_clock(before + 2, after + 2, 2), 0, 0);
}

static void test_steady_clock_keeps_all(void **state)
{
    double clocks[] = {1.98e9, 1.979e9, 1.985e9, 1.97e9};
    bool kept[4];

    assert_false(measure_keep(kept, clocks, 4));
    assert_true(kept[0] && kept[1] && kept[2] && kept[3]);
}

static void test_ramp_is_dropped(void **state)
{
    double clocks[] = {0.345e9, 1.2e9, 1.98e9, 1.98e9, 1.98e9, 1.979e9, 1.9e9};
    bool kept[7];

    assert_false(measure_keep(kept, clocks, 7));
    assert_false(kept[0] || kept[1] || kept[6]);
    assert_true(kept[2] && kept[3] && kept[4] && kept[5]);
}

/* A clock that never settles: the nearer half stays, and that is said. */
static void test_never_more_than_half(void **state)
{
    double clocks[] = {1.0e9, 1.2e9, 1.4e9, 1.6e9, 1.8e9, 2.0e9};
    double a_third_alike[] = {1.0e9, 1.2e9, 1.5e9, 1.505e9, 1.8e9, 2.0e9};
    double half_alike[] = {1.0e9, 1.5e9, 1.5e9, 1.5e9, 1.9e9, 2.0e9};
    bool kept[6];

    assert_false(measure_keep(kept, half_alike, 6));
    assert_true(measure_keep(kept, clocks, 6));
    assert_true(kept[1] + kept[2] + kept[3] + kept[4] >= 3);
    assert_true(kept[2] && kept[3]);
    assert_false(kept[0] || kept[5]);
    assert_true(measure_keep(kept, a_third_alike, 6));
    assert_true(kept[1] + kept[2] + kept[3] + kept[4] >= 3);
}

/* Two settled clocks may differ by the tolerance of each, 1 %. */
static void test_slowed(void **state)
{
    assert_false(measure_slowed(1.98e9, 1.98e9));
    assert_false(measure_slowed(1.97e9, 2e9));
    assert_false(measure_slowed(1.961e9, 2e9));
    assert_true(measure_slowed(1.959e9, 2e9));
}

static void test_warms(void **state)
{
    assert_true(measure_warms(1e-3, 0, 1.98e9, 2e9)); /* nothing to compare with yet */
    assert_true(measure_warms(1e-3, 1.9e9, 1.98e9, 2e9));
    assert_false(measure_warms(1e-3, 1.98e9, 1.98e9, 2e9));
    assert_false(measure_warms(31e-3, 1.9e9, 1.98e9, 2e9));
    assert_true(measure_warms(31e-3, 1.6e9, 1.6e9, 2e9)); /* power limits: the next step may be on its way */
    assert_true(measure_warms(0.12, 1.6e9, 1.6e9, 2e9));  /* as an H200 does after a tenth of a second */
    assert_false(measure_warms(0.16, 1.6e9, 1.6e9, 2e9));
    assert_true(measure_warms(31e-3, 1.84e9, 1.84e9, 2e9));  /* the first step of products on an H200 */
    assert_false(measure_warms(31e-3, 1.97e9, 1.97e9, 2e9)); /* the lowest of what nothing limits */
    assert_false(measure_warms(1e-3, 0, 0, 2e9));            /* no clock is known */
}

static void test_hopeless(void **state)
{
    const double samples[] = {5e-3, 6e-3}, top[] = {2e9, 2e9}, idle[] = {0.4e9, 0.4e9}, unknown[] = {0, 0};

    assert_true(measure_hopeless(samples, top, 2, 2e9, 4e-3));
    assert_true(measure_hopeless(samples, unknown, 2, 2e9, 4e-3));
    assert_false(measure_hopeless(samples, top, 2, 2e9, 5.5e-3)); /* one sample was good enough */
    assert_false(measure_hopeless(samples, top, 1, 2e9, 4e-3));   /* one decides nothing */
    assert_false(measure_hopeless(samples, top, 2, 2e9, 0));      /* no racing */
    assert_false(measure_hopeless(samples, idle, 2, 2e9, 4e-3));  /* 1 ms at the highest clock */
}

static void test_settled(void **state)
{
    const double samples[] = {1.05, 1.04, 1.045, 1.05, 1.045, 1.04, 1.045},
                 top[] = {2e9, 2e9, 2e9, 2e9, 2e9, 2e9, 2e9};
    const double slow[] = {1e9, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9};
    struct protocol protocol;

    protocol_init(&protocol);
    assert_false(measure_settled(samples, top, 7, 2e9, &protocol)); /* 1 % wide, and it may be the best */
    protocol.interval = 0.01;
    assert_true(measure_settled(samples, top, 7, 2e9, &protocol));
    assert_false(measure_settled(samples, top, 5, 2e9, &protocol));
    protocol.rival_s = 1;
    assert_true(measure_settled(samples, top, 5, 2e9, &protocol)); /* slower than the best by 4 % */
    assert_false(measure_settled(samples, top, 4, 2e9, &protocol));
    assert_false(measure_settled(samples, slow, 5, 2e9, &protocol)); /* the GPU has not woken up */
    protocol.rival_s = 1.03;
    assert_false(measure_settled(samples, top, 5, 2e9, &protocol)); /* by 1 % in one sample */
}

/* A kernel of a second with two modes is not sampled for a minute. */
static void test_most(void **state)
{
    const struct protocol protocol = {.samples_min = 7, .samples_max = 50};

    assert_int_equal(measure_most(&protocol, 0.0005), 50);
    assert_int_equal(measure_most(&protocol, 0.04), 50);
    assert_int_equal(measure_most(&protocol, 0.1), 20);
    assert_int_equal(measure_most(&protocol, 1), 7);
    assert_int_equal(measure_most(&protocol, 0), 50);
}

int main(void)
{
    return RUN_TESTS(test_clock, test_steady_clock_keeps_all, test_ramp_is_dropped, test_never_more_than_half,
                     test_slowed, test_warms, test_hopeless, test_settled, test_most);
}
