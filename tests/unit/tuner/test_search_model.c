/* The strategy `model` on spaces whose truth is known: whole runs. Single steps are in test_search_steps.c. */
#include "check.h"
#include "synthetic.h"

#include "base/clock.h"
#include "base/stats.h"

/* How good searches are on average is held over 24 seeds. A sanitizer, which looks at memory, gets fewer: what
 * holds of each single run is checked all the same. */
#ifndef SEEDS
#define SEEDS 24
#endif
enum { HOLDS_AVERAGES = SEEDS >= 24 };

/* Runs SEEDS spaces of a kind, with a small ration of trials or until it ends by itself; quality[i] is the
 * best time of all over the best found. */
static void run_seeds(double quality[SEEDS], double random[SEEDS], enum synthetic_kind kind, bool rationed)
{
    struct search_options options = {.audit = 10};
    struct synthetic synthetic;
    struct synthetic_run run;

    for (uint64_t s = 0; s < SEEDS; s++) {
        synthetic_open(&synthetic, kind, false, 1000 + s);
        options = (struct search_options){.strategy = &strategy_model, .seed = s, .audit = 10};
        options.trials = rationed ? search_allowance(synthetic.count) : 0;
        synthetic_search(&run, &synthetic, &options, 6);
        quality[s] = synthetic.best_s / run.best_s;
        assert_true(!rationed || run.timed <= options.trials);
        assert_true(!rationed || run.compiled <= synthetic.count / 10);
        assert_int_equal(run.timed, run.summary.timed);
        assert_in_range(run.compiled - run.summary.compiled, 0, 6); /* some became the audit's */
        assert_int_equal(run.audited, run.summary.audit.timed);
        assert_false(run.lost_by_bound);
        options = (struct search_options){.strategy = &strategy_random, .seed = s, .trials = run.timed};
        synthetic_search(&run, &synthetic, &options, 6);
        random[s] = synthetic.best_s / run.best_s;
        synthetic_close(&synthetic);
    }
}

static void check_kind(enum synthetic_kind kind, double median, double tenth)
{
    double quality[SEEDS], random[SEEDS];

    for (int rationed = 0; rationed < 2; rationed++) {
        run_seeds(quality, random, kind, rationed);
        print_message("%sbest found: median %.4f, tenth percentile %.4f; random search %.4f\n",
                      rationed ? "rationed, " : "", stats_median(quality, SEEDS),
                      stats_quantile(quality, SEEDS, 0.1), stats_median(random, SEEDS));
        if (!HOLDS_AVERAGES)
            continue;
        assert_true(stats_median(quality, SEEDS) >= median);
        assert_true(stats_quantile(quality, SEEDS, 0.1) >= tenth);
        assert_true(stats_median(quality, SEEDS) > stats_median(random, SEEDS));
    }
}

static void finds_the_best_where_it_is_easy(void **state)
{
    check_kind(SYNTHETIC_EASY, 0.99, 0.97);
}

static void finds_the_best_where_parameters_interact(void **state)
{
    check_kind(SYNTHETIC_ROUGH, 0.97, 0.90);
}

static void finds_a_needle(void **state)
{
    check_kind(SYNTHETIC_NEEDLE, 0.98, 0.80);
}

/* Measurements outvote it. */
static void survives_a_misleading_model(void **state)
{
    check_kind(SYNTHETIC_MISLEADING, 0.98, 0.93);
}

static void goes_by_measurements_where_nothing_is_predicted(void **state)
{
    check_kind(SYNTHETIC_REFUSED, 0.98, 0.93);
}

static void survives_throughput_falling_with_occupancy(void **state)
{
    check_kind(SYNTHETIC_FALLING, 0.98, 0.93);
}

/* Where the GPU was faster at first, nothing later seems to beat what was timed then. Told of it, the search finds as much as
 * where the GPU stays as it is. */
static void bears_a_gpu_that_warms(void **state)
{
    double quality[2][SEEDS];
    uint64_t timed[2] = {0};
    struct synthetic synthetic;
    struct synthetic_run run;

    for (int corrects = 0; corrects < 2; corrects++)
        for (uint64_t s = 0; s < SEEDS; s++) {
            const struct search_options options = {.strategy = &strategy_model, .seed = s};

            synthetic_open(&synthetic, SYNTHETIC_EASY, false, 1000 + s);
            synthetic.cool = 20;
            synthetic.corrects = corrects;
            synthetic_search(&run, &synthetic, &options, 6);
            quality[corrects][s] = synthetic.best_s / run.best_s;
            timed[corrects] += run.timed;
            synthetic_close(&synthetic);
        }
    print_message("told of it: median %.4f, tenth percentile %.4f, %.1f trials; not told: %.4f, %.4f, %.1f\n",
                  stats_median(quality[1], SEEDS), stats_quantile(quality[1], SEEDS, 0.1),
                  (double)timed[1] / SEEDS, stats_median(quality[0], SEEDS),
                  stats_quantile(quality[0], SEEDS, 0.1), (double)timed[0] / SEEDS);
    if (!HOLDS_AVERAGES)
        return;
    assert_true(stats_median(quality[1], SEEDS) >= 0.99);
    assert_true(stats_quantile(quality[1], SEEDS, 0.1) >= 0.97);
    assert_true(stats_quantile(quality[1], SEEDS, 0.1) > stats_quantile(quality[0], SEEDS, 0.1));
}

/* What costs no compile is not counted against what may be compiled. */
static void compiles_more_where_codes_are_shared(void **state)
{
    const struct search_options options = {.strategy = &strategy_model, .seed = 3, .trials = 70};
    struct synthetic synthetic;
    struct synthetic_run apart, sharing;
    uint64_t most;

    synthetic_open(&synthetic, SYNTHETIC_MISLEADING, false, 1003);
    most = synthetic.count / 10 > options.trials ? synthetic.count / 10 : options.trials;
    synthetic_search(&apart, &synthetic, &options, 6);
    assert_int_equal(apart.compiled, most);
    assert_int_equal(apart.summary.shared, 0);
    synthetic.sharing = true;
    synthetic_search(&sharing, &synthetic, &options, 6);
    assert_true(sharing.summary.shared > 0);
    assert_true(sharing.compiled > most);
    assert_true(sharing.compiled - sharing.summary.shared <= most);
    synthetic_close(&synthetic);
}

/* By its last trial all has been compiled that may be, but for what is still under way; and what is refused
 * without compiling takes next to nothing from that. */
static void uses_what_it_may_compile(void **state)
{
    struct search_options options = {.strategy = &strategy_model, .seed = 2};
    struct synthetic synthetic;
    struct synthetic_run run;

    synthetic_open(&synthetic, SYNTHETIC_EASY, false, 1002);
    options.trials = search_allowance(synthetic.count);
    for (int refusing = 0; refusing < 2; refusing++) {
        synthetic.refusing = refusing;
        synthetic_search(&run, &synthetic, &options, 1);
        assert_int_equal(run.timed, synthetic.count / 50);
        assert_in_range(run.summary.compiled, synthetic.count * 9 / 100, synthetic.count / 10);
        assert_true(refusing ? run.compiled > run.summary.compiled : run.compiled == run.summary.compiled);
    }
    synthetic_close(&synthetic);
}

/* The work does not grow with the space: 2,000 compiled and 250 timed at most, and the search's own part of
 * it takes seconds. */
static void takes_a_large_space_to_its_end(void **state)
{
    const struct search_options options = {.strategy = &strategy_model, .seed = 1};
    struct synthetic synthetic;
    struct synthetic_run run;
    double began_s;

    synthetic_open(&synthetic, SYNTHETIC_EASY, true, 5);
    began_s = clock_core_s();
    synthetic_search(&run, &synthetic, &options, 16);
    print_message("%llu configurations: %llu compiled, %llu timed, %.2f s of one core\n",
                  (unsigned long long)synthetic.count, (unsigned long long)run.compiled,
                  (unsigned long long)run.timed, clock_core_s() - began_s);
    assert_true(synthetic.count > 100000);
    assert_true(run.compiled <= 2000 && run.timed <= 250);
    assert_int_not_equal(run.summary.end, SEARCH_GOING);
    assert_true(clock_core_s() - began_s < 60); /* sanitizers are slow */
    assert_true(synthetic.best_s / run.best_s > 0.95);
    assert_int_equal(run.summary.not_compiled, synthetic.count - run.compiled);
    synthetic_close(&synthetic);
}

/* Everything is tried before it says that nothing runs. */
static void tries_all_when_all_are_wrong(void **state)
{
    const struct search_options options = {.strategy = &strategy_model, .audit = 10};
    struct synthetic synthetic;
    struct synthetic_run run;

    synthetic_open(&synthetic, SYNTHETIC_WRONG, false, 3);
    synthetic_search(&run, &synthetic, &options, 6);
    assert_int_equal(run.timed, synthetic.count);
    assert_int_equal(run.audited, 0);
    assert_int_equal(run.summary.end, SEARCH_ALL);
    synthetic_close(&synthetic);
}

/* One trial: the default. Two: one more, chosen. */
static void keeps_a_small_budget(void **state)
{
    struct synthetic synthetic;
    struct synthetic_run run;

    synthetic_open(&synthetic, SYNTHETIC_EASY, false, 4);
    for (uint64_t trials = 1; trials <= 3; trials++) {
        const struct search_options options = {.strategy = &strategy_model, .trials = trials};

        synthetic_search(&run, &synthetic, &options, 6);
        assert_int_equal(run.timed, trials);
        assert_int_equal(run.summary.end, SEARCH_SPENT);
        if (trials == 1)
            check_near(run.best_s, synthetic.time_s[synthetic.first], 0);
        else
            assert_true(run.best_s <= synthetic.time_s[synthetic.first]);
    }
    synthetic_close(&synthetic);
}

/* A larger budget than the search needs is not used up; one larger than a tenth of the space is possible. */
static void takes_a_large_budget(void **state)
{
    const struct search_options options = {.strategy = &strategy_model, .trials = 1000000};
    struct synthetic synthetic;
    struct synthetic_run run;

    synthetic_open(&synthetic, SYNTHETIC_ROUGH, false, 4);
    synthetic_search(&run, &synthetic, &options, 6);
    assert_true(run.timed <= synthetic.count);
    assert_true(synthetic.best_s / run.best_s > 0.99);
    synthetic_close(&synthetic);
}

/* Where no more may be compiled before something is timed, it goes on with what there is, and ends. */
static void goes_on_where_little_can_wait(void **state)
{
    const struct search_options options = {.strategy = &strategy_model, .trials = 30};
    struct synthetic synthetic;
    struct synthetic_run run;

    synthetic_open(&synthetic, SYNTHETIC_EASY, false, 4);
    synthetic.ready_most = 40;
    synthetic_search(&run, &synthetic, &options, 6);
    assert_true(run.timed > 10);
    assert_true(synthetic.best_s / run.best_s > 0.9);
    synthetic_close(&synthetic);
}

/* Recordings that contradict the bounds and themselves: it ends, and says what it found. */
static void bears_contradictory_recordings(void **state)
{
    const struct search_options options = {.strategy = &strategy_model, .audit = 20};
    struct synthetic synthetic;
    struct synthetic_run run;

    synthetic_open(&synthetic, SYNTHETIC_EASY, false, 8);
    synthetic.noise = 0.4;
    for (uint64_t i = 0; i < synthetic.count; i += 3)
        synthetic.prediction[i].bound_s = 10;
    synthetic_search(&run, &synthetic, &options, 6);
    assert_true(isfinite(run.best_s));
    assert_true(run.timed >= 10);
    synthetic_close(&synthetic);
}

/* No variant without a prediction is cut, by its bound or by others' estimates: with trials enough all of
 * them are timed, and at the end of a few they are left. */
static void cuts_nothing_that_is_unread(void **state)
{
    struct search_options options = {.strategy = &strategy_model};
    struct synthetic synthetic;
    struct synthetic_run run;
    uint64_t i, trials[] = {0, 20, 1000000};

    synthetic_open(&synthetic, SYNTHETIC_EASY, false, 9);
    for (i = 0; i < synthetic.count; i++)
        if (i % 3 == 0)
            synthetic.prediction[i] = (struct search_prediction){.bound_s = 1e9, .estimate_s = 1e9};
    for (size_t t = 0; t < sizeof trials / sizeof *trials; t++) {
        options.trials = trials[t];
        synthetic_search(&run, &synthetic, &options, 6);
        assert_true(run.summary.refused > 0);
        assert_int_equal(run.unread_cut, 0);
        assert_true(run.timed >= 10);
    }
    assert_true(run.timed >= run.summary.refused);
    assert_int_equal(run.summary.promising, 0);
    synthetic_close(&synthetic);
}

/* A bound that is likely, no more, cuts nothing. */
static void cuts_by_no_bound_that_is_not_proved(void **state)
{
    const struct search_options options = {.strategy = &strategy_model};
    struct synthetic synthetic;
    struct synthetic_run run;

    for (int likely = 0; likely < 2; likely++) {
        synthetic_open(&synthetic, SYNTHETIC_EASY, false, 9);
        for (uint64_t i = 0; i < synthetic.count; i++) {
            synthetic.prediction[i].bound_s = i % 3 ? synthetic.prediction[i].bound_s : 1e9;
            synthetic.prediction[i].likely = likely;
        }
        synthetic_search(&run, &synthetic, &options, 6);
        assert_int_equal(run.summary.cut_bound == 0, likely);
        synthetic_close(&synthetic);
    }
}

/* The true share of the pruned that are faster lies below the stated limit in 95 % of runs. */
static void audit_keeps_its_word(void **state)
{
    enum { RUNS = SEEDS * 10 / 3 };
    struct synthetic synthetic;
    struct synthetic_run run;
    unsigned kept = 0, r;

    for (r = 0; r < RUNS; r++) {
        const struct search_options options = {
            .strategy = &strategy_model, .seed = r, .audit = 20, .trials = 2 + r % 5};

        synthetic_open(&synthetic, (enum synthetic_kind)(r % SYNTHETIC_WRONG), false, r / 6);
        synthetic_search(&run, &synthetic, &options, 4);
        assert_int_equal(run.summary.audit.timed, 20);
        assert_int_equal(run.summary.audit.faster, run.audited_faster);
        kept += (double)run.passed_over_faster / (double)run.passed_over <= run.summary.audit.limit;
        synthetic_close(&synthetic);
    }
    print_message("kept in %u of %d runs\n", kept, RUNS);
    assert_true(!HOLDS_AVERAGES || kept >= 0.95 * RUNS);
}

static void repeats_itself(void **state)
{
    const struct search_options options = {.strategy = &strategy_model, .seed = 5, .audit = 5};
    struct synthetic synthetic;
    struct synthetic_run a, b;

    synthetic_open(&synthetic, SYNTHETIC_ROUGH, false, 2);
    synthetic_search(&a, &synthetic, &options, 5);
    synthetic_search(&b, &synthetic, &options, 5);
    assert_memory_equal(&a.after, &b.after, sizeof a.after);
    assert_int_equal(a.compiled, b.compiled);
    check_near(a.summary.audit.nearest, b.summary.audit.nearest, 0);
    synthetic_close(&synthetic);
}

int main(void)
{
    return RUN_TESTS(
        finds_the_best_where_it_is_easy, finds_the_best_where_parameters_interact, finds_a_needle,
        bears_a_gpu_that_warms, survives_a_misleading_model, compiles_more_where_codes_are_shared,
        uses_what_it_may_compile, goes_by_measurements_where_nothing_is_predicted,
        survives_throughput_falling_with_occupancy, takes_a_large_space_to_its_end,
        tries_all_when_all_are_wrong, keeps_a_small_budget, takes_a_large_budget,
        goes_on_where_little_can_wait, bears_contradictory_recordings, cuts_nothing_that_is_unread,
        cuts_by_no_bound_that_is_not_proved, audit_keeps_its_word, repeats_itself);
}
