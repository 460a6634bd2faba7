/* The strategy `model`: which configuration is compiled or timed next, if any is now. */
#include "tuner/strategy/model.h"

#include "tuner/strategy/cost.h"

#include <stddef.h>

/* A number of trials is a ration, which compiling is shared out among. Without one, work goes to whatever is
 * free: a GPU times the best there is, a core compiles the best there is, and nothing waits for anything. */
static bool is_rationed(const struct model_search *search)
{
    return search->options.trials != 0;
}

/* Compiled by the last trial: the spread, and some for each trial; few where there are many trials, which
 * teach more, and where the model can read none of them, because then compiling teaches nothing. */
static uint64_t compiled_in_all(const struct model_search *search)
{
    const bool unread = search->told >= search->spread && !search->predicted;
    const uint64_t each =
        unread ? 1 : at_most(AHEAD_MOST, at_least(AHEAD_LEAST, AFTER_SPREAD / search->trials_most));

    return at_most(search->spread + search->trials_most * each,
                   at_least(search->spread, search->compiled_most));
}

/* Without a ration a configuration is worth what it may gain for the time it takes, and the run ends when
 * nothing is. A space that is mostly impossible, where it seems fast, must not be walked through to find that
 * out. */
static bool may_compile(const struct model_search *search)
{
    const uint64_t refused = search->impossible / REFUSED;
    const uint64_t done = is_rationed(search) ? search->asked - search->shared + refused : refused;
    const uint64_t limit =
        search->succeeded || search->timing ? search->compiled_most : search->options.count;

    return search->asked + search->impossible < search->options.count &&
           done < at_least(limit, search->compiled_most);
}

/* At first most are drawn at random, to learn from; where nothing is rationed every other one, once that
 * taught something, since a spread may take long to compile. */
static bool is_spread(const struct model_search *search)
{
    const bool may_plan = !is_rationed(search) && search->learned && search->asked >= SPREAD_LEAST;

    return search->asked < search->spread && !(may_plan && search->asked % 2);
}

/* The next whose result is known already. */
static bool recall(uint64_t *index, struct model_search *search)
{
    while (search->recalled < search->options.answered_count) {
        *index = search->options.answered[search->recalled++];
        if (!map_find(&search->by_index, *index))
            return true;
    }
    return false;
}

bool search_choose_unseen(uint64_t *index, struct model_search *search)
{
    if (!may_compile(search))
        return false;
    if (!search->initial) {
        *index = search->options.first;
        return true;
    }
    if (recall(index, search))
        return true;
    if (search_is_blind(search))
        return search_draw(index, search);
    if (is_spread(search))
        return search_draw_cheap(index, search);
    if (search->asked % BESIDE == 1 && !is_rationed(search) && search_draw_beside(index, search))
        return true;
    if (!search_promises(search))
        return search->asked < search_compiled_least(search) && search_draw_cheap(index, search);
    if (search->asked % EXPLORE == 0 && search_draw_cheap(index, search))
        return true;
    *index = search_planned(search);
    return true;
}

/* Too little is compiled yet to choose the next trial of a ration from: most of the spread before the first,
 * all that the trials are worth before the last. The default needs no comparison, and a few that take long to
 * compile are not waited for. */
bool search_is_hungry(const struct model_search *search)
{
    const uint64_t all = compiled_in_all(search), first = at_most(search->spread, EARLY);
    const uint64_t before = search->started ? search->started - 1 : 0;
    const uint64_t wanted = first + before * (all - first) / search->trials_most;

    return is_rationed(search) && search->started &&
           search->told + search->spread / STRAGGLERS < at_most(wanted, all);
}

bool search_is_ahead(const struct model_search *search)
{
    const uint64_t beyond = compiled_in_all(search) - search->spread;

    return is_rationed(search) &&
           search->asked >=
               search->spread + at_least((search->timed + 2) * 2 * beyond / search->trials_most, 1);
}

bool search_may_time(const struct model_search *search)
{
    return search->started < search->trials_most;
}

/* The default comes first, which the others are compared with; unless it takes so long to compile that there
 * is enough to begin with. */
static bool awaits_initial(const struct model_search *search)
{
    return search->initial && search->initial->stage == COMPILING &&
           search->told < at_most(search->spread, EARLY);
}

/* A GPU that has nothing worth a trial before the next is compiled may as well learn from what is not. */
static bool is_idle_time_free(const struct model_search *search)
{
    const double cores = search->options.cores ? search->options.cores : 1;

    return !is_rationed(search) && search->under_way_count &&
           cost_trial_s(search->cost) < cost_usual_compile_s(search->cost) / cores;
}

/* Of what is ready and known the one that was known first; null: none is. */
static struct member *first_answered(const struct model_search *search)
{
    struct member *first = NULL;

    for (size_t i = 0; i < search->ready_count; i++) {
        struct member *member = search->ready[i];

        if (member->answered && (!first || member->recalled < first->recalled))
            first = member;
    }
    return first;
}

/* Whether something whose result is known has yet to be compiled. */
static bool is_recalling(const struct model_search *search)
{
    for (size_t i = 0; i < search->under_way_count; i++)
        if (search->under_way[i]->recalled)
            return true;
    return search->recalled < search->options.answered_count;
}

/* A trial that is worth it; the first few are taken in any case, to learn from. */
struct member *search_choose_ready(struct model_search *search)
{
    bool worthwhile;
    struct member *member;

    if (!search_may_time(search) || (search->started == 0 && awaits_initial(search)))
        return NULL;
    if (search->initial && search->initial->stage == READY)
        return search->initial;
    if (is_rationed(search) && is_recalling(search) && search_awaits(search, false))
        return NULL; /* the ration goes to those first that had it before */
    member = first_answered(search);
    if (member)
        return member;
    if (!search->learned && search->under_way_count) /* what is ready cannot be told apart */
        return NULL;
    member = search_best_ready(&worthwhile, search);
    if (member && !worthwhile && search->started >= TRIALS_LEAST && !is_idle_time_free(search))
        return NULL;
    return member;
}
