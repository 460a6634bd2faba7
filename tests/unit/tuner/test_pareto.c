#include "check.h"

#include "tuner/predict/pareto.h"

static void metrics_as_stated(void **state)
{
    struct pareto_metrics m = pareto_metrics_of(200, 65536, 10, 8, 3);

    check_near(m.efficiency * 200 * 65536, 1, 1e-12);
    check_near(m.utilization, 20 * (3.5 + 16), 1e-12);
    m = pareto_metrics_of(200, 65536, 0, 1, 1); /* nothing to wait for, nobody else to run */
    check_near(m.utilization, 0, 0);
}

static void the_front_keeps_what_nothing_beats(void **state)
{
    const struct pareto_metrics m[] = {{1, 5}, {2, 4}, {2, 3}, {3, 1}, {1, 5}, {0.5, 5}, {3, 0.5}};
    const bool wanted[] = {true, true, false, true, true, false, false};
    bool keep[7];

    pareto_front(keep, m, 7);
    for (int i = 0; i < 7; i++)
        assert_int_equal(keep[i], wanted[i]);
}

int main(void)
{
    return RUN_TESTS(metrics_as_stated, the_front_keeps_what_nothing_beats);
}
