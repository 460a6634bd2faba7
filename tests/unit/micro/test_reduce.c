#include "check.h"

#include "micro/reduce.h"

static void samples_become_medians(void **state)
{
    int64_t samples[64];
    double out[2];

    for (int i = 0; i < 64; i++)
        samples[i] = i < 32 ? 640 : 1280;
    samples[5] = 1000000; /* an interrupted one */
    reduce_samples(out, samples, 2, 64);
    check_near(out[0], 10, 0);
    check_near(out[1], 20, 0);
}

static void spans_group_by_sm(void **state)
{
    /* SM 3: two blocks at once and one after them; SM 1: one block of two warps, the second late at its
     * barrier. */
    const struct span spans[] = {
        {90, 100, 200, 3},
        {95, 100, 210, 3 | UINT64_C(1) << 32},
        {215, 220, 300, 3 | UINT64_C(2) << 32},
        {40, 50, 90, 1 | UINT64_C(3) << 32},
        {40, 55, 95, 1 | UINT64_C(3) << 32},
    };
    struct sm_time times[4];

    assert_int_equal(reduce_spans(times, 4, spans, 5), 2);
    assert_int_equal(times[0].sm, 1);
    assert_int_equal(times[0].warps, 2);
    assert_int_equal(times[0].blocks, 1);
    assert_int_equal(times[0].most, 1);
    check_near(times[0].cycles, 40, 0);
    check_near(times[0].lifetime, 55, 0);
    assert_int_equal(times[1].sm, 3);
    assert_int_equal(times[1].blocks, 3);
    assert_int_equal(times[1].most, 2);
    assert_true(isnan(times[1].cycles));
    check_near(times[1].lifetime, 210, 0);
    assert_int_equal(reduce_spans(times, 1, spans, 5), 1);
    assert_int_equal(reduce_spans(times, 4, spans, 0), 0);
}

static void runs_become_a_value(void **state)
{
    const double runs[] = {4, 5, 6, 7, 8}, bad[] = {1, NAN};
    struct device_value value;
    struct err err = {0};

    assert_int_equal(reduce_runs(&value, runs, 5, true, "x", &err), 0);
    check_near(value.sustained, 6, 0);
    check_near(value.best, 8, 0);
    check_near(value.spread, 2, 0);
    assert_int_equal(reduce_runs(&value, runs, 5, false, "x", &err), 0);
    check_near(value.best, 4, 0);
    assert_int_equal(reduce_runs(&value, runs, 0, false, "x", &err), ERR_FORMAT);
    err_clear(&err);
    assert_int_equal(reduce_runs(&value, bad, 2, false, "x", &err), ERR_FORMAT);
    assert_string_equal(err.text, "run 1 gave nan");
}

static void capacity_is_the_largest_footprint_that_hits(void **state)
{
    const double bytes[] = {1, 2, 4, 8, 16}, cycles[] = {34, 34.2, 34.1, 120, 280};

    check_near(reduce_fits(bytes, cycles, 5, 34), 4, 0);
    check_near(reduce_fits(bytes, cycles, 5, 280), 16, 0);
    check_near(reduce_fits(bytes, cycles, 5, 10), 0, 0);
}

int main(void)
{
    return RUN_TESTS(samples_become_medians, spans_group_by_sm, runs_become_a_value,
                     capacity_is_the_largest_footprint_that_hits);
}
