#include "check.h"

#include "validation/spread.h"

#include <math.h>

enum { KERNELS = 40, ROWS = 50, COUNT = KERNELS * ROWS };

static struct spread_row rows[COUNT];

/* Kernels whose estimates are off by about 5 %, by three times as much where latency is not hidden. */
static void make_rows(void)
{
    for (size_t i = 0; i < COUNT; i++) {
        const bool waits = i % 2;
        const double turn = fmod((double)i * 0.6180339887, 1) - 0.5;

        rows[i] = (struct spread_row){.kernel = i / ROWS, .residual = turn * (waits ? 0.3 : 0.1)};
        rows[i].features[INTERVAL_ALWAYS] = 1;
        rows[i].features[INTERVAL_LATENCY] = waits;
    }
}

static void finds_what_spreads(void **state)
{
    struct spread spread;
    struct err err = {0};

    make_rows();
    assert_int_equal(spread_fit(&spread, rows, COUNT, SIZE_MAX, &err), 0);
    check_near(spread_of(&spread, rows[1].features) / spread_of(&spread, rows[0].features), 2.6, 0.4);
    check_near(spread.weights[INTERVAL_ATOMIC], 0, 0);
}

static void holds_what_it_promises_of_kernels_left_out(void **state)
{
    struct err err = {0};

    make_rows();
    for (size_t k = 0; k < KERNELS; k += 13) {
        struct spread_held held;
        struct spread spread;

        assert_int_equal(spread_fit(&spread, rows, COUNT, k, &err), 0);
        assert_int_equal(spread_judge(&held, &spread, rows, COUNT, k, &err), 0);
        assert_int_equal(held.rows, ROWS);
        check_near(held.held, SPREAD_HELD, 0.07);
        check_near(held.held + held.below + held.above, 1, 1e-9);
        assert_true(held.width > 1);
    }
}

/* A kernel that is far off has no part in the fit that judges it. */
static void a_kernel_left_out_changes_nothing(void **state)
{
    struct spread without, same;
    struct err err = {0};

    make_rows();
    assert_int_equal(spread_fit(&without, rows, COUNT, 0, &err), 0);
    for (size_t i = 0; i < ROWS; i++)
        rows[i].residual = 3;
    assert_int_equal(spread_fit(&same, rows, COUNT, 0, &err), 0);
    for (int f = 0; f < INTERVAL_FEATURES; f++)
        check_near(same.weights[f], without.weights[f], 1e-12);
    check_near(same.low, without.low, 1e-12);
    check_near(same.high, without.high, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_spreads),
        cmocka_unit_test(holds_what_it_promises_of_kernels_left_out),
        cmocka_unit_test(a_kernel_left_out_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
