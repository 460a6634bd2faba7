/* tuner/strategy/ending: the last configurations are compiled and timed longest first, as the others let expect. */
#include "check.h"
#include "synthetic.h"

#include "tuner/strategy/ending.h"
#include "tuner/strategy/ready.h"

enum { CORES = 50, LAST = 2 * CORES };

struct fixture {
    struct synthetic s;
    struct ending *ending;
    uint64_t last[LAST]; /* spread over the space */
    bool drawn[LAST];
};

static void open_fixture(struct fixture *f)
{
    struct search_options options = {.cores = CORES};
    struct err err = {0};

    *f = (struct fixture){0};
    synthetic_open(&f->s, SYNTHETIC_EASY, false, 1);
    options.count = f->s.count;
    options.space = f->s.space;
    options.spec = &f->s.spec;
    check_ok(ending_open(&f->ending, &options, &err), &err);
    for (size_t i = 0; i < LAST; i++)
        f->last[i] = i * f->s.count / LAST;
}

static void close_fixture(struct fixture *f)
{
    ending_close(f->ending);
    synthetic_close(&f->s);
}

/* Each value of the first two parameters makes it longer. */
static double compile_s(const struct fixture *f, uint64_t index)
{
    unsigned choices[64];

    assert_true(f->s.spec.parameter_count <= 64);
    space_configuration(choices, f->s.space, index);
    return 0.2 * (1 + choices[0]) * (1 + .5 * choices[1]);
}

static void tell(struct fixture *f, uint64_t index)
{
    assert_int_equal(ending_tell(f->ending, index, compile_s(f, index), NULL), 0);
}

static void begin(struct fixture *f)
{
    assert_int_equal(ending_count(f->ending), LAST);
    assert_false(ending_has_begun(f->ending));
    assert_int_equal(ending_begin(f->ending, f->last, LAST, NULL), 0);
    assert_true(ending_has_begun(f->ending));
}

/* The seconds of the next `count`, each of which is one of the last and comes once. */
static double draw(struct fixture *f, size_t count, bool tells)
{
    double sum = 0;

    for (size_t k = 0; k < count; k++) {
        const uint64_t index = ending_draw(f->ending);
        size_t i = 0;

        while (i < LAST && f->last[i] != index)
            i++;
        assert_true(i < LAST && !f->drawn[i]);
        f->drawn[i] = true;
        sum += compile_s(f, index);
        if (tells)
            tell(f, index);
    }
    return sum;
}

static double all_s(const struct fixture *f)
{
    double sum = 0;

    for (size_t i = 0; i < LAST; i++)
        sum += compile_s(f, f->last[i]);
    return sum;
}

static void longest_come_first(void **state)
{
    struct fixture f;
    double half;

    open_fixture(&f);
    for (uint64_t index = 1; index < f.s.count; index += 3)
        tell(&f, index);
    begin(&f);
    half = draw(&f, LAST / 2, false);
    assert_true(half > 1.5 * draw(&f, LAST / 2, false));
    close_fixture(&f);
}

/* A quarter of the cores' turn is told, and what is left is in another order. */
static void it_learns_as_it_goes(void **state)
{
    struct fixture f;
    double quarter, half;

    open_fixture(&f);
    begin(&f);
    quarter = draw(&f, LAST / 4, true);
    half = draw(&f, LAST / 2, true);
    assert_true(half > 2.2 * (all_s(&f) - quarter - half));
    draw(&f, LAST / 4, true);
    close_fixture(&f);
}

/* Nothing is known: the order stays, and what cost nothing teaches nothing. */
static void else_the_order_stays(void **state)
{
    struct fixture f;

    open_fixture(&f);
    assert_int_equal(ending_tell(f.ending, 7, 0, NULL), 0);
    begin(&f);
    for (size_t i = 0; i < LAST; i++) {
        assert_int_equal(ending_draw(f.ending), f.last[i]);
        assert_int_equal(ending_tell(f.ending, f.last[i], 0, NULL), 0);
    }
    close_fixture(&f);
}

static void ready_ones_come_longest_first(void **state)
{
    static const double expected_s[] = {0, 2, 0, 3, 2, 0};
    static const uint64_t order[] = {3, 1, 4, 0, 2, 5};
    struct ready ready = {0};

    for (uint64_t i = 0; i < 6; i++)
        assert_int_equal(ready_push(&ready, i, expected_s[i], NULL), 0);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(ready_pop(&ready), order[i]);
    assert_int_equal(ready.count, 0);
    ready_release(&ready);
}

static double last_digit(const void *context, uint64_t index)
{
    (void)context;
    return (double)(index % 10);
}

/* While all are expected to take the same the oldest is next. */
static void ready_ones_are_ordered_anew(void **state)
{
    struct ready ready = {0};
    uint64_t before;

    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(ready_push(&ready, i, 0, NULL), 0);
    for (uint64_t i = 0; i < 500; i++)
        assert_int_equal(ready_pop(&ready), i);
    ready_order(&ready, last_digit, NULL);
    before = ready_pop(&ready);
    while (ready.count) {
        const uint64_t index = ready_pop(&ready);

        assert_true(index % 10 < before % 10 || (index % 10 == before % 10 && index > before));
        before = index;
    }
    ready_release(&ready);
}

/* Does what is asked for, one after another, until the search asks to stop or `end` were timed. Seconds of kernels. */
static double time_until(const struct fixture *f, struct search *search, size_t *timed, size_t end,
                         bool compiles)
{
    struct search_step step = {.action = SEARCH_WAIT};
    struct search_facts facts = {.outcome = OUTCOME_OK};
    double sum = 0;

    while (*timed < end) {
        assert_int_equal(search_next(&step, search, (struct search_capacity){compiles, true, 0}, NULL), 0);
        if (step.action == SEARCH_STOP)
            break;
        facts.timed = step.action == SEARCH_TIME;
        facts.time_s = facts.timed ? compile_s(f, step.index) : 0;
        facts.spent_s = facts.timed ? 0.02 : 0.3;
        sum += facts.time_s;
        *timed += facts.timed;
        assert_int_equal(search_tell(search, step.index, &facts, NULL), 0);
    }
    return sum;
}

/* Those that are compiled when the ending begins, while one lane times all others at once. */
static void trials_of_slow_kernels_come_first(void **state)
{
    struct fixture f;
    struct search *search;
    struct search_options options = {.strategy = &strategy_exhaustive, .cores = CORES};
    struct search_step step = {.action = SEARCH_COMPILE};
    const struct search_facts compiled = {.outcome = OUTCOME_OK, .spent_s = 0.3};
    size_t timed = 0;
    double half, rest;

    open_fixture(&f);
    options.count = f.s.count;
    options.space = f.s.space;
    options.spec = &f.s.spec;
    assert_int_equal(search_open(&search, &options, NULL), 0);
    time_until(&f, search, &timed, f.s.count - 3 * LAST, true);
    for (;;) {
        assert_int_equal(search_next(&step, search, (struct search_capacity){true, false, 0}, NULL), 0);
        if (step.action != SEARCH_COMPILE)
            break;
        assert_int_equal(search_tell(search, step.index, &compiled, NULL), 0);
    }
    half = time_until(&f, search, &timed, f.s.count - 3 * LAST / 2, false);
    rest = time_until(&f, search, &timed, f.s.count, false);
    assert_true(half > 1.3 * rest);
    assert_int_equal(timed, f.s.count);
    search_close(search);
    close_fixture(&f);
}

int main(void)
{
    return RUN_TESTS(longest_come_first, it_learns_as_it_goes, else_the_order_stays,
                     ready_ones_come_longest_first, ready_ones_are_ordered_anew,
                     trials_of_slow_kernels_come_first);
}
