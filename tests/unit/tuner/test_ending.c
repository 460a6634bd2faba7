/* tuner/strategy/ending: the last configurations are compiled longest first, as the others let expect. */
#include "check.h"
#include "synthetic.h"

#include "tuner/strategy/ending.h"

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

int main(void)
{
    return RUN_TESTS(longest_come_first, it_learns_as_it_goes, else_the_order_stays);
}
