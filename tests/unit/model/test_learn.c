#include "check.h"

#include "model/predict/learn.h"

enum { N = 40 };

/* DRAM-bound variants run 1.2 times as long as estimated, FMA-bound ones 0.9 times. */
static void fill(struct learn_point *points)
{
    for (int i = 0; i < N; i++) {
        const bool dram = i % 2;

        points[i] = (struct learn_point){dram ? RESOURCE_DRAM_READ : RESOURCE_FMA, 1e-3 + i * 1e-5, 0};
        points[i].measured_s = points[i].estimate_s * (dram ? 1.2 : 0.9);
    }
}

static void each_limiter_gets_its_factor(void **state)
{
    struct learn_point points[N];
    struct learned learned;

    fill(points);
    assert_int_equal(learn_from(&learned, points, N, NULL), 0);
    check_near(learned_estimate(&learned, RESOURCE_DRAM_READ, 1), 1.2, 0.06);
    check_near(learned_estimate(&learned, RESOURCE_FMA, 1), 0.9, 0.06);
    check_near(learned_estimate(&learned, RESOURCE_L2, 1), 1.04, 0.02); /* never seen: the median of all */
}

static void outliers_do_not_move_it(void **state)
{
    struct learn_point points[N];
    struct learned learned, spoilt;

    fill(points);
    assert_int_equal(learn_from(&learned, points, N, NULL), 0);
    for (int i = 1; i < 8; i += 2)
        points[i].measured_s *= 50;
    assert_int_equal(learn_from(&spoilt, points, N, NULL), 0);
    check_near(spoilt.scale[RESOURCE_DRAM_READ], learned.scale[RESOURCE_DRAM_READ], 1e-9);
}

static void little_is_not_learned_from(void **state)
{
    struct learn_point points[N];
    struct learned learned;
    struct err err = {0};

    fill(points);
    assert_int_equal(learn_from(&learned, points, LEARN_LEAST - 1, NULL), 0);
    check_near(learned_estimate(&learned, RESOURCE_DRAM_READ, 3), 3, 0);
    points[2].measured_s = 0;
    assert_int_equal(learn_from(&learned, points, N, &err), ERR_USAGE);
    assert_string_equal(err.text, "variant 2: estimate 0.00102 s, measured 0 s: positive times are meant");
    check_near(learned_estimate(&learned, RESOURCE_DRAM_READ, 3), 3, 0);
}

int main(void)
{
    return RUN_TESTS(each_limiter_gets_its_factor, outliers_do_not_move_it, little_is_not_learned_from);
}
