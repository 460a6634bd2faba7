#include "check.h"

#include "model/predict/interval.h"

static struct prediction typical(void)
{
    return (struct prediction){.estimate_s = 1e-3,
                               .bound_s = 0.5e-3,
                               .confidence = 0.7,
                               .limiter = RESOURCE_ISSUE,
                               .latency_hidden = true};
}

static struct prediction found(struct prediction p)
{
    interval_find(&p, p.estimate_s, p.estimate_s);
    return p;
}

static double width(const struct prediction *p)
{
    return p->interval_high_s / p->interval_low_s;
}

static void holds_the_estimate(void **state)
{
    const struct prediction p = found(typical());

    assert_true(p.interval_low_s < p.estimate_s && p.interval_high_s > p.estimate_s);
    assert_true(width(&p) < 1.5);
}

static void is_wider_where_more_is_doubtful(void **state)
{
    struct prediction waits = typical(), far = typical(), atomics = typical();
    const struct prediction sure = found(typical());

    waits.latency_hidden = false;
    far.limiter = RESOURCE_DRAM_READ;
    atomics.limiter = RESOURCE_ATOMIC_GLOBAL;
    waits = found(waits);
    far = found(far);
    atomics = found(atomics);
    assert_true(width(&waits) > width(&sure));
    assert_true(width(&far) > width(&sure));
    assert_true(width(&atomics) > width(&sure));
}

static void never_begins_below_the_bound(void **state)
{
    struct prediction p = typical();

    p.bound_s = 0.9999e-3;
    p = found(p);
    check_near(p.interval_low_s, p.bound_s, 1e-12);
}

/* Warps in step or apart in tables of constant memory. */
static void reaches_over_both_ways(void **state)
{
    struct prediction p = typical();

    interval_find(&p, 0.6e-3, 8e-3);
    check_near(p.interval_low_s, 0.6e-3, 1e-9);
    check_near(p.interval_high_s, 8e-3, 1e-9);
}

static void a_gpu_that_was_not_measured_is_not_known(void **state)
{
    struct prediction p = typical();
    const struct prediction measured = found(typical());

    p.bound_s = 0.1e-3;
    p.assumptions = PREDICT_ASSUMED_PUBLISHED;
    p = found(p);
    assert_true(p.interval_low_s < measured.interval_low_s / 2);
    assert_true(p.interval_high_s > measured.interval_high_s * 2);
}

static void blocks_that_wait_may_take_longer(void **state)
{
    struct prediction p = typical();
    const struct prediction alone = found(typical());

    p.assumptions = PREDICT_ASSUMED_POLLING;
    p = found(p);
    check_near(p.interval_low_s, alone.interval_low_s, 1e-12);
    assert_true(p.interval_high_s > alone.interval_high_s * 2);
}

static void nothing_is_said_without_confidence(void **state)
{
    struct prediction p = typical();

    p.confidence = 0;
    p = found(p);
    check_near(p.interval_low_s, 0, 0);
    check_near(p.interval_high_s, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_the_estimate),
        cmocka_unit_test(is_wider_where_more_is_doubtful),
        cmocka_unit_test(never_begins_below_the_bound),
        cmocka_unit_test(reaches_over_both_ways),
        cmocka_unit_test(a_gpu_that_was_not_measured_is_not_known),
        cmocka_unit_test(blocks_that_wait_may_take_longer),
        cmocka_unit_test(nothing_is_said_without_confidence),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
