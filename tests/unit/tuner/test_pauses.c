/* The strategy `model` against a clock: what compiles for long is left behind, and nothing waits for it. */
#include "check.h"
#include "synthetic.h"

#include "base/hash.h"

enum { CORES = 8, LANES = 2 * CORES + 1 };

/* A machine of CORES cores and one GPU, on a virtual clock. */
struct machine {
    const struct synthetic *space;
    struct search *search;
    double (*compile_s)(const unsigned *choices, uint64_t asked);
    double trial_s, now_s;
    double free_s[CORES]; /* when each core is free again */
    struct flight {
        struct search_step step;
        double end_s, spent_s;
    } flights[LANES + 1];
    unsigned count, compiling, timing;
    uint64_t asked, trials, stragglers;
    double last_trial_s, pause_s; /* longest between two trials, the end included */
    double best_s, end_s;
    uint64_t best_index;
    bool *seen;  /* by index: asked to compile */
    bool *ready; /* compiled, and not to be timed so far */
};

static double long_s(void)
{
    return 1000;
}

/* One of the first takes forever. */
static double one_straggler(const unsigned *choices, uint64_t asked)
{
    return asked == 5 ? long_s() : 0.2;
}

/* Some take long, as their parameters tell. */
static double by_parameter(const unsigned *choices, uint64_t asked)
{
    return choices[0] == 3 && choices[1] == 3 ? 25 : 0.2;
}

/* The default compiles at once, all others alike take much longer. */
static double long_but_first(const unsigned *choices, uint64_t asked)
{
    return asked ? 3 : 0.3;
}

static void begin(struct machine *m, struct search_step step)
{
    struct flight *flight = &m->flights[m->count++];
    unsigned choices[32], core, first = 0;

    assert_in_range(m->count, 1, LANES);
    *flight = (struct flight){.step = step, .spent_s = m->trial_s, .end_s = m->now_s + m->trial_s};
    if (step.action == SEARCH_TIME) {
        m->timing++;
        return;
    }
    m->compiling++;
    for (core = 1; core < CORES; core++)
        if (m->free_s[core] < m->free_s[first])
            first = core;
    space_configuration(choices, m->space->space, step.index);
    flight->spent_s = m->compile_s(choices, m->asked++);
    m->stragglers += flight->spent_s > 10;
    m->seen[step.index] = true;
    flight->end_s = fmax(m->now_s, m->free_s[first]) + flight->spent_s;
    m->free_s[first] = flight->end_s;
}

/* What ends next is told. */
static void finish(struct machine *m)
{
    struct search_facts facts = {.outcome = OUTCOME_OK};
    struct flight flight;
    unsigned i, next = 0;

    assert_true(m->count > 0);
    for (i = 1; i < m->count; i++)
        if (m->flights[i].end_s < m->flights[next].end_s)
            next = i;
    flight = m->flights[next];
    m->flights[next] = m->flights[--m->count];
    m->now_s = flight.end_s;
    facts.timed = flight.step.action == SEARCH_TIME;
    facts.spent_s = flight.spent_s;
    facts.prediction = m->space->prediction[flight.step.index];
    facts.time_s = m->space->time_s[flight.step.index];
    m->ready[flight.step.index] = !facts.timed;
    if (facts.timed) {
        m->timing--;
        m->trials++;
        m->pause_s = fmax(m->pause_s, m->now_s - m->last_trial_s);
        m->last_trial_s = m->now_s;
        if (facts.time_s < m->best_s) {
            m->best_s = facts.time_s;
            m->best_index = flight.step.index;
        }
    } else {
        m->compiling--;
    }
    assert_int_equal(search_tell(m->search, flight.step.index, &facts, NULL), 0);
}

static void close_run(struct machine *m)
{
    search_close(m->search);
    free(m->seen);
    free(m->ready);
}

/* To the end of the search, its audit included; `until_s`: or so long. */
static void run(struct machine *m, const struct synthetic *space, struct search_options options,
                double until_s)
{
    struct search_step step = {.action = SEARCH_WAIT};

    m->space = space;
    m->trial_s = m->trial_s > 0 ? m->trial_s : 0.01;
    m->best_s = INFINITY;
    m->seen = calloc(space->count, sizeof *m->seen);
    m->ready = calloc(space->count, sizeof *m->ready);
    assert_non_null(m->seen);
    assert_non_null(m->ready);
    options.strategy = &strategy_model;
    options.count = space->count;
    options.first = space->first;
    options.space = space->space;
    options.spec = &space->spec;
    options.cores = CORES;
    assert_int_equal(search_open(&m->search, &options, NULL), 0);
    while (step.action != SEARCH_STOP && m->now_s < until_s) {
        const struct search_capacity capacity = {m->compiling < LANES - 1, m->timing < 1, m->now_s};

        assert_int_equal(search_next(&step, m->search, capacity, NULL), 0);
        if (step.action == SEARCH_COMPILE || step.action == SEARCH_TIME)
            begin(m, step);
        else if (step.action == SEARCH_WAIT)
            finish(m);
    }
    m->end_s = m->now_s;
    m->pause_s = fmax(m->pause_s, m->end_s - m->last_trial_s);
}

static void nothing_waits_for_one_compile(void **state)
{
    static const uint64_t trials[] = {0, 14, 60};
    struct synthetic space;

    for (uint64_t seed = 0; seed < 3; seed++)
        for (size_t t = 0; t < sizeof trials / sizeof *trials; t++) {
            struct machine m = {.compile_s = one_straggler};
            const struct search_options options = {.seed = seed, .trials = trials[t], .audit = 5};

            synthetic_open(&space, SYNTHETIC_EASY, false, 40 + seed);
            run(&m, &space, options, 2 * long_s());
            print_message("seed %d, trials %2d: %3d compiled, %3d timed, end %.1f s, longest pause %.2f s\n",
                          (int)seed, (int)trials[t], (int)m.asked, (int)m.trials, m.end_s, m.pause_s);
            assert_true(m.end_s < 100);
            assert_true(m.pause_s < 2);
            assert_true(trials[t] == 14 || space.best_s / m.best_s > 0.97);
            close_run(&m);
            synthetic_close(&space);
        }
}

/* A space that is begun whole at once: what takes as long as all others is waited for, however short the first was. */
static void what_is_long_throughout_is_waited_for(void **state)
{
    for (uint64_t seed = 0; seed < 3; seed++) {
        struct machine m = {.compile_s = long_but_first};
        struct search_summary summary;
        struct synthetic space;

        synthetic_open(&space, SYNTHETIC_EASY, false, 40 + seed);
        space.count = LANES - 1;
        space.first %= space.count;
        run(&m, &space, (struct search_options){.seed = seed}, 2 * long_s());
        search_summarise(&summary, m.search);
        print_message("seed %d: %d compiled, %d timed, end %.1f s (%s)\n", (int)seed, (int)summary.compiled,
                      (int)m.trials, m.end_s, search_end_text(summary.end));
        assert_int_equal(summary.compiled, space.count);
        close_run(&m);
        synthetic_close(&space);
    }
}

/* Long ones are told by their parameters and come last. */
static void what_compiles_long_is_put_last(void **state)
{
    struct machine m = {.compile_s = by_parameter};
    struct synthetic space;

    synthetic_open(&space, SYNTHETIC_EASY, false, 41);
    run(&m, &space, (struct search_options){.goes_on = true}, 8);
    print_message("%d compiled, of which %d take long; longest pause %.2f s\n", (int)m.asked,
                  (int)m.stragglers, m.pause_s);
    assert_true(m.asked > 150);
    assert_true(12 * m.stragglers < m.asked);
    assert_true(m.pause_s < 3);
    close_run(&m);
    synthetic_close(&space);
}

/* It ends by itself when little is expected, says how much, and goes on where the caller's time rules. */
static void ends_when_little_is_expected(void **state)
{
    struct search_summary summary;
    struct synthetic space;

    for (int goes_on = 0; goes_on < 2; goes_on++) {
        struct machine m = {.compile_s = by_parameter};

        synthetic_open(&space, SYNTHETIC_ROUGH, true, 3);
        run(&m, &space, (struct search_options){.goes_on = goes_on}, 16);
        search_summarise(&summary, m.search);
        print_message("end %.1f s, %d timed, best %.4f of all\n", m.end_s, (int)m.trials,
                      space.best_s / m.best_s);
        if (goes_on) {
            assert_true(m.end_s >= 16);
            assert_int_equal(summary.end, SEARCH_GOING);
            assert_true(isnan(summary.further_gain));
        } else {
            assert_true(m.end_s < 16);
            assert_int_equal(summary.end, SEARCH_LITTLE);
            assert_true(summary.further_gain < SEARCH_WORTHWHILE);
            assert_true(summary.again_s >= 2 && summary.again_s <= m.end_s);
        }
        close_run(&m);
        synthetic_close(&space);
    }
}

/* A number of each configuration's own, 0 to 1. */
static double own(uint64_t seed, uint64_t index)
{
    return (double)(hash_random(seed, index) >> 11) * 0x1p-53;
}

/* Times lie close together by chance, estimates further apart and below them: whatever is not compiled seems to be a
 * little faster. */
static void ends_where_estimates_tell_nothing(void **state)
{
    struct search_summary summary;
    struct synthetic space;

    for (uint64_t seed = 0; seed < 2; seed++) {
        struct machine m = {.compile_s = by_parameter, .trial_s = 0.23};

        synthetic_open(&space, SYNTHETIC_EASY, true, 60 + seed);
        space.best_s = INFINITY;
        for (uint64_t i = 0; i < space.count; i++) {
            space.time_s[i] = 28.6e-3 * (1 + 0.03 * sqrt(own(seed, i)));
            space.prediction[i].estimate_s = 26e-3 * (1 + 0.1 * own(seed + 100, i));
            space.prediction[i].bound_s = 20e-3;
            space.best_s = fmin(space.best_s, space.time_s[i]);
        }
        run(&m, &space, (struct search_options){.seed = seed}, 200);
        search_summarise(&summary, m.search);
        print_message("seed %d: %d compiled, %d timed, end %.1f s (%s), best %.4f of all\n", (int)seed,
                      (int)m.asked, (int)m.trials, m.end_s, search_end_text(summary.end),
                      space.best_s / m.best_s);
        assert_int_equal(summary.end, SEARCH_LITTLE);
        assert_true(space.best_s / m.best_s > 0.99);
        close_run(&m);
        synthetic_close(&space);
    }
}

/* Some take as long as the search of the others. */
static double late_by_parameter(const unsigned *choices, uint64_t asked)
{
    return choices[0] == 3 && choices[1] == 3 ? 2.5 : 0.3;
}

/* What comes late is a little faster than the rest, and estimates say so to 1 %. Though little came of what was promised so
 * far, what is compiled and expected to be faster than the best is timed before the end. */
static void what_is_expected_to_be_faster_is_timed(void **state)
{
    struct synthetic space;
    unsigned choices[32];

    for (uint64_t seed = 0; seed < 20; seed++) {
        struct machine m = {.compile_s = late_by_parameter, .trial_s = 0.17};

        synthetic_open(&space, SYNTHETIC_EASY, true, 80 + seed);
        for (uint64_t i = 0; i < space.count; i++) {
            space_configuration(choices, space.space, i);
            space.time_s[i] = 89e-6 * (choices[0] == 3 && choices[1] == 3 ? 1 + 0.5 * own(seed, i)
                                                                          : 1.04 + 0.5 * own(seed, i));
            space.prediction[i].estimate_s = space.time_s[i] * (0.99 + 0.02 * own(seed + 100, i));
            space.prediction[i].bound_s = 40e-6;
        }
        run(&m, &space, (struct search_options){.seed = seed}, 200);
        for (uint64_t i = 0; i < space.count; i++)
            if (m.ready[i] && space.prediction[i].estimate_s < 0.97 * m.best_s)
                fail_msg("seed %d: %g us were expected of one that was not timed, the best has %g", (int)seed,
                         1e6 * space.prediction[i].estimate_s, 1e6 * m.best_s);
        close_run(&m);
        synthetic_close(&space);
    }
}

/* 2 to 11 s, as their parameters tell. */
static double long_by_parameter(const unsigned *choices, uint64_t asked)
{
    return 2 + 0.75 * choices[0] * choices[2];
}

/* What differs from the best in one parameter was compiled, whatever was expected of it. */
static bool has_looked_around(const struct machine *m)
{
    const struct space *space = m->space->space;
    uint64_t *beside = calloc(space_neighbour_limit(space) + 1, sizeof *beside);
    size_t count;
    bool all = true;

    assert_non_null(beside);
    count = space_neighbours(beside, space, m->best_index);
    for (size_t i = 0; i < count; i++)
        all &= m->seen[beside[i]];
    free(beside);
    return all;
}

/* Where compiles take long, a few of them teach too little to believe what is expected of all others: it does
 * not end on them. */
static void long_compiles_do_not_end_it_early(void **state)
{
    struct search_summary summary;
    struct synthetic space;

    for (uint64_t seed = 0; seed < 6; seed++) {
        struct machine m = {.compile_s = long_by_parameter};

        synthetic_open(&space, SYNTHETIC_ROUGH, false, 50 + seed);
        run(&m, &space, (struct search_options){.seed = seed}, 1000);
        search_summarise(&summary, m.search);
        print_message("seed %d: %3d compiled, end %.0f s (%s), best %.4f of all\n", (int)seed, (int)m.asked,
                      m.end_s, search_end_text(summary.end), space.best_s / m.best_s);
        assert_true(summary.end != SEARCH_LITTLE || summary.compiled >= 100);
        assert_true(summary.end != SEARCH_LITTLE || has_looked_around(&m));
        assert_true(space.best_s / m.best_s > 0.97);
        close_run(&m);
        synthetic_close(&space);
    }
}

/* The more a thread computes, the longer: 1 to 7 s. */
static double by_tile(const unsigned *choices, uint64_t asked)
{
    return 0.5 + 0.4 * (choices[2] + 1) * (choices[3] + 1);
}

/* What a launch tells of a configuration is known before it is compiled, and found from few compiles. */
static void finds_tiles_that_divide(void **state)
{
    struct synthetic space;
    double mean = 0;

    for (uint64_t seed = 0; seed < 6; seed++) {
        struct machine m = {.compile_s = by_tile};

        synthetic_open(&space, SYNTHETIC_TILED, false, 70 + seed);
        run(&m, &space, (struct search_options){.seed = seed}, 30);
        print_message("seed %d: %3d compiled in %.0f s, best %.4f of all\n", (int)seed, (int)m.asked, m.end_s,
                      space.best_s / m.best_s);
        mean += space.best_s / m.best_s / 6;
        close_run(&m);
        synthetic_close(&space);
    }
    print_message("mean %.4f\n", mean);
    assert_true(mean > 0.985); /* of choices alone: 0.977 */
}

int main(void)
{
    return RUN_TESTS(nothing_waits_for_one_compile, what_is_long_throughout_is_waited_for,
                     what_compiles_long_is_put_last, ends_when_little_is_expected,
                     long_compiles_do_not_end_it_early, finds_tiles_that_divide,
                     what_is_expected_to_be_faster_is_timed, ends_where_estimates_tell_nothing);
}
