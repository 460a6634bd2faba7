/* What a step is expected to gain, and what that costs. */
#include "tuner/strategy/model.h"

#include "base/array.h"

#include "tuner/strategy/cost.h"

#include <math.h>
#include <string.h>

/* Standard deviation of the logarithm of a time before it is compiled, for the order in which to compile. */
static const double usual_deviation = 0.15;

/* A gain that may come though none was promised: before there is a past, promises are believed, and after one
 * that kept none of them they still count for something. The longer that past, the less: where promises never end, since
 * estimates tell nothing, a run would not either. */
static const double unpromised = 0.002;
static const double unpromised_s = 10;

/* "As long again" is at least this long: short runs cost nothing. */
static const double again_least_s = 2;

/* A compile is not waited for at the end when it takes this long, and several times what it should. */
static const double overdue_s = 2;

/* Before analyses are believed so many must have been compiled; or, where a compile takes long, this long.
 * 10 s were too little: some 70 of 2,716 variants of a convolution, whose best of then could be 26 % slower than
 * what the next 70 found. */
static const double surprise_s = 60;

/* The rest of a space is compiled where that takes at most so much of the time so far. What is expected of a configuration
 * before it is compiled rests on others: in two of 36 runs the one that is predicted first was among the few left. */
static const double rest_share = 0.5;

/* The mean of max(0, x) for x normal around `ahead`. */
static double expected_excess(double ahead, double deviation)
{
    const double z = ahead / deviation;

    return ahead * erfc(-z * M_SQRT1_2) / 2 + deviation * exp(-z * z / 2) / sqrt(2 * M_PI);
}

double search_gain(const struct expected *expected, double best_s)
{
    if (isinf(best_s))
        return expected->deviation;
    return expected_excess(log(best_s / expected->time_s), fmax(expected->deviation, 1e-6));
}

/* Logarithm of expected_excess(), to where that is too small for a number. */
static double log_excess(double ahead, double deviation)
{
    const double z = ahead / deviation;

    if (z > -8)
        return log(expected_excess(ahead, deviation));
    return log(deviation) - z * z / 2 - 2 * log(-z) - log(sqrt(2 * M_PI));
}

double search_worth(const struct model_search *search, const unsigned *choices)
{
    const double log_time = posterior_log_time(search->posterior, choices);
    const double cores = search->options.cores ? search->options.cores : 1;
    const double cost_s = cost_compile_s(search->cost, choices) / cores + cost_trial_s(search->cost);
    const double best = isinf(search->best_s) ? 0 : log(search->best_s);

    if (isinf(search->best_s))
        return -log_time / usual_deviation - log(cost_s);
    return log_excess(best - log_time, usual_deviation) - log(cost_s);
}

/* The end ------------------------------------------------------------------ */

/* Gain per second of compiling as planned. A plan that was used up without a single trial that came of it promises
 * nothing; after trials there is another. */
static double plan_rate(struct model_search *search)
{
    if (!search->plan_count && search->plan_count_made && search->started == search->plan_started)
        return 0;
    return search_has_plan(search) && search->plan_s > 0 ? search->plan_gain / search->plan_s : 0;
}

void search_count_compile(struct model_search *search)
{
    if (search->plan_count_made)
        search->promised[PROMISE_COMPILE] += search->plan_gain / (double)search->plan_count_made;
}

int search_remember(struct model_search *search, double gain, struct err *err)
{
    struct past now = {search->now_s, log(search->best_s), {0}};

    search->promised[PROMISE_TRIAL] += gain;
    memcpy(now.promised, search->promised, sizeof now.promised);
    if (ARRAY_GROW(search->past, search->past_count, err))
        return ERR_MEMORY;
    search->past[search->past_count++] = now;
    return 0;
}

/* How much of what was promised came true in the second half of the time so far. */
static double kept(const struct model_search *search, enum promise by)
{
    const struct past *last = &search->past[search->past_count - 1];
    const double prior = unpromised * fmin(1, unpromised_s / search->now_s);
    size_t i = search->past_count - 1;

    while (i > 0 && search->past[i].now_s > search->now_s / 2)
        i--;
    if (isinf(search->past[i].log_best))
        return 1;
    return fmin(1, (prior + search->past[i].log_best - last->log_best) /
                       (prior + last->promised[by] - search->past[i].promised[by]));
}

/* Of all that is compiled, or of as much as there is time for. */
static double ready_gain(const struct model_search *search, double seconds)
{
    double sum = 0;
    size_t i, count = 0;

    for (i = 0; i < search->ready_count; i++)
        if (!search_bounded(search, search->ready[i])) {
            sum += search->ready[i]->gain;
            count++;
        }
    return sum * fmin(1, seconds / (cost_trial_s(search->cost) * (double)count + 1e-9));
}

/* Whether something that is compiled is expected to be faster than the best, and not only that it may be. However few promises
 * were kept, a trial costs little beside what is missed. */
static bool expects_faster(const struct model_search *search)
{
    for (size_t i = 0; i < search->ready_count; i++) {
        const struct member *member = search->ready[i];

        if (!search_bounded(search, member) && member->likely_s > 0 &&
            member->likely_s < (1 - SEARCH_WORTHWHILE) * search->best_s)
            return true;
    }
    return false;
}

/* Whether a compile takes much longer than expected, and than those that have ended took from when they were asked for. At
 * first, where less than half has, those say little: what is under way may take as long throughout. */
static bool is_overdue(const struct model_search *search, const struct member *member)
{
    const double usual_s = fmax(member->expected_s, search->waited_s / fmax((double)search->told, 1));
    const bool tells_little = search->told < search->under_way_count && search->now_s < surprise_s;

    return !tells_little && search->now_s - member->asked_s > fmax(overdue_s, DEAR * usual_s);
}

/* Of what is being compiled, which no plan holds any more: of a small space that may be all that is left. */
static double under_way_gain(const struct model_search *search)
{
    double sum = 0;

    for (size_t i = 0; i < search->under_way_count; i++) {
        const struct member *member = search->under_way[i];
        struct expected expected;

        if (!member->audit && !is_overdue(search, member) &&
            posterior_expects(&expected, search->posterior, member->choices, NULL))
            sum += search_gain(&expected, search->best_s);
    }
    return sum;
}

/* Trials before analyses are believed. Where most of what is compiled has no prediction they rest on
 * measured times alone, and promise too little while these are few. */
static uint64_t trials_least(const struct model_search *search)
{
    return 2 * search->predicted < search->told ? search_allowance(search->options.count) : TRIALS_LEAST;
}

/* Whether something is not known yet: what is being compiled counts, unless it takes much longer than expected. */
static bool is_unseen_left(const struct model_search *search)
{
    return search->told + search_overdue(search) + search->impossible < search->options.count;
}

uint64_t search_compiled_least(const struct model_search *search)
{
    const double cores = search->options.cores ? search->options.cores : 1;
    const uint64_t possible = search->options.count - search->impossible;
    const double rest_s = (double)(possible - search->asked) * cost_usual_compile_s(search->cost) / cores;

    return rest_s < rest_share * search->now_s ? possible : search->compiled_least;
}

bool search_may_surprise(const struct model_search *search)
{
    return is_unseen_left(search) && search->told < search_compiled_least(search) &&
           search->now_s < surprise_s;
}

/* Promises of single steps are summed up as if none stood in another's way, and those of what is not compiled
 * are the most hopeful of many: so each kind is weighed by how far it was kept of late. */
bool search_is_exhausted(struct model_search *search)
{
    const double again_s = fmax(search->now_s, again_least_s);
    double compiles, trials;
    uint64_t unseen;

    if (search->options.trials || search->options.goes_on || isinf(search->best_s) ||
        search->started < trials_least(search))
        return false;
    if (is_unseen_left(search) && search->told < search->spread)
        return false;
    if (search_may_surprise(search) || expects_faster(search))
        return false;
    if (search_draw_beside(&unseen, search))
        return false;
    compiles = plan_rate(search) * again_s + under_way_gain(search);
    trials = ready_gain(search, again_s);
    search->again_s = again_s;
    search->further_gain = kept(search, PROMISE_COMPILE) * compiles + kept(search, PROMISE_TRIAL) * trials;
    return search->further_gain < SEARCH_WORTHWHILE;
}

size_t search_overdue(const struct model_search *search)
{
    size_t i, count = 0;

    for (i = 0; i < search->under_way_count; i++)
        count += is_overdue(search, search->under_way[i]);
    return count;
}

bool search_is_too_dear(const struct model_search *search, const unsigned *choices)
{
    const double dear_s = DEAR * cost_usual_compile_s(search->cost);
    const unsigned most = search->options.cores / 4 ? search->options.cores / 4 : 1;
    unsigned under_way = 0;

    if (cost_compile_s(search->cost, choices) <= dear_s)
        return false;
    for (size_t i = 0; i < search->under_way_count; i++) {
        const struct member *member = search->under_way[i];

        under_way += member->expected_s > dear_s || is_overdue(search, member);
    }
    return under_way >= most;
}

/* While nothing has run correctly there is nothing to end with, and how long compiling takes is a guess. */
bool search_awaits(const struct model_search *search, bool audit)
{
    const bool has_nothing = isinf(search->best_s);

    for (size_t i = 0; i < search->under_way_count; i++) {
        const struct member *member = search->under_way[i];

        if (member->audit == audit && (has_nothing || !is_overdue(search, member)))
            return true;
    }
    return false;
}
