/* The strategy `model`, step by step: what it asks for next when it is told so much and no more. */
#include "stepping.h"

/* While nothing has run there is nothing to end with: the first compiles are waited for, however long they take. */
static void waits_for_the_first_compiles(void **state)
{
    static const struct search_capacity late = {false, true, 1000};
    struct stepping s;
    struct search_step first, second;

    open(&s, false, (struct search_options){0});
    first = expect(&s, all, SEARCH_COMPILE);
    second = expect(&s, all, SEARCH_COMPILE);
    expect(&s, late, SEARCH_WAIT);
    compiled(&s, first.index, OUTCOME_COMPILE, 0);
    expect(&s, late, SEARCH_WAIT);
    compiled(&s, second.index, OUTCOME_OK, 0);
    expect(&s, late, SEARCH_TIME);
    close_steps(&s);
}

/* Where the first few are compiled and cores are busy with others for long, those few tell nothing of the space yet. */
static void waits_for_slow_compiles_at_first(void **state)
{
    enum { CORES = 16, SOON = 6 };
    struct stepping s;
    struct search_step compiles[CORES], step;
    struct search_capacity busy = {false, true, 1};

    open(&s, true, (struct search_options){.cores = CORES});
    for (int i = 0; i < CORES; i++)
        compiles[i] = expect(&s, all, SEARCH_COMPILE);
    for (int i = 0; i < SOON; i++)
        compiled(&s, compiles[i].index, OUTCOME_OK, 0);
    while ((step = next(&s, busy)).action == SEARCH_TIME)
        timed(&s, step.index);
    for (busy.now_s = 3; busy.now_s < 60; busy.now_s += 10)
        expect(&s, busy, SEARCH_WAIT);
    expect(&s, (struct search_capacity){true, true, 59}, SEARCH_COMPILE);
    busy.now_s = 100;
    expect(&s, busy, SEARCH_STOP);
    close_steps(&s);
}

/* Of all that the search asks for only so many can be launched. */
static uint64_t ask_for_all(uint64_t *launched, struct stepping *s, uint64_t most)
{
    struct search_step step;
    uint64_t count = 0;

    while ((step = next(s, (struct search_capacity){true, false, 0.1})).action == SEARCH_COMPILE) {
        if (count < most)
            launched[count++] = step.index;
        else
            refused(s, step.index);
    }
    return count;
}

/* Where all that can be launched is asked for at once, what is still compiled is not known yet: a small space on many cores. */
static void waits_for_the_rest_of_a_small_space(void **state)
{
    enum { LAUNCHED = 31, SOON = 13 };
    struct stepping s;
    struct search_capacity busy = {false, true, 0.5};
    struct search_summary summary;
    struct search_step step;
    uint64_t launched[LAUNCHED], count;

    open(&s, false, (struct search_options){.cores = 16});
    count = ask_for_all(launched, &s, LAUNCHED);
    assert_int_equal(count, LAUNCHED);
    for (size_t i = 0; i < SOON; i++)
        compiled(&s, launched[i], OUTCOME_OK, 0);
    while ((step = next(&s, busy)).action == SEARCH_TIME)
        timed(&s, step.index);
    search_summarise(&summary, s.search);
    assert_int_equal(summary.end, SEARCH_GOING);
    for (size_t i = SOON; i < LAUNCHED; i++)
        compiled(&s, launched[i], OUTCOME_OK, 0);
    while ((step = next(&s, busy)).action == SEARCH_TIME)
        timed(&s, step.index);
    assert_int_equal(step.action, SEARCH_STOP);
    close_steps(&s);
}

/* Sorts by the time of the variants, slowest first. */
static void sort_slowest_first(uint64_t *indices, uint64_t count, const double *time_s)
{
    for (uint64_t i = 1; i < count; i++)
        for (uint64_t j = i; j > 0 && time_s[indices[j]] > time_s[indices[j - 1]]; j--) {
            const uint64_t index = indices[j];

            indices[j] = indices[j - 1];
            indices[j - 1] = index;
        }
}

/* The last of a small space are in no plan any more, since they are being compiled: what they promise is waited for. */
static void waits_for_the_last_compiles(void **state)
{
    enum { LAUNCHED = 160, SOON = 140 };
    struct stepping s;
    struct search_capacity busy = {false, true, 0.5};
    struct search_summary summary;
    struct search_step step;
    uint64_t launched[LAUNCHED], count;

    open(&s, false, (struct search_options){.cores = 16});
    count = ask_for_all(launched, &s, LAUNCHED);
    sort_slowest_first(launched, count, s.synthetic.time_s);
    for (size_t i = 0; i < SOON; i++)
        compiled(&s, launched[i], OUTCOME_OK, 0);
    while ((step = next(&s, busy)).action == SEARCH_TIME)
        timed(&s, step.index);
    search_summarise(&summary, s.search);
    assert_int_equal(summary.end, SEARCH_GOING);
    close_steps(&s);
}

/* Trials are chosen from a good part of the spread; the rest of it, and more, is for those that follow. */
static void begins_before_all_is_compiled(void **state)
{
    struct stepping s;
    struct search_step step;
    uint64_t told = 0;

    open(&s, false, (struct search_options){.trials = 240});
    while (step = next(&s, all), step.action == SEARCH_COMPILE || step.index == s.synthetic.first) {
        told += step.action == SEARCH_COMPILE;
        if (step.action == SEARCH_COMPILE)
            compiled(&s, step.index, OUTCOME_OK, 0);
        else
            timed(&s, step.index);
    }
    assert_int_equal(step.action, SEARCH_TIME);
    assert_in_range(told, 30, 45);
    close_steps(&s);
}

/* Once the last trial is told, what still compiles is not waited for. */
static void ends_with_its_last_trial(void **state)
{
    struct search_summary summary;
    struct stepping s;

    open(&s, false, (struct search_options){.trials = 1});
    for (unsigned asked = 0; asked < 3; asked++)
        expect(&s, all, SEARCH_COMPILE);
    compiled(&s, s.synthetic.first, OUTCOME_OK, 0);
    expect(&s, all, SEARCH_TIME);
    timed(&s, s.synthetic.first);
    expect(&s, all, SEARCH_STOP);
    search_summarise(&summary, s.search);
    assert_int_equal(summary.end, SEARCH_SPENT);
    assert_int_equal(summary.compiled, 1);
    assert_int_equal(summary.not_compiled, s.synthetic.count - 1);
    close_steps(&s);
}

/* The default turns out to have the code of one that was compiled before it: that one is timed first. What
 * has another's code is not a variant that the model could not read. */
static void times_the_twin_of_the_default(void **state)
{
    struct search_summary summary;
    struct search_step steps[4];
    struct stepping s;

    open(&s, false, (struct search_options){0});
    for (unsigned k = 0; k < 4; k++)
        steps[k] = expect(&s, all, SEARCH_COMPILE);
    assert_int_equal(steps[0].index, s.synthetic.first);
    compiled(&s, steps[3].index, OUTCOME_OK, 0);
    compiled(&s, steps[2].index, OUTCOME_OK, 0);
    compiled(&s, steps[1].index, OUTCOME_SAME_CODE, steps[2].index);
    expect(&s, no_compile, SEARCH_WAIT);
    compiled(&s, steps[0].index, OUTCOME_SAME_CODE, steps[2].index);
    assert_int_equal(expect(&s, no_compile, SEARCH_TIME).index, steps[2].index);
    search_summarise(&summary, s.search);
    assert_int_equal(summary.compiled, 4);
    assert_int_equal(summary.refused, 0);
    close_steps(&s);
}

/* What still compiles when the trials are used up was pruned like all else: the audit may draw it. */
static void audits_what_is_under_way(void **state)
{
    struct search_step under_way, step;
    struct stepping s;

    open(&s, false, (struct search_options){.trials = 1, .audit = 1000000});
    expect(&s, all, SEARCH_COMPILE);
    under_way = expect(&s, all, SEARCH_COMPILE);
    compiled(&s, s.synthetic.first, OUTCOME_OK, 0);
    expect(&s, all, SEARCH_TIME);
    assert_int_equal(
        search_tell(s.search, s.synthetic.first, &(struct search_facts){.timed = true, .time_s = 1}, NULL),
        0);
    while (step = next(&s, all), step.action == SEARCH_COMPILE)
        assert_true(step.audit && step.index != under_way.index);
    assert_int_equal(step.action, SEARCH_WAIT);
    compiled(&s, under_way.index, OUTCOME_OK, 0);
    step = expect(&s, all, SEARCH_TIME);
    assert_int_equal(step.index, under_way.index);
    assert_true(step.audit);
    close_steps(&s);
}

/* A large space of which nothing else can be launched is not walked through to its end. */
static void gives_up_where_all_is_refused(void **state)
{
    const struct search_facts facts = {.outcome = OUTCOME_LIMITS, .impossible = true};
    uint64_t refused = 0;
    struct search_step step;
    struct stepping s;

    open(&s, true, (struct search_options){0});
    step = expect(&s, all, SEARCH_COMPILE);
    compiled(&s, step.index, OUTCOME_OK, 0);
    expect(&s, all, SEARCH_TIME);
    timed(&s, step.index);
    for (; step = next(&s, all), step.action == SEARCH_COMPILE; refused++)
        assert_int_equal(search_tell(s.search, step.index, &facts, NULL), 0);
    assert_int_equal(step.action, SEARCH_STOP);
    assert_in_range(refused, 10000, s.synthetic.count / 3);
    close_steps(&s);
}

static void failed(struct stepping *s, uint64_t index)
{
    const struct search_facts facts = {.timed = true, .outcome = OUTCOME_WRONG, .time_s = NAN};

    assert_int_equal(search_tell(s->search, index, &facts, NULL), 0);
}

/* After so many failures without a success, and not before, what was compiled first is timed first. */
static void gives_up_choosing_after_64_failures(void **state)
{
    uint64_t ready[2000], trials = 0;
    bool in_order[70];
    size_t first = 0, count = 0, i;
    struct search_step step;
    struct stepping s;

    open(&s, false, (struct search_options){.trials = 240});
    while (trials < 66) {
        step = next(&s, all);
        if (step.action == SEARCH_COMPILE) {
            ready[count++] = step.index;
            compiled(&s, step.index, OUTCOME_OK, 0);
            continue;
        }
        assert_int_equal(step.action, SEARCH_TIME);
        in_order[trials++] = step.index == ready[first];
        for (i = first; ready[i] != step.index; i++)
            continue;
        memmove(ready + i, ready + i + 1, (--count - i) * sizeof *ready);
        failed(&s, step.index);
    }
    assert_true(!in_order[63] || !in_order[62] || !in_order[61]);
    assert_true(in_order[64] && in_order[65]);
    close_steps(&s);
}

/* How many are compiled by a search on so many cores, half a minute in. */
static uint64_t compiled_on(unsigned cores)
{
    static const struct search_capacity late = {true, true, 30};
    struct stepping s;
    struct search_step step;
    uint64_t count = 0;

    open(&s, false, (struct search_options){.cores = cores});
    while ((step = next(&s, late)).action != SEARCH_STOP) {
        const struct search_facts facts = {
            .outcome = OUTCOME_OK, .spent_s = 0.2, .prediction = s.synthetic.prediction[step.index]};

        if (step.action == SEARCH_TIME)
            timed(&s, step.index);
        else
            assert_int_equal(search_tell(s.search, step.index, &facts, NULL), 0);
        count += step.action == SEARCH_COMPILE;
    }
    count = count == s.synthetic.count ? UINT64_MAX : count;
    close_steps(&s);
    return count;
}

/* The rest of a space is compiled where that takes little beside the time so far, whatever is expected of it. */
static void compiles_a_rest_that_costs_little(void **state)
{
    assert_true(compiled_on(64) == UINT64_MAX);
    assert_in_range(compiled_on(1), 1, 600);
}

/* Measured times alone promise too little while they are few: such a search is not ended by them early. */
static void doubts_itself_where_nothing_is_predicted(void **state)
{
    const struct search_options options = {.strategy = &strategy_model, .seed = 2};
    struct synthetic synthetic;
    struct synthetic_run run;

    synthetic_open(&synthetic, SYNTHETIC_REFUSED, true, 4);
    synthetic_search(&run, &synthetic, &options, 16);
    print_message("%llu timed, %.4f of the best\n", (unsigned long long)run.timed,
                  synthetic.best_s / run.best_s);
    assert_true(run.timed >= search_allowance(synthetic.count));
    synthetic_close(&synthetic);
}

int main(void)
{
    return RUN_TESTS(compiles_a_rest_that_costs_little, waits_for_the_first_compiles,
                     waits_for_slow_compiles_at_first, waits_for_the_rest_of_a_small_space,
                     waits_for_the_last_compiles, begins_before_all_is_compiled, ends_with_its_last_trial,
                     times_the_twin_of_the_default, audits_what_is_under_way, gives_up_where_all_is_refused,
                     gives_up_choosing_after_64_failures, doubts_itself_where_nothing_is_predicted);
}
