#include "check.h"

#include "validation/judge.h"

static void a_perfect_prediction(void **state)
{
    const double times[] = {1, 2, 3, 4};
    struct judgement j;

    assert_int_equal(judge_times(&j, times, times, 4, NULL), 0);
    check_near(j.mean_error, 0, 0);
    check_near(j.pairs_right, 1, 0);
    check_near(j.spearman, 1, 1e-12);
    assert_int_equal(j.first_good, 1);
    check_near(j.found_percent[0], 0, 0);
}

static void a_wrong_order(void **state)
{
    const double predicted[] = {1, 2, 4, 3}, measured[] = {2, 1, 4, 4.1};
    struct judgement j;

    assert_int_equal(judge_times(&j, predicted, measured, 4, NULL), 0);
    check_near(j.pairs_right, 4.0 / 5, 1e-12); /* the last two differ by less than 5 % */
    assert_int_equal(j.first_good, 2);
    check_near(j.found_percent[0], 1, 1e-12);
    check_near(j.found_percent[2], 1, 1e-12);
    check_near(j.mean_error, (0.5 + 1 + 0 + 1.1 / 4.1) / 4, 1e-12);
}

static void ties_count_one_half_and_help_nobody(void **state)
{
    const double predicted[] = {1, 1, 1}, measured[] = {1, 2, 3};
    struct judgement j;

    assert_int_equal(judge_times(&j, predicted, measured, 3, NULL), 0);
    check_near(j.pairs_right, 0.5, 1e-12);
    assert_int_equal(j.first_good, 3);
}

static void what_is_not_predicted_is_left_out(void **state)
{
    const double predicted[] = {NAN, 2}, measured[] = {1, 2}, none[] = {NAN, NAN};
    struct err err = {0};
    struct judgement j;

    assert_int_equal(judge_times(&j, predicted, measured, 2, NULL), 0);
    assert_int_equal(j.count, 1);
    assert_int_equal(judge_times(&j, none, measured, 2, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "no variant"));
}

static void bounds(void **state)
{
    const double bound[] = {0.5, 1.5, 2.2, 9}, measured[] = {1, 2, 2, 10};
    struct bound_judgement j;

    judge_bounds(&j, bound, measured, 4);
    assert_int_equal(j.violated, 1);
    check_near(j.worst, 1.1, 1e-12);
    check_near(j.tightness, 0.75, 1e-12);
    check_near(j.cut, 0.75, 1e-12);
}

static void confidence(void **state)
{
    const double sure[] = {0.5, 0.1, 0.9, 0.6}, predicted[] = {1.1, 2, 0.8, 1.3}, measured[] = {1, 1, 1, 1};
    struct confidence_judgement j;

    assert_int_equal(judge_confidence(&j, sure, predicted, measured, 4, NULL), 0);
    check_near(j.quarter[0], 1, 1e-12);
    check_near(j.quarter[1], 0.1, 1e-12);
    check_near(j.quarter[2], 0.3, 1e-12);
    check_near(j.quarter[3], 0.2, 1e-12);
}

int main(void)
{
    return RUN_TESTS(a_perfect_prediction, a_wrong_order, ties_count_one_half_and_help_nobody,
                     what_is_not_predicted_is_left_out, bounds, confidence);
}
