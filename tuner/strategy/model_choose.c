/* What is worth compiling and what is worth timing. */
#include "tuner/strategy/model.h"

#include "tuner/strategy/cost.h"
#include "tuner/strategy/order.h"

#include "base/hash.h"

#include <math.h>
#include <stdlib.h>

bool search_is_blind(const struct model_search *search)
{
    return !search->succeeded && search->timed >= BLIND;
}

bool search_bounded(const struct model_search *search, const struct member *member)
{
    return member->prediction.predicted && !member->prediction.likely &&
           member->prediction.bound_s >= search->best_s;
}

/* How fast a configuration may well be: the more, the more it is wanted. Its mean gain on the best would send
 * most of few trials to what is least known. */
static double wanted(const struct expected *expected)
{
    return expected->deviation - log(expected->time_s);
}

/* Whether it would be faster than the best if it lay SEARCH_MARGIN deviations below what is expected. */
static bool may_win(const struct model_search *search, const struct expected *expected)
{
    return isinf(search->best_s) ||
           log(expected->time_s / search->best_s) < SEARCH_MARGIN * expected->deviation;
}

/* What is to be thought of a trial, by all that is known now. Nothing is pruned that has no prediction. */
static void rank(const struct model_search *search, struct member *member)
{
    struct expected expected;

    member->ranked_at = search->learned;
    member->rank = member->gain = member->likely_s = 0;
    member->promising = true;
    if (!posterior_follow(&expected, &member->view, search->posterior, member->choices, &member->prediction))
        return;
    member->rank = wanted(&expected);
    member->gain = search_gain(&expected, search->best_s);
    member->likely_s = expected.time_s;
    member->promising = !search_estimated(&member->prediction) || may_win(search, &expected);
}

/* What is not ruled out comes first. */
static bool is_better(const struct member *member, const struct member *other)
{
    return member->promising != other->promising ? member->promising : member->rank > other->rank;
}

struct member *search_best_ready(bool *is_worthwhile, struct model_search *search)
{
    struct member *best = NULL;

    for (size_t i = 0; i < search->ready_count && !(best && search_is_blind(search)); i++) {
        struct member *member = search->ready[i];

        if (search_bounded(search, member))
            continue;
        if (member->ranked_at != search->learned)
            rank(search, member);
        if (!best || is_better(member, best))
            best = member;
    }
    *is_worthwhile = best && best->promising;
    return best;
}

bool search_is_promising(const struct model_search *search, const struct member *member)
{
    struct expected expected;

    return !search_estimated(&member->prediction) ||
           !posterior_expects(&expected, search->posterior, member->choices, &member->prediction) ||
           may_win(search, &expected);
}

bool search_is_promising_unseen(const struct model_search *search, uint64_t index)
{
    struct expected expected;

    search_describe(search->choices, search, index);
    return !posterior_expects(&expected, search->posterior, search->choices, NULL) ||
           may_win(search, &expected);
}

bool search_draw(uint64_t *index, struct model_search *search)
{
    while (search->drawn < search->options.count) {
        *index = search_permuted(search->drawn++, search->options.count, search->options.seed);
        if (!map_find(&search->by_index, *index))
            return true;
    }
    return false;
}

/* Draws that are pruned for one. */
enum { DEAR_MOST = 8 };

bool search_draw_cheap(uint64_t *index, struct model_search *search)
{
    const double most_s = DEAR * cost_usual_compile_s(search->cost);
    unsigned passed = 0;

    while (search_draw(index, search)) {
        search_describe(search->choices, search, *index);
        if (passed++ == DEAR_MOST || cost_compile_s(search->cost, search->choices) <= most_s)
            return true;
    }
    return false;
}

bool search_draw_beside(uint64_t *index, struct model_search *search)
{
    double best = -INFINITY, worth;
    size_t count;

    if (isinf(search->best_s))
        return false;
    count = space_neighbours(search->neighbours, search->options.space, search->best_index);
    for (size_t i = 0; i < count; i++) {
        if (map_find(&search->by_index, search->neighbours[i]))
            continue;
        search_describe(search->choices, search, search->neighbours[i]);
        worth =
            search_is_too_dear(search, search->choices) ? -INFINITY : search_worth(search, search->choices);
        if (worth > best) {
            best = worth;
            *index = search->neighbours[i];
        }
    }
    return best > -INFINITY;
}

/* The plan ----------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void add(struct model_search *search, uint64_t index)
{
    if (!map_find(&search->by_index, index))
        search->pool[search->pool_count++] = index;
}

static void add_neighbours(struct model_search *search)
{
    const struct member *best[AROUND] = {0};
    size_t count;

    for (size_t i = 0; i < search->member_count; i++) {
        const struct member *member = search->members[i];

        for (unsigned b = 0; b < AROUND && member && member->timed && member->time_s > 0; b++)
            if (!best[b] || member->time_s < best[b]->time_s) {
                const struct member *pushed = best[b];

                best[b] = member;
                member = pushed;
            }
    }
    for (unsigned b = 0; b < AROUND && best[b]; b++) {
        count = space_neighbours(search->neighbours, search->options.space, best[b]->index);
        for (size_t i = 0; i < count; i++)
            add(search, search->neighbours[i]);
    }
}

/* All of a small space; of a large one other configurations each time. */
static void fill_pool(struct model_search *search)
{
    const uint64_t count = search->options.count;
    struct search_order order;
    size_t from, to = 0;

    search->pool_count = 0;
    add_neighbours(search);
    search_order_init(&order, count, hash_u64(search->options.seed, search->asked + 1));
    for (uint64_t i = 0; i < count && i < POOL; i++)
        add(search, count <= POOL ? i : search_order_at(&order, i));
    qsort(search->pool, search->pool_count, sizeof *search->pool, ascending);
    for (from = 0; from < search->pool_count; from++)
        if (!to || search->pool[from] != search->pool[to - 1])
            search->pool[to++] = search->pool[from];
    search->pool_count = to;
}

/* Keeps the PLAN highest scores, highest first; of equals the one that came first. */
static void keep_best(double *scores, uint64_t *indices, size_t *count, double score, uint64_t index)
{
    size_t at;

    if (*count == PLAN && score <= scores[PLAN - 1])
        return;
    at = *count < PLAN ? (*count)++ : PLAN - 1;
    for (; at > 0 && score > scores[at - 1]; at--) {
        scores[at] = scores[at - 1];
        indices[at] = indices[at - 1];
    }
    scores[at] = score;
    indices[at] = index;
}

/* What all of it together may gain, and costs. */
static void weigh_plan(struct model_search *search)
{
    const double cores = search->options.cores ? search->options.cores : 1;
    struct expected expected;

    search->plan_gain = search->plan_s = 0;
    search->plan_count_made = search->plan_count;
    search->plan_started = search->started;
    for (size_t i = 0; i < search->plan_count; i++) {
        search_describe(search->choices, search, search->plan[i]);
        search->plan_s += cost_compile_s(search->cost, search->choices) / cores;
        if (posterior_expects(&expected, search->posterior, search->choices, NULL))
            search->plan_gain += search_gain(&expected, search->best_s);
    }
}

/* By the gain expected for the time it takes. How unsure that is counts the same for all, other than for a
 * trial: what is compiled for being unknown mostly turns out slow. */
static void make_plan(struct model_search *search)
{
    double scores[PLAN];
    uint64_t indices[PLAN];
    size_t count = 0, i;

    fill_pool(search);
    for (i = 0; i < search->pool_count; i++) {
        search_describe(search->choices, search, search->pool[i]);
        keep_best(scores, indices, &count, search_worth(search, search->choices), search->pool[i]);
    }
    search->plan_count = count;
    for (i = 0; i < count; i++)
        search->plan[i] = indices[count - 1 - i];
    weigh_plan(search);
    search->plan_stale = false;
}

/* Leaves out what was asked for since, and what would leave no core to the others. */
static void trim_plan(struct model_search *search)
{
    for (; search->plan_count; search->plan_count--) {
        const uint64_t index = search->plan[search->plan_count - 1];

        if (map_find(&search->by_index, index))
            continue;
        search_describe(search->choices, search, index);
        if (!search_is_too_dear(search, search->choices))
            return;
    }
}

bool search_has_plan(struct model_search *search)
{
    trim_plan(search);
    if (search->plan_stale || !search->plan_count) {
        make_plan(search);
        trim_plan(search);
    }
    return search->plan_count > 0;
}

bool search_promises(struct model_search *search)
{
    return search_has_plan(search) &&
           search_is_promising_unseen(search, search->plan[search->plan_count - 1]);
}

uint64_t search_planned(struct model_search *search)
{
    return search->plan[--search->plan_count];
}
