#include "check.h"

#include "tuner/strategy/cost.h"

#include "base/hash.h"

enum { POINTS = 40 };

static const char text[] =
    "{\"parameters\": {\"UNROLL\": [1, 2, 4, 8], \"MODE\": [\"a\", \"b\"], \"TILE\": [1, 2, 4]}}";

struct setup {
    struct spec spec;
    struct cost *cost;
};

static void open(struct setup *out)
{
    struct surrogate_parameter *parameters;

    assert_int_equal(spec_read_text(&out->spec, text, strlen(text), "k.json", SPEC_SPACE, NULL, 0, NULL), 0);
    assert_int_equal(surrogate_parameters(&parameters, &out->spec, NULL), 0);
    assert_int_equal(cost_open(&out->cost, parameters, out->spec.parameter_count, NULL), 0);
    free(parameters);
}

static void close(struct setup *s)
{
    cost_close(s->cost);
    spec_release(&s->spec);
}

static double truth(const unsigned *choices)
{
    return 0.1 * (1 << choices[0]) * (choices[1] ? 10 : 1);
}

/* Drawn at random, with MODE a alone where `plain`; and one more, or null. */
static void learn(struct setup *s, bool plain, const struct cost_point *more)
{
    unsigned choices[POINTS][3];
    struct cost_point points[POINTS + 1];

    for (size_t i = 0; i < POINTS; i++) {
        choices[i][0] = hash_random(1, i) % 4;
        choices[i][1] = plain ? 0 : hash_random(2, i) % 2;
        choices[i][2] = hash_random(3, i) % 3;
        points[i] = (struct cost_point){choices[i], truth(choices[i]), true};
    }
    if (more)
        points[POINTS] = *more;
    assert_int_equal(cost_learn(s->cost, points, POINTS + (more != NULL), NULL), 0);
}

static void learns_what_compiles_long(void **state)
{
    unsigned choices[3];
    struct setup s;

    open(&s);
    check_near(cost_compile_s(s.cost, (unsigned[]){0, 0, 0}), cost_usual_compile_s(s.cost), 0);
    learn(&s, false, NULL);
    for (choices[0] = 0; choices[0] < 4; choices[0]++)
        for (choices[1] = 0; choices[1] < 2; choices[1]++)
            for (choices[2] = 0; choices[2] < 3; choices[2]++)
                check_near(cost_compile_s(s.cost, choices) / truth(choices), 1, 0.3);
    close(&s);
}

/* One that has not ended says so much already, and nothing before it takes longer than it should. */
static void learns_from_what_has_not_ended(void **state)
{
    const unsigned slow[] = {2, 1, 1}, like_it[] = {3, 1, 0}, other[] = {2, 0, 1};
    struct cost_point point = {slow, 0.1, false};
    double before;
    struct setup s;

    open(&s);
    learn(&s, true, NULL);
    before = cost_compile_s(s.cost, slow);
    learn(&s, true, &point);
    check_near(cost_compile_s(s.cost, slow), before, 1e-9);
    point.seconds = 30;
    learn(&s, true, &point);
    assert_true(cost_compile_s(s.cost, slow) > 10);
    assert_true(cost_compile_s(s.cost, like_it) > cost_compile_s(s.cost, other));
    close(&s);
}

/* However many there are, the few that take long are among those it learns from. */
static void keeps_the_long_ones_of_many(void **state)
{
    enum { MANY = 3000 };
    static unsigned choices[MANY][3];
    static struct cost_point points[MANY];
    struct setup s;

    open(&s);
    for (size_t i = 0; i < MANY; i++) {
        choices[i][0] = i % 3;
        choices[i][2] = i % 2;
        points[i] = (struct cost_point){choices[i], 0.2, true};
    }
    choices[MANY / 3][0] = 3;
    points[MANY / 3].seconds = 40;
    assert_int_equal(cost_learn(s.cost, points, MANY, NULL), 0);
    assert_true(cost_compile_s(s.cost, choices[MANY / 3]) > 4);
    check_near(cost_compile_s(s.cost, choices[0]), 0.2, 0.05);
    close(&s);
}

static void nothing_is_free(void **state)
{
    const unsigned choices[] = {0, 0, 0};
    const struct cost_point point = {choices, 1e-9, true};
    struct setup s;

    open(&s);
    assert_true(cost_trial_s(s.cost) > 0);
    cost_add_trial(s.cost, 0);
    assert_true(cost_trial_s(s.cost) > 0);
    cost_add_trial(s.cost, 0.5);
    check_near(cost_trial_s(s.cost), 0.25, 1e-12);
    assert_int_equal(cost_learn(s.cost, &point, 1, NULL), 0);
    assert_true(cost_compile_s(s.cost, choices) >= 1e-4);
    close(&s);
}

int main(void)
{
    return RUN_TESTS(learns_what_compiles_long, learns_from_what_has_not_ended, keeps_the_long_ones_of_many,
                     nothing_is_free);
}
