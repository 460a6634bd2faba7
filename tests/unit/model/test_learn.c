#include "check.h"

#include "model/learn.h"

enum { N = 40 };

/* DRAM-bound variants run 1.2 times as long as estimated, FMA-bound ones 0.9 times. */
static void fill(struct learn_point *points)
{
    int i;

    for (i = 0; i < N; i++) {
        const bool dram = i % 2;

        points[i] = (struct learn_point){dram ? RESOURCE_DRAM_READ : RESOURCE_FMA, 1e-3 + i * 1e-5, 0};
        points[i].measured_s = points[i].estimate_s * (dram ? 1.2 : 0.9);
    }
}

static void each_limiter_gets_its_factor(void **state)
{
    struct learn_point points[N];
    struct learned learned;

    (void)state;
    fill(points);
    assert_int_equal(learn_from(&learned, points, N, NULL), 0);
    check_near(learned_estimate(&learned, RESOURCE_DRAM_READ, 1), 1.2, 0.06);
    check_near(learned_estimate(&learned, RESOURCE_FMA, 1), 0.9, 0.06);
    check_near(learned_estimate(&learned, RESOURCE_L2, 1), 1.04, 0.02); /* never seen: the median of all */
    assert_true(learned.fastest > 0.9 && learned.fastest <= 1);
}

static void outliers_do_not_move_it(void **state)
{
    struct learn_point points[N];
    struct learned learned, spoilt;
    int i;

    (void)state;
    fill(points);
    assert_int_equal(learn_from(&learned, points, N, NULL), 0);
    for (i = 1; i < 8; i += 2)
        points[i].measured_s *= 50;
    assert_int_equal(learn_from(&spoilt, points, N, NULL), 0);
    check_near(spoilt.scale[RESOURCE_DRAM_READ], learned.scale[RESOURCE_DRAM_READ], 1e-9);
}

/* What runs faster than estimated lowers what a variant is believed capable of. */
static void the_margin_follows_the_residuals(void **state)
{
    struct learn_point points[N];
    struct learned learned;
    int i;

    (void)state;
    fill(points);
    for (i = 1; i < 12; i += 2)
        points[i].measured_s /= 2;
    assert_int_equal(learn_from(&learned, points, N, NULL), 0);
    assert_true(learned.fastest < 0.55);
    check_near(learned_fastest(&learned, RESOURCE_FMA, 2e-3),
               learned_estimate(&learned, RESOURCE_FMA, 2e-3) * learned.fastest, 1e-15);
}

static void little_is_not_learned_from(void **state)
{
    struct learn_point points[N];
    struct learned learned;
    struct err err = {0};

    (void)state;
    fill(points);
    assert_int_equal(learn_from(&learned, points, LEARN_LEAST - 1, NULL), 0);
    check_near(learned_estimate(&learned, RESOURCE_DRAM_READ, 3), 3, 0);
    check_near(learned_fastest(&learned, RESOURCE_DRAM_READ, 3), 0, 0);
    points[2].measured_s = 0;
    assert_int_equal(learn_from(&learned, points, N, &err), ERR_USAGE);
    assert_string_equal(err.text, "variant 2: estimate 0.00102 s, measured 0 s: positive times are meant");
    check_near(learned_estimate(&learned, RESOURCE_DRAM_READ, 3), 3, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_limiter_gets_its_factor),
        cmocka_unit_test(outliers_do_not_move_it),
        cmocka_unit_test(the_margin_follows_the_residuals),
        cmocka_unit_test(little_is_not_learned_from),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
