#include "check.h"

#include "tuner/strategy/surrogate.h"

#include "base/hash.h"

enum { PARAMETERS = 3 };

static const struct surrogate_parameter parameters[PARAMETERS] = {{4, true}, {3, false}, {5, true}};
static const struct surrogate_prior prior = {.deviation = 0.5};

/* All 60 configurations; the third parameter does not matter. */
static void configuration(unsigned *choices, unsigned index)
{
    choices[0] = index % 4;
    choices[1] = index / 4 % 3;
    choices[2] = index / 12;
}

static double truth(const unsigned *choices)
{
    static const double second[] = {0.3, 0, 0.8};

    return 2 + 0.2 * choices[0] + second[choices[1]];
}

/* Learns from every configuration whose random number is below `share` of 1000. */
static struct surrogate *learn(unsigned choices[60][PARAMETERS], uint64_t share)
{
    struct surrogate_point points[60];
    struct surrogate *surrogate;
    size_t n = 0;

    for (unsigned i = 0; i < 60; i++) {
        configuration(choices[i], i);
        if (hash_random(7, i) % 1000 < share)
            points[n++] = (struct surrogate_point){.choices = choices[i], .value = truth(choices[i])};
    }
    assert_int_equal(surrogate_new(&surrogate, parameters, PARAMETERS, points, n, prior, NULL, true, NULL),
                     0);
    return surrogate;
}

static void learns_a_function(void **state)
{
    unsigned choices[60][PARAMETERS], i;
    struct surrogate *surrogate = learn(choices, 400);
    double deviation;

    for (i = 0; i < 60; i++) {
        const double value = surrogate_value(&deviation, surrogate, choices[i], 0);

        check_near(value, truth(choices[i]), 0.1);
        assert_true(deviation > 0 && deviation < 0.5);
        check_near(surrogate_value(NULL, surrogate, choices[i], 0), value, 0);
    }
    surrogate_free(surrogate);
}

/* Less sure away from what it knows. */
static void knows_what_it_does_not_know(void **state)
{
    const unsigned here[] = {0, 0, 0}, near[] = {1, 0, 0}, far[] = {3, 2, 0};
    const struct surrogate_point points[] = {{.choices = here, .value = 1}, {.choices = near, .value = 1.1}};
    struct surrogate *surrogate;
    double at_here, at_far, between;

    assert_int_equal(surrogate_new(&surrogate, parameters, PARAMETERS, points, 2, prior, NULL, true, NULL),
                     0);
    check_near(surrogate_value(&at_here, surrogate, here, 0), 1, 0.05);
    between = surrogate_value(&at_far, surrogate, far, 0);
    assert_true(between > 0.9 && between < 1.3);
    assert_true(at_far > 2 * at_here);
    surrogate_free(surrogate);
}

static void learns_from_one_point(void **state)
{
    const unsigned choices[] = {0, 0, 0}, other[] = {3, 1, 4};
    const struct surrogate_point point = {.choices = choices, .value = -3};
    struct surrogate *surrogate;
    double deviation;

    assert_int_equal(surrogate_new(&surrogate, parameters, PARAMETERS, &point, 1, prior, NULL, true, NULL),
                     0);
    check_near(surrogate_value(&deviation, surrogate, other, 0), -3, 1e-9);
    assert_true(deviation > 0.1);
    surrogate_free(surrogate);
}

/* What depends on a known quantity and on nothing else is found to do so. */
static void learns_a_slope(void **state)
{
    unsigned choices[60][PARAMETERS], i;
    struct surrogate_point points[30];
    struct surrogate *surrogate;
    const struct surrogate_prior steep = {.deviation = 0.3, .slope_deviation = 1};

    for (i = 0; i < 60; i++) {
        const double slope = (double)(hash_random(3, i) % 1000) / 500 - 1;

        configuration(choices[i], i);
        if (i < 30)
            points[i] = (struct surrogate_point){choices[i], slope, 1 - 0.8 * slope, 0};
    }
    assert_int_equal(surrogate_new(&surrogate, parameters, PARAMETERS, points, 30, steep, NULL, true, NULL),
                     0);
    for (i = 0; i < 60; i++)
        check_near(surrogate_value(NULL, surrogate, choices[i], 0.5), 0.6, 0.1);
    surrogate_free(surrogate);
}

/* The same point twice with different values is noise, not a contradiction. */
static void bears_repeated_points(void **state)
{
    const unsigned choices[] = {1, 1, 1};
    struct surrogate_point points[20];
    struct surrogate *surrogate;

    for (size_t i = 0; i < 20; i++)
        points[i] = (struct surrogate_point){.choices = choices, .value = i % 2 ? 1 : 2};
    assert_int_equal(surrogate_new(&surrogate, parameters, PARAMETERS, points, 20, prior, NULL, true, NULL),
                     0);
    check_near(surrogate_value(NULL, surrogate, choices, 0), 1.5, 0.2);
    surrogate_free(surrogate);
}

/* A point in doubt moves less what is expected beside it. */
static void holds_back_where_a_point_is_in_doubt(void **state)
{
    const unsigned here[] = {0, 0, 0}, beside[] = {1, 0, 0}, far[] = {3, 2, 4}, farther[] = {3, 1, 4};
    struct surrogate_point points[] = {
        {.choices = far, .value = 1}, {.choices = farther, .value = 1}, {.choices = here, .value = 2}};
    double believed, doubted;
    struct surrogate *surrogate;

    assert_int_equal(surrogate_new(&surrogate, parameters, PARAMETERS, points, 3, prior, NULL, true, NULL),
                     0);
    believed = surrogate_value(NULL, surrogate, beside, 0);
    surrogate_free(surrogate);
    points[2].doubt = 4;
    assert_int_equal(surrogate_new(&surrogate, parameters, PARAMETERS, points, 3, prior, NULL, true, NULL),
                     0);
    doubted = surrogate_value(NULL, surrogate, beside, 0);
    surrogate_free(surrogate);
    assert_true(believed > 1.4 && doubted > 1 && doubted < 1.3);
}

/* What was worked out for one configuration serves the next: that must not be seen in the answers. */
static void answers_alike_in_any_order(void **state)
{
    unsigned choices[60][PARAMETERS];
    struct surrogate *asked = learn(choices, 500);

    for (unsigned i = 0; i < 120; i++) {
        const unsigned k = (unsigned)(hash_random(5, i) % 60);
        struct surrogate *fresh = learn(choices, 500);
        double value, deviation, wanted, wanted_deviation;

        value = surrogate_value(&deviation, asked, choices[k], 0);
        wanted = surrogate_value(&wanted_deviation, fresh, choices[k], 0);
        assert_true(value == wanted && deviation == wanted_deviation);
        surrogate_free(fresh);
    }
    surrogate_free(asked);
}

enum { LEARNT = 40, ADDED = 5 };

static int by_value(const void *a, const void *b)
{
    const double x = ((const struct surrogate_point *)a)->value,
                 y = ((const struct surrogate_point *)b)->value;

    return (x > y) - (x < y);
}

/* LEARNT + ADDED points; the last are the slowest and the fastest in turns, so that the median is the same without. */
static void points_around(struct surrogate_point points[LEARNT + ADDED + 1], unsigned choices[60][PARAMETERS])
{
    struct surrogate_point all[60];

    for (unsigned i = 0; i < 60; i++) {
        configuration(choices[i], i);
        all[i] = (struct surrogate_point){.choices = choices[i],
                                          .slope = (double)(hash_random(3, i) % 1000) / 500 - 1,
                                          .doubt = 0.1 * (i % 3)};
        all[i].value = truth(choices[i]) - 0.3 * all[i].slope;
    }
    qsort(all, LEARNT + ADDED + 1, sizeof *all, by_value);
    memcpy(points, all + (ADDED + 1) / 2, LEARNT * sizeof *points);
    for (unsigned i = 0; i <= ADDED; i++)
        points[LEARNT + i] = i % 2 ? all[LEARNT + ADDED - i / 2] : all[i / 2];
}

/* Points added one after the other, or together, say what they would have said if it had been learned from all of them
 * with the same rates; one who follows a configuration hears the same as one who asks for it afresh. Only the scale of
 * the slope is of the points at the beginning. */
static void adds_what_learning_anew_would_learn(void **state)
{
    const struct surrogate_prior flat = {.deviation = 0.3};
    unsigned choices[60][PARAMETERS], i;
    struct surrogate_point points[LEARNT + ADDED + 1];
    struct surrogate_view views[60] = {{0}};
    struct surrogate *first, *anew, *single, *together;
    double value, deviation, wanted, wanted_deviation;

    points_around(points, choices);
    assert_int_equal(surrogate_new(&first, parameters, PARAMETERS, points, LEARNT, flat, NULL, true, NULL),
                     0);
    assert_int_equal(surrogate_new(&single, parameters, PARAMETERS, points, LEARNT, flat, first, false, NULL),
                     0);
    assert_int_equal(
        surrogate_new(&together, parameters, PARAMETERS, points, LEARNT, flat, first, false, NULL), 0);
    assert_int_equal(
        surrogate_new(&anew, parameters, PARAMETERS, points, LEARNT + ADDED - 1, flat, first, false, NULL),
        0);
    for (i = 0; i < ADDED - 1; i++) {
        surrogate_follow(&deviation, &views[i], single, choices[i], 0.2); /* some from the beginning */
        assert_true(surrogate_add(single, &points[LEARNT + i], 1));
    }
    assert_true(surrogate_add(together, points + LEARNT, ADDED - 1));
    for (i = 0; i < 60; i++) {
        wanted = surrogate_value(&wanted_deviation, anew, choices[i], 0.2);
        value = surrogate_value(&deviation, single, choices[i], 0.2);
        check_near(value, wanted, 1e-9);
        check_near(deviation, wanted_deviation, 1e-9);
        value = surrogate_value(&deviation, together, choices[i], 0.2);
        check_near(value, wanted, 1e-9);
        value = surrogate_follow(&deviation, &views[i], single, choices[i], 0.2);
        check_near(value, wanted, 1e-9);
        check_near(deviation, wanted_deviation, 1e-9);
        free(views[i].half);
    }
    surrogate_free(first);
    surrogate_free(anew);
    surrogate_free(single);
    surrogate_free(together);
}

/* With a slope, too, who follows hears what others hear. More than an eighth is not added. */
static void follows_and_ends(void **state)
{
    const struct surrogate_prior steep = {.deviation = 0.3, .slope_deviation = 1};
    unsigned choices[60][PARAMETERS], i, k;
    struct surrogate_point points[LEARNT + ADDED + 1];
    struct surrogate_view views[60] = {{0}};
    struct surrogate *surrogate;
    double value, deviation, wanted, wanted_deviation;

    points_around(points, choices);
    assert_int_equal(
        surrogate_new(&surrogate, parameters, PARAMETERS, points, LEARNT, steep, NULL, true, NULL), 0);
    for (i = 0; i <= ADDED; i++) {
        for (k = i % 2; k < 60; k += 2) {
            value = surrogate_follow(&deviation, &views[k], surrogate, choices[k], 0.5);
            wanted = surrogate_value(&wanted_deviation, surrogate, choices[k], 0.5);
            check_near(value, wanted, 1e-9);
            check_near(deviation, wanted_deviation, 1e-9);
        }
        assert_true(surrogate_add(surrogate, &points[LEARNT + i], 1) == (i < ADDED));
    }
    assert_false(surrogate_add(surrogate, points, 2));
    for (k = 0; k < 60; k++)
        free(views[k].half);
    surrogate_free(surrogate);
}

int main(void)
{
    return RUN_TESTS(learns_a_function, knows_what_it_does_not_know, learns_from_one_point, learns_a_slope,
                     bears_repeated_points, holds_back_where_a_point_is_in_doubt, answers_alike_in_any_order,
                     adds_what_learning_anew_would_learn, follows_and_ends);
}
