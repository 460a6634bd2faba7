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
    struct prediction waits = typical(), far = typical(), tables = typical();
    const struct prediction sure = found(typical());

    waits.latency_hidden = false;
    far.limiter = RESOURCE_DRAM_READ;
    tables.limiter = RESOURCE_CONSTANT;
    waits = found(waits);
    far = found(far);
    tables = found(tables);
    assert_true(width(&waits) > width(&sure));
    assert_true(width(&far) > width(&sure));
    assert_true(width(&tables) > width(&sure));
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

/* But not where a counter is known to deal out work. */
static void answers_of_one_block_may_take_longer(void **state)
{
    struct prediction p = typical();
    const struct prediction alone = found(typical());

    p.assumptions = PREDICT_ASSUMED_ATOMIC;
    assert_true(found(p).interval_high_s > alone.interval_high_s * 2);
    p.assumptions |= PREDICT_ASSUMED_TICKETS;
    check_near(found(p).interval_high_s, alone.interval_high_s, 1e-12);
}

static void nothing_is_said_without_confidence(void **state)
{
    struct prediction p = typical();

    p.confidence = 0;
    p = found(p);
    check_near(p.interval_low_s, 0, 0);
    check_near(p.interval_high_s, 0, 0);
}

static const struct interval_ends before = {-0.08, 0.2};

static struct interval_ends after(const double *missed, size_t count)
{
    struct interval_trials trials = {0};

    for (size_t i = 0; i < count; i++)
        interval_add_trial(&trials, 1e-3, 1e-3 * exp(missed[i]));
    return interval_after(before, &trials);
}

static void stays_without_trials(void **state)
{
    const struct interval_ends same = after(NULL, 0);

    check_near(same.low, before.low, 0);
    check_near(same.high, before.high, 0);
}

/* Nearly the interval itself where the trials are as expected: the formula has no step at the first one. */
static void moves_to_the_trials_and_narrows(void **state)
{
    static const double slow[] = {0.3, 0.31, 0.29, 0.3}, usual[] = {0.06, 0.05, 0.07};
    const struct interval_ends moved = after(slow, 4), narrowed = after(usual, 3);

    assert_true(moved.low > before.low + 0.05 && moved.high > before.high + 0.05);
    assert_true(narrowed.high - narrowed.low < 0.9 * (before.high - before.low));
    assert_true(narrowed.high - narrowed.low > 0.5 * (before.high - before.low));
    check_near((narrowed.low + narrowed.high) / 2, 0.06, 0.001);
}

static void widens_where_trials_scatter(void **state)
{
    static const double apart[] = {-0.5, 0.6, 0.1, 0.3};
    const struct interval_ends wide = after(apart, 4);

    assert_true(wide.high - wide.low > 1.5 * (before.high - before.low));
}

int main(void)
{
    return RUN_TESTS(holds_the_estimate, is_wider_where_more_is_doubtful, never_begins_below_the_bound,
                     reaches_over_both_ways, a_gpu_that_was_not_measured_is_not_known,
                     blocks_that_wait_may_take_longer, answers_of_one_block_may_take_longer,
                     nothing_is_said_without_confidence, stays_without_trials,
                     moves_to_the_trials_and_narrows, widens_where_trials_scatter);
}
