#include "check.h"

#include "validation/spread.h"

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
    double below = 0, above = 0;

    make_rows();
    for (size_t k = 0; k < KERNELS; k += 13) {
        struct spread_held held;
        struct spread spread;

        assert_int_equal(spread_fit(&spread, rows, COUNT, k, &err), 0);
        assert_int_equal(spread_judge(&held, &spread, rows, COUNT, k, (struct spread_trials){0}, &err), 0);
        assert_int_equal(held.rows, ROWS);
        check_near(held.held, SPREAD_HELD, 0.07);
        check_near(held.held + held.below + held.above, 1, 1e-9);
        assert_true(held.width > 1);
        below += held.below;
        above += held.above;
    }
    check_near(below / (below + above), SPREAD_FASTER, 0.12);
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

/* What has a reason of its own to reach higher is held by that, and says nothing of the others. */
static void a_reach_of_its_own_is_no_part_of_the_fit(void **state)
{
    struct spread without, with;
    struct spread_held held;
    struct err err = {0};

    make_rows();
    assert_int_equal(spread_fit(&without, rows, COUNT, 0, &err), 0);
    for (size_t i = 0; i < ROWS; i++) {
        rows[i].residual = 0.9;
        rows[i].reach = 1;
    }
    assert_int_equal(spread_fit(&with, rows, COUNT, SIZE_MAX, &err), 0);
    check_near(with.low, without.low, 1e-12);
    check_near(with.high, without.high, 1e-12);
    assert_int_equal(spread_judge(&held, &with, rows, COUNT, 0, (struct spread_trials){0}, &err), 0);
    check_near(held.held, 1, 1e-9);
    memset(rows, 0, sizeof rows);
}

/* A kernel that is a tenth slower than estimated: its trials show it. */
static void trials_show_what_a_kernel_misses_by(void **state)
{
    struct spread spread;
    struct spread_held before, after;
    struct err err = {0};

    make_rows();
    for (size_t i = 0; i < ROWS; i++)
        rows[i].residual += 0.1;
    assert_int_equal(spread_fit(&spread, rows, COUNT, 0, &err), 0);
    assert_int_equal(spread_judge(&before, &spread, rows, COUNT, 0, (struct spread_trials){0}, &err), 0);
    assert_int_equal(spread_judge(&after, &spread, rows, COUNT, 0, (struct spread_trials){4, false}, &err),
                     0);
    assert_int_equal(after.rows, ROWS - 4);
    assert_true(before.held < 0.4 && after.held > before.held + 0.15);
    assert_int_equal(
        spread_judge(&after, &spread, rows, COUNT, 0, (struct spread_trials){ROWS - 7, true}, &err), 0);
    assert_int_equal(after.rows, 0);
}

/* One kernel of ten has nine rows of ten, and errs a tenth: the ends go by both. */
static void large_spaces_do_not_decide_alone(void **state)
{
    struct spread spread;
    struct err err = {0};
    size_t n = 0, large = 0, small = 0;

    memset(rows, 0, sizeof rows);
    for (size_t i = 0; i < COUNT; i++) {
        const bool is_large = i % 10 != 0;

        rows[i].kernel = is_large ? 0 : 1 + i / 10 % 9;
        rows[i].residual = (fmod((double)i * 0.6180339887, 1) - 0.5) * (is_large ? 0.02 : 0.2);
        rows[i].features[INTERVAL_ALWAYS] = 1;
    }
    assert_int_equal(spread_fit(&spread, rows, COUNT, SIZE_MAX, &err), 0);
    for (size_t i = 0; i < COUNT; i++) {
        const double size = spread_of(&spread, rows[i].features);
        const bool held = rows[i].residual >= spread.low * size && rows[i].residual <= spread.high * size;

        n += rows[i].kernel != 0;
        large += held && rows[i].kernel == 0;
        small += held && rows[i].kernel != 0;
    }
    assert_true(large > (COUNT - n) * 9 / 10);
    assert_true(small > n / 2 && small < n * 3 / 4);
    memset(rows, 0, sizeof rows);
}

/* The table that stands in the tree, of kernels left out of the fit: means over kernels and over measurements. It was made
 * with the weights that stand there. */
static void the_table_holds_what_it_promises(void **state)
{
    FILE *table = fopen("benchmarks/validation/intervals.md", "r");
    double kernels = 0, measurements = 0, held;
    unsigned long variants, fitted, fitted_kernels, all = 0, count = 0;
    char line[512], name[64];

    assert_non_null(table);
    while (fgets(line, sizeof line, table)) {
        if (sscanf(line, "| %63[a-z0-9_] | %lu | %lf %% |", name, &variants, &held) != 3 ||
            !strcmp(name, "mean"))
            continue;
        count++;
        all += variants;
        kernels += held;
        measurements += held * (double)variants;
    }
    fclose(table);
    assert_true(count > 60);
    table = fopen("model/predict/interval.def", "r");
    assert_non_null(table);
    assert_int_equal(
        fscanf(table,
               "/* Written by validation_intervals (benchmarks/validation), from %lu variants of "
               "%lu kernels.",
               &fitted, &fitted_kernels),
        2);
    fclose(table);
    assert_int_equal(fitted, all);
    assert_int_equal(fitted_kernels, count);
    check_near(kernels / (double)count, 80, 5);
    check_near(measurements / (double)all, 80, 5);
}

int main(void)
{
    return RUN_TESTS(finds_what_spreads, holds_what_it_promises_of_kernels_left_out,
                     a_kernel_left_out_changes_nothing, a_reach_of_its_own_is_no_part_of_the_fit,
                     trials_show_what_a_kernel_misses_by, large_spaces_do_not_decide_alone,
                     the_table_holds_what_it_promises);
}
