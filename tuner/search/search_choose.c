/* What is worth compiling and what is worth timing. */
#include "tuner/search/searching.h"

#include "base/hash.h"

#include <math.h>
#include <stdlib.h>

bool search_is_blind(const struct model_search *search)
{
    return !search->succeeded && search->timed >= BLIND;
}

bool search_bounded(const struct model_search *search, const struct member *member)
{
    return member->forecast.predicted && member->forecast.bound_s >= search->best_s;
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

double search_rank(const struct model_search *search, const struct member *member)
{
    struct expected expected;

    if (!belief_expects(&expected, search->belief, member->choices, &member->forecast))
        return 0;
    return wanted(&expected);
}

/* What is not ruled out comes first. */
static bool is_better(const struct member *member, const struct member *other)
{
    return member->promising != other->promising ? member->promising : member->rank > other->rank;
}

struct member *search_best_ready(bool *is_worthwhile, struct model_search *search)
{
    struct member *best = NULL;
    size_t i;

    while (search->first_open < search->member_count && search->members[search->first_open]->stage == ENDED)
        search->first_open++;
    for (i = search->first_open; i < search->member_count && !(best && search_is_blind(search)); i++) {
        struct member *member = search->members[i];

        if (member->stage != READY || search_bounded(search, member))
            continue;
        if (member->ranked_at != search->learned) {
            member->rank = search_rank(search, member);
            member->promising = search_is_promising(search, member);
            member->ranked_at = search->learned;
        }
        if (!best || is_better(member, best))
            best = member;
    }
    *is_worthwhile = best && best->promising;
    return best;
}

bool search_is_promising(const struct model_search *search, const struct member *member)
{
    struct expected expected;

    return !search_estimated(&member->forecast) ||
           !belief_expects(&expected, search->belief, member->choices, &member->forecast) ||
           may_win(search, &expected);
}

bool search_is_promising_unseen(const struct model_search *search, uint64_t index)
{
    struct expected expected;

    space_configuration(search->choices, search->options.space, index);
    return !belief_expects(&expected, search->belief, search->choices, NULL) || may_win(search, &expected);
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

/* The plan
 * -------------------------------------------------------------------------------------------------------------
 */

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
    size_t i, count;
    unsigned b;

    for (i = 0; i < search->member_count; i++) {
        const struct member *member = search->members[i];

        for (b = 0; b < AROUND && member && member->timed && member->time_s > 0; b++)
            if (!best[b] || member->time_s < best[b]->time_s) {
                const struct member *pushed = best[b];

                best[b] = member;
                member = pushed;
            }
    }
    for (b = 0; b < AROUND && best[b]; b++) {
        count = space_neighbours(search->neighbours, search->options.space, best[b]->index);
        for (i = 0; i < count; i++)
            add(search, search->neighbours[i]);
    }
}

/* All of a small space; of a large one other configurations each time. */
static void fill_pool(struct model_search *search)
{
    const uint64_t count = search->options.count;
    struct search_order order;
    uint64_t i;
    size_t from, to = 0;

    search->pool_count = 0;
    add_neighbours(search);
    search_order_init(&order, count, hash_u64(search->options.seed, search->asked + 1));
    for (i = 0; i < count && i < POOL; i++)
        add(search, count <= POOL ? i : search_order_at(&order, i));
    qsort(search->pool, search->pool_count, sizeof *search->pool, ascending);
    for (from = 0; from < search->pool_count; from++)
        if (!to || search->pool[from] != search->pool[to - 1])
            search->pool[to++] = search->pool[from];
    search->pool_count = to;
}

/* Keeps the PLAN shortest times, shortest first; of equals the one that came first. */
static void keep_shortest(double *times, uint64_t *indices, size_t *count, double time, uint64_t index)
{
    size_t at;

    if (*count == PLAN && time >= times[PLAN - 1])
        return;
    at = *count < PLAN ? (*count)++ : PLAN - 1;
    for (; at > 0 && time < times[at - 1]; at--) {
        times[at] = times[at - 1];
        indices[at] = indices[at - 1];
    }
    times[at] = time;
    indices[at] = index;
}

/* By the time expected. How unsure that is does not count here, as it does for a trial: what is compiled for
 * being unknown mostly turns out slow, and in a large space few may be compiled. */
static void make_plan(struct model_search *search)
{
    double times[PLAN];
    uint64_t indices[PLAN];
    size_t count = 0, i;

    fill_pool(search);
    for (i = 0; i < search->pool_count; i++) {
        space_configuration(search->choices, search->options.space, search->pool[i]);
        keep_shortest(times, indices, &count, belief_log_time(search->belief, search->choices),
                      search->pool[i]);
    }
    search->plan_count = count;
    for (i = 0; i < count; i++)
        search->plan[i] = indices[count - 1 - i];
    search->plan_stale = false;
}

bool search_promises(struct model_search *search)
{
    while (search->plan_count && map_find(&search->by_index, search->plan[search->plan_count - 1]))
        search->plan_count--;
    if (search->plan_stale || !search->plan_count)
        make_plan(search);
    return search->plan_count && search_is_promising_unseen(search, search->plan[search->plan_count - 1]);
}

uint64_t search_planned(struct model_search *search)
{
    return search->plan[--search->plan_count];
}
