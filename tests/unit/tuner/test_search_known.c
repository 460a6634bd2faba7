/* The strategy `model` where an earlier run has left results. */
#include "stepping.h"

static void compiled_and_known(struct stepping *s, uint64_t index)
{
    const struct search_facts facts = {
        .outcome = OUTCOME_OK, .answered = true, .prediction = s->synthetic.prediction[index]};

    assert_int_equal(search_tell(s->search, index, &facts, NULL), 0);
}

/* What an earlier run timed has the ration first, in the order of that run, whichever is compiled first; then it is spent. */
static void the_ration_is_that_of_the_run_before(void **state)
{
    enum { KNOWN = 12, TRIALS = 10 };
    const struct search_capacity no_trial = {true, false, 0};
    uint64_t known[KNOWN];
    struct stepping s;

    for (uint64_t i = 0; i < KNOWN; i++)
        known[i] = 50 * i + 3;
    open(&s, false, (struct search_options){.trials = TRIALS, .answered = known, .answered_count = KNOWN});
    known[0] = s.synthetic.first;
    for (int i = 0; i < KNOWN; i++)
        assert_int_equal(expect(&s, no_trial, SEARCH_COMPILE).index, known[i]);
    for (int i = KNOWN; i-- > 1;)
        compiled_and_known(&s, known[i]);
    expect(&s, (struct search_capacity){false, true, 0}, SEARCH_WAIT);
    compiled_and_known(&s, known[0]);
    for (int i = 0; i < TRIALS; i++) {
        assert_int_equal(expect(&s, all, SEARCH_TIME).index, known[i]);
        timed(&s, known[i]);
    }
    expect(&s, all, SEARCH_STOP);
    close_steps(&s);
}

/* Known results whose code is another now are trials like others. */
static void what_is_not_known_any_more_has_to_be_worth_it(void **state)
{
    enum { KNOWN = 3 };
    const uint64_t known[KNOWN] = {10, 20, 30};
    struct stepping s;
    struct search_step step;

    open(&s, false, (struct search_options){.answered = known, .answered_count = KNOWN});
    compiled(&s, expect(&s, all, SEARCH_COMPILE).index, OUTCOME_OK, 0);
    timed(&s, expect(&s, all, SEARCH_TIME).index);
    for (int i = 0; i < KNOWN; i++)
        assert_int_equal(expect(&s, (struct search_capacity){true, false, 0}, SEARCH_COMPILE).index,
                         known[i]);
    compiled(&s, known[0], OUTCOME_COMPILE, 0);
    compiled(&s, known[1], OUTCOME_OK, 0);
    compiled_and_known(&s, known[2]);
    step = expect(&s, all, SEARCH_TIME);
    assert_int_equal(step.index, known[2]);
    close_steps(&s);
}

/* Where the source is another, the journal's configurations are no better than others. */
static void a_changed_source_is_searched_anew(void **state)
{
    enum { KNOWN = 40, STALE = 4 };
    const struct search_capacity no_trial = {true, false, 0};
    uint64_t known[KNOWN];
    struct stepping s;
    unsigned more = 0;

    for (uint64_t i = 0; i < KNOWN; i++)
        known[i] = i + 100;
    open(&s, false, (struct search_options){.answered = known, .answered_count = KNOWN});
    compiled(&s, expect(&s, no_trial, SEARCH_COMPILE).index, OUTCOME_OK, 0);
    for (int i = 0; i < STALE; i++) {
        assert_int_equal(expect(&s, no_trial, SEARCH_COMPILE).index, known[i]);
        compiled(&s, known[i], OUTCOME_OK, 0);
    }
    for (int i = 0; i < 8; i++) {
        const uint64_t index = expect(&s, no_trial, SEARCH_COMPILE).index;

        more += index >= 100 && index < 100 + KNOWN;
        compiled(&s, index, OUTCOME_OK, 0);
    }
    assert_true(more < 4);
    close_steps(&s);
}

int main(void)
{
    return RUN_TESTS(the_ration_is_that_of_the_run_before, what_is_not_known_any_more_has_to_be_worth_it,
                     a_changed_source_is_searched_anew);
}
