/* What strategy.h promises of every strategy, for every row of the table. */
#include "check.h"
#include "synthetic.h"

enum { LANES = 5 };

/* One run: what was asked for, and what was told. */
struct watch {
    const struct synthetic *s;
    const struct strategy *strategy;
    struct search *search;
    struct search_step lanes[LANES]; /* under way, oldest first */
    size_t count, timing, compiles;
    unsigned char *compiled, *timed; /* by index: how often asked */
    bool *ready;                     /* by index: told to have compiled */
    uint64_t visited, trials;        /* an audit left out */
    uint64_t trail;                  /* of all steps, in order */
    bool refuses;                    /* to compile, from now on */
};

static bool fails(uint64_t index)
{
    return index % 7 == 3;
}

static struct search_capacity capacity(const struct watch *w)
{
    return (struct search_capacity){.compile = !w->refuses && w->count < LANES,
                                    .time = w->timing < w->strategy->trials_ahead && w->count < LANES};
}

static void started(struct watch *w, struct search_step step)
{
    const bool times = step.action == SEARCH_TIME;

    assert_true(step.index < w->s->count);
    assert_true(times ? capacity(w).time : capacity(w).compile);
    assert_int_equal(times ? w->timed[step.index]++ : w->compiled[step.index]++, 0);
    assert_true(!times || w->ready[step.index]);
    assert_true(!step.audit || w->strategy->prunes);
    w->visited += !times && !step.audit;
    w->trials += times && !step.audit;
    w->compiles += !times;
    w->timing += times;
    w->trail = w->trail * 31 + 2 * step.index + times;
    w->lanes[w->count++] = step;
}

/* The youngest and the oldest in turns: tells come in any order. */
static void finish_one(struct watch *w)
{
    const size_t at = w->compiles % 2 ? 0 : w->count - 1;
    const struct search_step step = w->lanes[at];
    struct search_facts facts = {.timed = step.action == SEARCH_TIME};

    memmove(w->lanes + at, w->lanes + at + 1, (--w->count - at) * sizeof *w->lanes);
    w->timing -= facts.timed;
    if (facts.timed)
        facts.time_s = w->s->time_s[step.index];
    else if (fails(step.index))
        facts.outcome = OUTCOME_COMPILE;
    else if (w->strategy->reads_predictions)
        facts.prediction = w->s->prediction[step.index];
    w->ready[step.index] |= facts.outcome == OUTCOME_OK;
    assert_int_equal(search_tell(w->search, step.index, &facts, NULL), 0);
}

static void check_end(struct watch *w, uint64_t trials)
{
    const uint64_t runnable = w->s->count - (w->s->count + 3) / 7;
    struct search_summary summary;
    uint64_t i, compiling = 0;

    for (i = 0; i < w->count; i++)
        compiling += w->lanes[i].action == SEARCH_COMPILE && !w->lanes[i].audit;
    assert_int_equal(w->timing, 0);
    search_summarise(&summary, w->search);
    assert_int_equal(search_visited(w->search), w->visited);
    assert_int_equal(summary.compiled, w->visited - compiling);
    assert_int_equal(summary.timed, w->trials);
    assert_true(!trials || w->trials <= trials);
    assert_true(w->refuses || summary.end != SEARCH_GOING);
    if (w->strategy->knows_total && !trials && !w->refuses)
        assert_int_equal(w->trials, runnable);
    assert_int_equal(!w->strategy->prunes, !w->strategy->fate);
    assert_int_equal(!w->strategy->prunes, !w->strategy->cuts);
    for (i = 0; w->strategy->prunes && i < w->s->count; i++)
        assert_in_range(search_fate(w->search, i), SEARCH_TRIED, SEARCH_LEFT);
}

/* Runs one search to its end; `refuse_after` so many compiles, none more is allowed. Its trail. */
static uint64_t drive(const struct synthetic *s, const struct strategy *strategy, uint64_t trials,
                      uint64_t refuse_after)
{
    const struct search_options options = {.strategy = strategy,
                                           .seed = 4,
                                           .count = s->count,
                                           .first = s->first,
                                           .trials = trials,
                                           .audit = strategy->prunes ? 6 : 0,
                                           .cores = LANES,
                                           .space = s->space,
                                           .spec = &s->spec};
    struct watch w = {.s = s, .strategy = strategy};
    struct search_step step = {.action = SEARCH_WAIT};

    w.compiled = calloc(3, s->count);
    w.ready = calloc(s->count, sizeof *w.ready);
    assert_non_null(w.compiled);
    assert_non_null(w.ready);
    w.timed = w.compiled + s->count;
    assert_int_equal(search_open(&w.search, &options, NULL), 0);
    assert_int_equal(search_visited(w.search), 0);
    while (true) {
        w.refuses = w.compiles >= refuse_after;
        assert_int_equal(search_next(&step, w.search, capacity(&w), NULL), 0);
        if (step.action == SEARCH_STOP)
            break;
        if (step.action != SEARCH_WAIT) {
            started(&w, step);
        } else if (w.count) {
            finish_one(&w);
        } else {
            assert_true(w.refuses); /* it may wait for a core, but for nothing else */
            break;
        }
    }
    check_end(&w, trials);
    search_close(w.search);
    free(w.compiled);
    free(w.ready);
    return w.trail;
}

static void each_index_at_most_once(void **state)
{
    struct synthetic s;

    synthetic_open(&s, SYNTHETIC_EASY, false, 1);
    for (size_t k = 0; strategies[k]; k++) {
        const uint64_t trail = drive(&s, strategies[k], 0, UINT64_MAX);

        assert_int_equal(trail, drive(&s, strategies[k], 0, UINT64_MAX)); /* told the same, asks the same */
        drive(&s, strategies[k], 1, UINT64_MAX);
        drive(&s, strategies[k], 25, UINT64_MAX);
    }
    synthetic_close(&s);
}

static void refused_compiling_times_what_is_ready(void **state)
{
    struct synthetic s;

    synthetic_open(&s, SYNTHETIC_ROUGH, false, 2);
    for (size_t k = 0; strategies[k]; k++) {
        drive(&s, strategies[k], 0, 0);
        drive(&s, strategies[k], 0, 30);
        drive(&s, strategies[k], 40, 30);
    }
    synthetic_close(&s);
}

/* Everything is compiled first, then the plan is timed in its order; what did not compile is passed over. */
static void a_plan_is_followed(void **state)
{
    struct search_capacity all = {true, true, 0};
    const uint64_t plan[] = {9, 3, 0, 7};
    struct search_options options = {
        .strategy = &strategy_planned, .count = 10, .plan = plan, .plan_count = 4};
    struct search_facts facts = {0};
    struct search_step step;
    struct search_summary summary;
    struct search *search;

    assert_int_equal(search_open(&search, &options, NULL), 0);
    for (uint64_t i = 0; i < 10; i++) {
        assert_int_equal(search_next(&step, search, all, NULL), 0);
        assert_int_equal(step.action, SEARCH_COMPILE);
        assert_int_equal(step.index, i);
    }
    for (uint64_t i = 10; i-- > 0;) {
        assert_int_equal(search_next(&step, search, all, NULL), 0);
        assert_int_equal(step.action, SEARCH_WAIT);
        facts.outcome = fails(i) ? OUTCOME_COMPILE : OUTCOME_OK;
        assert_int_equal(search_tell(search, i, &facts, NULL), 0);
    }
    facts = (struct search_facts){.timed = true, .time_s = 1};
    for (uint64_t i = 0; i < 4; i++) {
        if (fails(plan[i]))
            continue;
        assert_int_equal(search_next(&step, search, all, NULL), 0);
        assert_int_equal(step.action, SEARCH_TIME);
        assert_int_equal(step.index, plan[i]);
        assert_int_equal(search_tell(search, plan[i], &facts, NULL), 0);
    }
    assert_int_equal(search_next(&step, search, all, NULL), 0);
    assert_int_equal(step.action, SEARCH_STOP);
    search_summarise(&summary, search);
    assert_int_equal(summary.end, SEARCH_ALL);
    assert_int_equal(summary.compiled, 10);
    assert_int_equal(summary.timed, 3);
    assert_int_equal(search_visited(search), 10);
    search_close(search);
}

/* All names of the table as a sentence lists them. */
static void list_rows(char *out, size_t size, const char *mark, const char *last)
{
    size_t used = 0;

    for (size_t k = 0; strategies[k]; k++)
        used += (size_t)snprintf(out + used, size - used, "%s%s%s",
                                 k == 0              ? ""
                                 : strategies[k + 1] ? ", "
                                                     : last,
                                 strategies[k]->name, k == 0 ? mark : "");
}

/* No two rows have one name, each is found by it, and lists hold every one. */
static void names_are_of_the_table(void **state)
{
    char names[STRATEGY_NAMES_MAX], expected[STRATEGY_NAMES_MAX], small[6];

    strategy_names(names, sizeof names);
    for (size_t k = 0; strategies[k]; k++) {
        assert_ptr_equal(strategy_find(strategies[k]->name), strategies[k]);
        assert_non_null(strstr(names, strategies[k]->name));
    }
    list_rows(expected, sizeof expected, "", ", ");
    assert_string_equal(names, expected);
    assert_memory_equal(names, "model, exhaustive, random", 25);
    strategy_choices(names, sizeof names);
    list_rows(expected, sizeof expected, " (default)", " or ");
    assert_string_equal(names, expected);
    strategy_pruning(names, sizeof names);
    assert_string_equal(names, "model");
    strategy_names(small, sizeof small);
    assert_string_equal(small, "model");
}

int main(void)
{
    return RUN_TESTS(each_index_at_most_once, refused_compiling_times_what_is_ready, a_plan_is_followed,
                     names_are_of_the_table);
}
