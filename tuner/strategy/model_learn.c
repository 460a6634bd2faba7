/* What the strategy `model` learns of what it was told. */
#include "tuner/strategy/model.h"

#include "base/array.h"

#include "tuner/strategy/cost.h"

#include <math.h>

/* When an eighth was compiled since, or one more takes long. */
static bool are_costs_due(const struct model_search *search)
{
    return search->told >= search->costs_at + search->costs_at / 8 + 1 ||
           search_overdue(search) > search->overdue_at;
}

/* Those that began and have not ended count with the time that they have taken so far. */
static int learn_costs(struct model_search *search, struct err *err)
{
    size_t i, count = 0;

    search->costs_at = search->told;
    search->overdue_at = search_overdue(search);
    for (i = 0; i < search->member_count; i++) {
        const struct member *member = search->members[i];
        const bool ended = member->stage != COMPILING;
        const double seconds = ended ? member->spent_s : search->now_s - member->asked_s;

        if (seconds > 0)
            search->compiles[count++] = (struct cost_point){member->choices, seconds, ended};
    }
    return count ? cost_learn(search->cost, search->compiles, count, err) : 0;
}

static int learn_anew(struct model_search *search, struct err *err)
{
    size_t i, count = 0;

    for (i = 0; i < search->member_count; i++) {
        const struct member *member = search->members[i];

        if (member->timed || member->prediction.predicted)
            search->observations[count++] =
                (struct observation){member->choices, member->prediction, member->timed, member->time_s};
    }
    search->plan_stale = true;
    search->news_lost = false;
    return count ? posterior_learn(search->posterior, search->observations, count, err) : 0;
}

int search_learn(struct model_search *search, struct err *err)
{
    bool added = false;
    int rc = 0;

    search->is_due = false;
    search->news_lost |= search_is_blind(search);
    if (!search_is_blind(search)) {
        search->learned++;
        search->learned_at = search->told;
        if (!search->news_lost)
            rc = posterior_add(&added, search->posterior, search->news, search->news_count, err);
        if (!rc && !added)
            rc = learn_anew(search, err);
        if (!rc && are_costs_due(search))
            rc = learn_costs(search, err);
    }
    search->news_count = 0;
    return rc;
}

int search_add_news(struct model_search *search, const struct member *member, struct err *err)
{
    if (ARRAY_GROW(search->news, search->news_count, err))
        return ERR_MEMORY;
    search->news[search->news_count++] =
        (struct observation){member->choices, member->prediction, member->timed, member->time_s};
    return 0;
}

void model_correct(void *state, search_factor *factor, const void *context)
{
    struct model_search *search = state;
    const double before = log(search->best_s);

    search->best_s = INFINITY;
    for (size_t i = 0; i < search->member_count; i++) {
        struct member *member = search->members[i];

        if (!member->timed || isnan(member->time_s))
            continue;
        member->time_s *= factor(context, member->index);
        if (member->time_s < search->best_s) {
            search->best_s = member->time_s;
            search->best_index = member->index;
        }
    }
    for (size_t i = 0; i < search->past_count; i++) /* what was gained was gained under any conditions */
        search->past[i].log_best += log(search->best_s) - before;
    search->is_due = search->news_lost = true;
}
