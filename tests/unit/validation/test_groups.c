/* What the groups of a space show, on spaces written by hand. */
#include "check.h"
#include "validation/groups.h"

static const char *const text = "{\"parameters\": {\"WARPS\": [16, 32, 64], \"UNROLL\": [1, 2]}, "
                                "\"constraints\": [\"WARPS < 64 or UNROLL == 1\"]}";

/* Measured and predicted milliseconds and the occupancy of the five configurations, in the order of the
 * space. */
struct figures {
    double measured, estimate, occupancy;
};

static void open_space(struct collection *out, struct point points[5], const struct figures figures[5])
{
    struct err err = {0};

    *out = (struct collection){.kernel = "written", .points = points, .count = 5};
    assert_int_equal(spec_read_text(&out->spec, text, strlen(text), "written", SPEC_SPACE, NULL, 0, &err), 0);
    assert_int_equal(space_open(&out->space, &out->spec, 0, &err), 0);
    assert_int_equal(space_count(out->space), 5);
    for (uint64_t i = 0; i < 5; i++)
        points[i] = (struct point){.index = i,
                                   .ranked.predicted = true,
                                   .measured_s = 1e-3 * figures[i].measured,
                                   .ranked.estimate_s = 1e-3 * figures[i].estimate,
                                   .occupancy = figures[i].occupancy};
}

static void close_space(struct collection *collection)
{
    space_close(collection->space);
    spec_release(&collection->spec);
}

/* (16, 1) (16, 2) (32, 1) (32, 2) (64, 1) */
static const struct figures falling[5] = {
    {3, 3, 0.25}, {2, 2.2, 0.25}, {2, 2.5, 0.5}, {2.5, 2.1, 0.5}, {2.3, 2.7, 1}};

static void a_fall_is_seen_or_not(void **state)
{
    struct point points[5];
    struct collection from;
    struct falls falls;
    struct err err = {0};

    open_space(&from, points, falling);
    assert_int_equal(falls_of(&falls, &from, 0, &err), 0);
    assert_int_equal(falls.groups, 2);
    assert_int_equal(falls.fell, 2); /* UNROLL 1: 2.3 after 2; UNROLL 2: 2.5 after 2 */
    assert_int_equal(falls.seen, 1); /* only the first was predicted slower: 2.7 after 2.5, 2.1 after 2.2 */
    assert_int_equal(falls.from->index, 1);
    assert_int_equal(falls.to->index, 3);
    assert_int_equal(falls_of(&falls, &from, 1, &err), 0);
    assert_int_equal(falls.groups, 0); /* UNROLL leaves occupancy alone */
    assert_null(falls.from);
    close_space(&from);
}

static void a_choice_costs_what_it_misses(void **state)
{
    struct point points[5];
    struct collection from;
    struct choices choices;
    struct err err = {0};

    open_space(&from, points, falling);
    assert_int_equal(choices_of(&choices, &from, 1, &err), 0);
    assert_int_equal(choices.groups, 2); /* 64 warps stand alone */
    assert_int_equal(choices.right, 1);
    check_near(choices.cost_worst, 0.25, 1e-12);
    check_near(choices.cost_median, 0.125, 1e-12);
    close_space(&from);
}

static void steps_follow_the_prediction(void **state)
{
    struct point points[5];
    struct collection from;
    struct steps steps;
    struct err err = {0};

    open_space(&from, points, falling);
    assert_int_equal(steps_of(&steps, &from, &err), 0);
    assert_int_equal(steps.asked, 3);   /* the median is 2.3: (16, 1), (32, 2), (64, 1) */
    assert_int_equal(steps.advised, 2); /* nothing is predicted faster than (32, 2) */
    assert_int_equal(steps.faster, 2);
    /* (16, 1) to (16, 2), 3 to 2; (64, 1) to (32, 1), 2.3 to 2; both go on to (32, 2), 25 % over the best */
    check_near(steps.measured_gain, (1.5 + 1.15) / 2, 1e-12);
    check_near(steps.after, 0.25, 1e-12);
    close_space(&from);
}

static void what_is_not_predicted_is_left_out(void **state)
{
    struct point points[5];
    struct collection from;
    struct by_value by;
    struct choices choices;
    struct err err = {0};

    open_space(&from, points, falling);
    points[1].ranked.predicted = false;
    assert_int_equal(choices_of(&choices, &from, 1, &err), 0);
    assert_int_equal(choices.groups, 1);
    assert_int_equal(by_value_of(&by, &from, 0, 0, &err), 0);
    assert_int_equal(by.count, 1);
    check_near(by.mean_error, 0, 1e-12);
    assert_int_equal(by_value_of(&by, &from, 0, 1, &err), 0);
    assert_int_equal(by.count, 2);
    check_near(by.mean_error, (0.25 + 0.16) / 2, 1e-12);
    check_near(by.best_s, 2e-3, 1e-15);
    check_near(by.best_estimate_s, 2.5e-3, 1e-15);
    close_space(&from);
}

int main(void)
{
    return RUN_TESTS(a_fall_is_seen_or_not, a_choice_costs_what_it_misses, steps_follow_the_prediction,
                     what_is_not_predicted_is_left_out);
}
