#include "check.h"

#include "tuner/remote/pace.h"

static struct gpu_pace of(double arithmetic, double memory)
{
    return (struct gpu_pace){1e-3 * arithmetic, 2e-3 * memory};
}

/* By what differs most, and by more than 3 %. */
static void off_by_either(void **state)
{
    const struct gpu_pace usual = of(1, 1), none = {0}, near = of(1.029, 0.971), slow = of(1.031, 1),
                          fast = of(1.01, 0.96);

    assert_false(pace_is_off(&near, &usual));
    assert_true(pace_is_off(&slow, &usual));
    assert_true(pace_is_off(&fast, &usual));
    check_near(pace_difference(&slow, &usual), 0.031, 1e-9);
    check_near(pace_difference(&fast, &usual), -0.04, 1e-9);
    assert_false(pace_is_off(&none, &usual)); /* nothing is known of it */
    assert_false(pace_is_off(&usual, &none));
}

/* The larger group is usual; of two alike the faster. */
static void usual_is_what_most_agree_with(void **state)
{
    const struct gpu_pace paces[] = {of(1.10, 1), of(1, 1),   of(1.001, 1),
                                     of(1.2, 1),  of(1.1, 1), of(1.102, 1)};

    check_near(pace_usual(paces, 6).arithmetic_s, 1.1e-3, 3e-6);
    check_near(pace_usual(paces, 2).arithmetic_s, 1e-3, 1e-9);
    check_near(pace_usual(paces, 1).arithmetic_s, 1.1e-3, 1e-9);
    check_near(pace_usual(paces, 0).arithmetic_s, 0, 0);
}

int main(void)
{
    return RUN_TESTS(off_by_either, usual_is_what_most_agree_with);
}
