/* The strategy `model`: what next. */
#include "tuner/strategy/model.h"

#include "base/array.h"

#include "tuner/strategy/cost.h"

#include <math.h>
#include <stdlib.h>

/* Life --------------------------------------------------------------------- */

uint64_t search_allowance(uint64_t count)
{
    return at_most(TRIALS_MOST, at_least(TRIALS_LEAST, count / 50));
}

static void close_model(void *state)
{
    struct model_search *search = state;

    if (!search)
        return;
    for (size_t i = 0; i < search->member_count; i++) {
        free(search->members[i]->view.excess.half);
        free(search->members[i]);
    }
    free(search->members);
    free(search->ready);
    free(search->under_way);
    free(search->observations);
    free(search->news);
    free(search->compiles);
    free(search->past);
    map_release(&search->by_index);
    posterior_close(search->posterior);
    cost_close(search->cost);
    features_close(search->features);
    free(search->pool);
    free(search->neighbours);
    free(search->choices);
    free(search);
}

static int allocate(struct model_search *search, struct err *err)
{
    const size_t limit = space_neighbour_limit(search->options.space);
    const struct surrogate_parameter *parameters;

    if (features_open(&search->features, search->options.spec, search->options.problem, err))
        return ERR_MEMORY;
    search->feature_count = features_count(search->features);
    parameters = features_parameters(search->features);
    search->pool = malloc((POOL + AROUND * limit) * sizeof *search->pool);
    search->neighbours = malloc((limit + 1) * sizeof *search->neighbours);
    search->choices = malloc(search->feature_count * sizeof *search->choices);
    if (!search->pool || !search->neighbours || !search->choices)
        return err_memory(err);
    if (cost_open(&search->cost, parameters, search->feature_count, err))
        return ERR_MEMORY;
    return posterior_open(&search->posterior, parameters, search->feature_count, err);
}

/* How many may be compiled; as many as are to be timed in any case. */
static uint64_t compiled_most(const struct search_options *options)
{
    const uint64_t most =
        options->count < LARGE ? COMPILED_SMALL : at_most(COMPILED_MOST, options->count / 10);

    return at_most(options->count, at_least(most, options->trials));
}

static int open_model(void **state, const struct search_options *options, struct err *err)
{
    struct model_search *search = calloc(1, sizeof *search);

    *state = NULL;
    if (!search)
        return err_memory(err);
    search->options = *options;
    search->trials_most = options->trials ? options->trials : UINT64_MAX;
    search->compiled_most = compiled_most(options);
    search->compiled_least =
        at_most(COMPILED_LEAST, at_least(search->compiled_most, at_most(options->count, COMPILED_SMALL)) / 2);
    search->spread = at_most(SPREAD, at_least(8, search->compiled_most / 3));
    search->best_s = INFINITY;
    search->plan_stale = true;
    search->audit.fastest_s = INFINITY;
    if (allocate(search, err)) {
        close_model(search);
        return ERR_MEMORY;
    }
    *state = search;
    return 0;
}

void search_describe(unsigned *out, const struct model_search *search, uint64_t index)
{
    space_configuration(out, search->options.space, index);
    features_fill(out, search->features);
}

static int grow(struct model_search *search, struct err *err)
{
    const size_t count = search->member_count;

    return ARRAY_GROW(search->members, count, err) || ARRAY_GROW(search->observations, count, err) ||
                   ARRAY_GROW(search->compiles, count, err) || ARRAY_GROW(search->ready, count, err) ||
                   ARRAY_GROW(search->under_way, count, err)
               ? ERR_MEMORY
               : 0;
}

/* In the order in which they were added. */
static void leave(struct member **list, size_t *count, const struct member *member)
{
    size_t i = 0;

    while (list[i] != member)
        i++;
    for ((*count)--; i < *count; i++)
        list[i] = list[i + 1];
}

/* A configuration becomes a member when it is first told of. */
static int add_member(struct member **out, struct model_search *search, uint64_t index, struct err *err)
{
    struct member *member;
    int rc = grow(search, err);

    *out = NULL;
    if (rc)
        return rc;
    member = calloc(1, sizeof *member + search->feature_count * sizeof *member->choices);
    if (!member)
        return err_memory(err);
    *member = (struct member){.index = index, .stage = COMPILING, .time_s = NAN, .asked_s = search->now_s};
    rc = map_put(&search->by_index, index, member, err);
    if (rc) {
        free(member);
        return rc;
    }
    search_describe(member->choices, search, index);
    search->members[search->member_count++] = member;
    search->under_way[search->under_way_count++] = member;
    *out = member;
    return 0;
}

/* What next ---------------------------------------------------------------- */

static enum search_end why_ended(struct model_search *search)
{
    bool worthwhile;

    if (search->asked + search->impossible < search->options.count)
        return SEARCH_UNLIKELY;
    if (search->under_way_count)
        return SEARCH_SLOW;
    return search_best_ready(&worthwhile, search) ? SEARCH_UNLIKELY : SEARCH_ALL;
}

static int ask_compile(struct search_step *out, struct model_search *search, uint64_t index, bool audit,
                       struct err *err)
{
    struct member *member;
    int rc = add_member(&member, search, index, err);

    if (rc)
        return rc;
    member->audit = audit;
    if (search->recalled && search->options.answered[search->recalled - 1] == index)
        member->recalled = search->recalled;
    member->expected_s = cost_compile_s(search->cost, member->choices);
    if (!search->initial)
        search->initial = member;
    search->audit.compiling += audit;
    search->asked += !audit;
    *out = (struct search_step){SEARCH_COMPILE, index, audit};
    return 0;
}

static void ask_time(struct search_step *out, struct model_search *search, struct member *member)
{
    member->stage = TIMING;
    leave(search->ready, &search->ready_count, member);
    free(member->view.excess.half);
    member->view = (struct posterior_view){0};
    search->timing++;
    search->started += !member->audit;
    *out = (struct search_step){SEARCH_TIME, member->index, member->audit};
}

static int next_of_audit(struct search_step *out, struct model_search *search,
                         struct search_capacity capacity, struct err *err)
{
    *out = search_audit_next(search, capacity);
    if (out->action == SEARCH_COMPILE)
        return ask_compile(out, search, out->index, true, err);
    if (out->action == SEARCH_TIME)
        ask_time(out, search, map_find(&search->by_index, out->index));
    return 0;
}

/* What the search does next, or waits for. */
static int go_on(struct search_step *out, struct model_search *search, struct search_capacity capacity,
                 struct err *err)
{
    struct member *member = capacity.time ? search_choose_ready(search) : NULL;
    const bool starves = capacity.time && !member && !search->timing; /* a GPU, for all that is compiled */
    const bool awaits = search_awaits(search, false);
    const bool tells_little = search->under_way_count && search_may_surprise(search);
    uint64_t index;

    if (capacity.time && !search->timing && search_is_exhausted(search)) {
        search->end = SEARCH_LITTLE;
        return next_of_audit(out, search, capacity, err);
    }
    if (member && (member->answered || !search_is_hungry(search))) {
        ask_time(out, search, member);
    } else if (capacity.compile && search_may_time(search) && (starves || !search_is_ahead(search)) &&
               search_choose_unseen(&index, search)) {
        return ask_compile(out, search, index, false, err);
    } else if (member && !awaits) { /* nothing more will come soon */
        ask_time(out, search, member);
    } else if (starves && !awaits && !tells_little) {
        search->end = why_ended(search);
        return next_of_audit(out, search, capacity, err);
    }
    return 0;
}

static int next_of_model(struct search_step *out, void *state, struct search_capacity capacity,
                         struct err *err)
{
    struct model_search *search = state;

    *out = (struct search_step){.action = SEARCH_WAIT};
    search->now_s = fmax(search->now_s, capacity.now_s);
    if (search->is_due && search_learn(search, err))
        return ERR_MEMORY;
    if (search->end == SEARCH_GOING && !search_may_time(search) && !search->timing)
        search->end = SEARCH_SPENT; /* what is still compiling could not be timed */
    if (search->end != SEARCH_GOING)
        return next_of_audit(out, search, capacity, err);
    return go_on(out, search, capacity, err);
}

/* What came of it ---------------------------------------------------------- */

/* Whether a result that was known is one still. Where many are not, the rest is no better known than anything else. */
static void learn_stale(struct model_search *search, bool answered)
{
    search->stale = answered ? search->stale - (search->stale > 0) : search->stale + 1;
    if (search->stale >= STALE)
        search->recalled = search->options.answered_count;
}

static int tell_compiled(struct model_search *search, struct member *member, const struct search_facts *facts,
                         struct err *err)
{
    const uint64_t next = search->learned_at + at_least(8, search->learned_at / 8);

    leave(search->under_way, &search->under_way_count, member);
    search->audit.compiling -= member->audit;
    member->spent_s = facts->shared ? 0 : facts->spent_s;
    member->stage = facts->outcome == OUTCOME_OK ? READY : ENDED;
    if (facts->outcome == OUTCOME_OK) {
        member->prediction = facts->prediction;
        member->answered = facts->answered;
        if (member->recalled)
            learn_stale(search, facts->answered);
        search->ready[search->ready_count++] = member;
    } else if (facts->outcome == OUTCOME_SAME_CODE && member == search->initial) {
        search->initial = map_find(&search->by_index, facts->same_as);
    }
    if (member->audit) {
        search_audit_tell(search, member);
        return 0;
    }
    if (facts->impossible) {
        search->asked--;
        search->impossible++;
        return 0;
    }
    search_count_compile(search);
    search->told++;
    search->waited_s += search->now_s - member->asked_s;
    search->shared += facts->shared;
    search->predicted += member->prediction.predicted;
    search->refused += facts->outcome == OUTCOME_OK && !member->prediction.predicted;
    if (search->told == search->spread || search->told >= next)
        search->is_due = search->plan_stale = true;
    return member->prediction.predicted ? search_add_news(search, member, err) : 0;
}

static int tell_timed(struct model_search *search, struct member *member, const struct search_facts *facts,
                      struct err *err)
{
    search->timing--;
    member->stage = ENDED;
    member->timed = true;
    if (facts->outcome == OUTCOME_OK) {
        member->time_s = facts->time_s;
        if (facts->time_s < search->best_s) {
            search->best_s = facts->time_s;
            search->best_index = member->index;
            search->plan_stale = true;
        }
    }
    if (member->audit) {
        search_audit_tell(search, member);
        return 0;
    }
    search->timed++;
    if (!member->answered)
        cost_add_trial(search->cost, facts->spent_s);
    if (search_remember(search, member->gain, err))
        return ERR_MEMORY;
    search->succeeded += facts->outcome == OUTCOME_OK;
    search->is_due = true;
    return search_add_news(search, member, err);
}

static int tell_model(void *state, uint64_t index, const struct search_facts *facts, struct err *err)
{
    struct model_search *search = state;
    struct member *member = map_find(&search->by_index, index);

    return facts->timed ? tell_timed(search, member, facts, err) : tell_compiled(search, member, facts, err);
}

static uint64_t visited(const void *state)
{
    const struct model_search *search = state;

    return search->asked + search->impossible;
}

/* One trial at a time, since each teaches which one is the next; nobody knows how many it will take. */
const struct strategy strategy_model = {.name = "model",
                                        .reads_predictions = true,
                                        .prunes = true,
                                        .gives_up_slow = true,
                                        .trials_ahead = 1,
                                        .ready_most = SEARCH_READY_MOST,
                                        .open = open_model,
                                        .next = next_of_model,
                                        .tell = tell_model,
                                        .correct = model_correct,
                                        .visited = visited,
                                        .summarise = model_summarise,
                                        .fate = model_fate,
                                        .cuts = model_cuts,
                                        .close = close_model};
