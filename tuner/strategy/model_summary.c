/* What the strategy `model` came to, and why each configuration was pruned. */
#include "tuner/strategy/model.h"

#include "base/stats.h"
#include "model/predict/learn.h"

#include <math.h>

/* Of one that was compiled and not timed. */
static enum search_fate fate_of(const struct model_search *search, const struct member *member)
{
    if (search_bounded(search, member))
        return SEARCH_CUT_BOUND;
    return search_is_promising(search, member) ? SEARCH_LEFT : SEARCH_CUT_ESTIMATE;
}

/* Of the estimates with the measured times; NaN while fewer than LEARN_LEAST. */
static double rank_correlation(const struct model_search *search)
{
    double estimated[2 * TRIALS_MOST], measured[2 * TRIALS_MOST];
    size_t i, n = 0;

    for (i = 0; i < search->member_count && n < 2 * TRIALS_MOST; i++) {
        const struct member *member = search->members[i];

        if (!member->timed || isnan(member->time_s) || !search_estimated(&member->prediction))
            continue;
        estimated[n] = member->prediction.estimate_s;
        measured[n++] = member->time_s;
    }
    return n < LEARN_LEAST ? NAN : stats_spearman(estimated, measured, n);
}

void model_summarise(struct search_summary *out, const void *state)
{
    const struct model_search *search = state;

    *out = (struct search_summary){.end = search->end,
                                   .further_gain = search->again_s > 0 ? search->further_gain : NAN,
                                   .again_s = search->again_s > 0 ? search->again_s : NAN,
                                   .compiled = search->told,
                                   .shared = search->shared,
                                   .timed = search->timed,
                                   .refused = search->refused,
                                   .compiling = search->under_way_count,
                                   .not_compiled = search->options.count - search->told - search->impossible,
                                   .rank_correlation = rank_correlation(search)};
    for (size_t i = 0; i < search->member_count; i++) {
        const struct member *member = search->members[i];

        if (member->stage != READY || member->audit)
            continue;
        switch (fate_of(search, member)) {
        case SEARCH_CUT_BOUND:
            out->cut_bound++;
            break;
        case SEARCH_CUT_ESTIMATE:
            out->cut_estimate++;
            break;
        default:
            out->promising++;
        }
    }
    out->audit.timed = search->audit.timed;
    out->audit.faster = search->audit.faster;
    out->audit.nearest = search->audit.timed ? search->audit.fastest_s / search->audit.best_before_s : NAN;
    out->audit.limit = stats_clopper_pearson_upper(search->audit.faster, search->audit.timed, 0.95);
}

/* What the audit compiled was not, as far as the search is concerned. */
enum search_fate model_fate(const void *state, uint64_t index)
{
    const struct model_search *search = state;
    const struct member *member = map_find(&search->by_index, index);

    if (member && !member->audit && member->stage >= TIMING)
        return SEARCH_TRIED;
    if (member && (member->audit || member->stage == READY))
        return fate_of(search, member);
    return search_is_promising_unseen(search, index) ? SEARCH_LEFT : SEARCH_CUT_ESTIMATE;
}

size_t model_cuts(struct search_cut *out, const void *state)
{
    const struct model_search *search = state;
    struct expected expected;
    size_t i, n = 0;

    for (i = 0; i < search->member_count; i++) {
        const struct member *member = search->members[i];

        if (member->stage != READY || member->audit)
            continue;
        if (!posterior_expects(&expected, search->posterior, member->choices, &member->prediction))
            expected = (struct expected){NAN, NAN};
        out[n++] = (struct search_cut){member->index,   fate_of(search, member), member->prediction,
                                       expected.time_s, expected.deviation,      search->best_s};
    }
    return n;
}
