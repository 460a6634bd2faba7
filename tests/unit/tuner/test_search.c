#include "check.h"

#include "tuner/strategy/strategy.h"

static struct search *open_ok(const struct strategy *strategy, uint64_t count, uint64_t first,
                              uint64_t trials, uint64_t seed)
{
    struct search *search;
    const struct search_options options = {
        .strategy = strategy, .seed = seed, .count = count, .first = first, .trials = trials};

    assert_int_equal(search_open(&search, &options, NULL), 0);
    return search;
}

static struct search_step next(struct search *search, struct search_capacity capacity)
{
    struct search_step step;

    assert_int_equal(search_next(&step, search, capacity, NULL), 0);
    return step;
}

/* Runs a search to its end, one step at a time; index i fails to compile when i % 5 == fails. Returns how
 * many were timed. */
static uint64_t drive(struct search *search, uint64_t count, uint64_t fails, uint64_t *order)
{
    unsigned char *seen = calloc(count, 1);
    uint64_t timed = 0, compiled = 0;
    struct search_step step;
    struct search_facts facts = {0};

    while ((step = next(search, (struct search_capacity){true, true, 0})).action != SEARCH_STOP) {
        assert_int_not_equal(step.action, SEARCH_WAIT);
        assert_true(step.index < count);
        facts.timed = step.action == SEARCH_TIME;
        facts.outcome = step.index % 5 == fails ? OUTCOME_COMPILE : OUTCOME_OK;
        assert_int_equal(seen[step.index], facts.timed ? 1 : 0);
        seen[step.index]++;
        if (facts.timed)
            timed++;
        else if (order)
            order[compiled++] = step.index;
        assert_int_equal(search_tell(search, step.index, &facts, NULL), 0);
    }
    free(seen);
    return timed;
}

static void visits_each_once(void **state)
{
    static const uint64_t counts[] = {1, 2, 3, 7, 64, 1000, 1025};
    static const struct strategy *const orders[] = {&strategy_exhaustive, &strategy_random};

    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
            struct search *search = open_ok(orders[k], counts[c], counts[c] / 2, 0, 42);

            assert_int_equal(drive(search, counts[c], 99, NULL), counts[c]);
            assert_int_equal(search_visited(search), counts[c]);
            search_close(search);
        }
}

static void begins_with_the_default(void **state)
{
    uint64_t order[10], again[10], other[10];
    struct search *search = open_ok(&strategy_exhaustive, 10, 3, 0, 0);
    const uint64_t wanted[] = {3, 0, 1, 2, 4, 5, 6, 7, 8, 9};

    drive(search, 10, 99, order);
    search_close(search);
    assert_memory_equal(order, wanted, sizeof wanted);
    drive(search = open_ok(&strategy_random, 10, 3, 0, 1), 10, 99, order);
    search_close(search);
    drive(search = open_ok(&strategy_random, 10, 3, 0, 1), 10, 99, again);
    search_close(search);
    drive(search = open_ok(&strategy_random, 10, 3, 0, 2), 10, 99, other);
    search_close(search);
    assert_int_equal(order[0], 3);
    assert_memory_equal(order, again, sizeof order);
    assert_memory_not_equal(order, other, sizeof order);
}

/* Every position is reached about equally often by a given index over the seeds. */
static void random_order_is_fair(void **state)
{
    unsigned counts[8] = {0};
    uint64_t order[9], seed, k;
    struct search *search;

    for (seed = 0; seed < 4000; seed++) {
        drive(search = open_ok(&strategy_random, 9, 0, 0, seed), 9, 99, order);
        search_close(search);
        for (k = 1; order[k] != 5; k++)
            ;
        counts[k - 1]++;
    }
    for (k = 0; k < 8; k++)
        check_near(counts[k], 500, 110);
}

static void trials_count_what_is_timed(void **state)
{
    struct search *search = open_ok(&strategy_random, 1000, 0, 20, 7);

    assert_int_equal(drive(search, 1000, 1, NULL), 20);
    assert_true(search_visited(search) >= 20 && search_visited(search) < 40);
    search_close(search);
}

/* With trials left for one, no second is compiled ahead; with no free slot nothing is asked. */
static void waits(void **state)
{
    struct search *search = open_ok(&strategy_exhaustive, 10, 0, 1, 0);
    const struct search_capacity all = {true, true, 0}, none = {false, false, 0};
    struct search_facts facts = {.outcome = OUTCOME_COMPILE};

    assert_int_equal(next(search, none).action, SEARCH_WAIT);
    assert_int_equal(next(search, all).action, SEARCH_COMPILE);
    assert_int_equal(next(search, all).action, SEARCH_WAIT);
    search_tell(search, 0, &facts, NULL);
    assert_int_equal(next(search, all).action, SEARCH_COMPILE);
    facts.outcome = OUTCOME_OK;
    search_tell(search, 1, &facts, NULL);
    assert_int_equal(next(search, (struct search_capacity){true, false, 0}).action, SEARCH_WAIT);
    assert_int_equal(next(search, all).action, SEARCH_TIME);
    assert_int_equal(next(search, all).action, SEARCH_WAIT);
    facts.timed = true;
    search_tell(search, 1, &facts, NULL);
    assert_int_equal(next(search, all).action, SEARCH_STOP);
    search_close(search);
}

/* What a trial teaches is known before the model's next is chosen. */
static void lets_a_trial_teach(void **state)
{
    assert_int_equal(strategy_model.trials_ahead, 1);
    assert_int_equal(strategy_exhaustive.trials_ahead, 2);
    assert_int_equal(strategy_random.trials_ahead, 2);
}

static void names(void **state)
{
    assert_ptr_equal(strategy_find("random"), &strategy_random);
    assert_ptr_equal(strategy_find("exhaustive"), &strategy_exhaustive);
    assert_ptr_equal(strategy_find(NULL), &strategy_model);
    assert_null(strategy_find("magic"));
    assert_null(strategy_find(""));
}

int main(void)
{
    return RUN_TESTS(visits_each_once, begins_with_the_default, random_order_is_fair,
                     trials_count_what_is_timed, waits, lets_a_trial_teach, names);
}
