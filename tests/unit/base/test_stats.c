#include "check.h"

#include "base/hash.h"
#include "base/stats.h"

static void median_and_quantiles(void **state)
{
    const double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2};

    check_near(stats_median(odd, 3), 2, 0);
    check_near(stats_median(even, 4), 2.5, 0);
    check_near(stats_quantile(even, 4, 0), 1, 0);
    check_near(stats_quantile(even, 4, 1), 4, 0);
    check_near(stats_iqr(even, 4), 1.5, 1e-12);
    assert_true(isnan(stats_median(odd, 0)));
}

static void median_interval_covers_the_binomial_ranks(void **state)
{
    double values[25];

    for (int i = 0; i < 25; i++)
        values[i] = i + 1;
    /* Tables of the sign test: for n = 25 the 95 % interval runs from the 8th to the 18th value. */
    check_near(stats_median_interval(values, 25).low, 8, 0);
    check_near(stats_median_interval(values, 25).high, 18, 0);
    /* Where 90 % would take the next pair: 2nd to 7th, 3rd to 9th. */
    check_near(stats_median_interval(values, 8).low, 1, 0);
    check_near(stats_median_interval(values, 8).high, 8, 0);
    check_near(stats_median_interval(values, 11).low, 2, 0);
    check_near(stats_median_interval(values, 11).high, 10, 0);
    check_near(stats_median_interval(values, 4).low, 1, 0);
    check_near(stats_median_interval(values, 4).high, 4, 0);
}

static void clopper_pearson(void **state)
{
    check_near(stats_clopper_pearson_upper(0, 40, 0.95), 0.0722, 5e-5);
    check_near(stats_clopper_pearson_upper(0, 40, 0.975), 0.0881, 5e-5);
    check_near(stats_clopper_pearson_upper(2, 20, 0.975), 0.3170, 5e-5);
    check_near(stats_clopper_pearson_upper(0, 0, 0.95), 1, 0);
    check_near(stats_clopper_pearson_upper(5, 5, 0.95), 1, 0);
}

static void spearman_with_ties(void **state)
{
    const double x[] = {1, 2, 3, 4}, y[] = {10, 20, 30, 40}, z[] = {4, 3, 2, 1}, ties[] = {1, 1, 2, 2};

    check_near(stats_spearman(x, y, 4), 1, 1e-12);
    check_near(stats_spearman(x, z, 4), -1, 1e-12);
    check_near(stats_spearman(x, ties, 4), 0.894427, 1e-6);
}

static void random_words_are_a_function_of_seed_and_index(void **state)
{
    assert_true(hash_random(1, 5) == hash_random(1, 5));
    assert_true(hash_random(1, 5) != hash_random(1, 6));
    assert_true(hash_random(1, 5) != hash_random(2, 5));
    assert_true(hash_text(HASH_START, "ab") != hash_text(HASH_START, "a"));
}

int main(void)
{
    return RUN_TESTS(median_and_quantiles, median_interval_covers_the_binomial_ranks, clopper_pearson,
                     spearman_with_ties, random_words_are_a_function_of_seed_and_index);
}
