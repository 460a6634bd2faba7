#include "validation/groups.h"

#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

/* Groups ------------------------------------------------------------------- */

struct entry {
    uint64_t key; /* the choices of all other parameters as one number */
    const struct point *point;
};

static int by_key(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->point->index > b->point->index) - (a->point->index < b->point->index);
}

static uint64_t key_of(const struct collection *from, uint64_t index, size_t without)
{
    unsigned choices[SPEC_PARAMETERS_MAX];
    uint64_t key = 0;

    space_configuration(choices, from->space, index);
    for (size_t p = 0; p < from->spec.parameter_count; p++)
        if (p != without)
            key = key * from->spec.parameters[p].value_count + choices[p];
    return key;
}

static void visit_groups(const struct entry *entries, size_t count, const struct point **members,
                         void (*visit)(void *context, const struct point **members, size_t count),
                         void *context)
{
    size_t i, n = 0;

    for (i = 0; i < count; i++) {
        members[n++] = entries[i].point;
        if (i + 1 < count && entries[i + 1].key == entries[i].key)
            continue;
        if (n > 1)
            visit(context, members, n);
        n = 0;
    }
}

/* Calls `visit` for every group of at least two; `members` is the visitor's to reorder. ERR_MEMORY; ERR_USAGE
 * for a space of more combinations than can be numbered. */
static int each_group(const struct collection *from, size_t parameter,
                      void (*visit)(void *context, const struct point **members, size_t count), void *context,
                      struct err *err)
{
    struct entry *entries;
    const struct point **members;
    size_t i, n = 0;

    if (space_combinations(from->space) == UINT64_MAX)
        return err_set(err, ERR_USAGE, "%s: too many combinations to group", from->kernel);
    entries = calloc(from->count + 1, sizeof *entries);
    members = calloc(from->count + 1, sizeof *members);
    for (i = 0; i < from->count && entries; i++)
        if (from->points[i].ranked.predicted)
            entries[n++] = (struct entry){key_of(from, from->points[i].index, parameter), &from->points[i]};
    if (entries && members) {
        qsort(entries, n, sizeof *entries, by_key);
        visit_groups(entries, n, members, visit, context);
    }
    i = entries && members;
    free(entries);
    free(members);
    return i ? 0 : err_memory(err);
}

static const struct point *fastest(const struct point **members, size_t count)
{
    const struct point *best = members[0];

    for (size_t i = 1; i < count; i++)
        if (members[i]->measured_s < best->measured_s)
            best = members[i];
    return best;
}

/* Occupancy ---------------------------------------------------------------- */

static int by_occupancy(const void *left, const void *right)
{
    const struct point *a = *(const struct point *const *)left, *b = *(const struct point *const *)right;

    return (a->occupancy > b->occupancy) - (a->occupancy < b->occupancy);
}

static void see_fall(void *context, const struct point **members, size_t count)
{
    struct falls *out = context;
    const struct point *low, *high;
    size_t lower = 0;

    qsort(members, count, sizeof *members, by_occupancy);
    while (members[lower]->occupancy < members[count - 1]->occupancy)
        lower++;
    if (!lower)
        return;
    out->groups++;
    low = fastest(members, lower);
    high = fastest(members + lower, count - lower);
    if (high->measured_s <= 1.02 * low->measured_s)
        return;
    out->fell++;
    out->seen += high->ranked.estimate_s > low->ranked.estimate_s;
    if (!out->from || high->measured_s / low->measured_s > out->to->measured_s / out->from->measured_s) {
        out->from = low;
        out->to = high;
    }
}

int falls_of(struct falls *out, const struct collection *from, size_t parameter, struct err *err)
{
    *out = (struct falls){0};
    return each_group(from, parameter, see_fall, out, err);
}

/* Choosing a value --------------------------------------------------------- */

struct chooser {
    struct choices *out;
    double *costs;
};

static void see_choice(void *context, const struct point **members, size_t count)
{
    struct chooser *chooser = context;
    const struct point *choice = members[0];
    double cost;

    for (size_t i = 1; i < count; i++)
        if (members[i]->ranked.estimate_s < choice->ranked.estimate_s)
            choice = members[i];
    cost = choice->measured_s / fastest(members, count)->measured_s - 1;
    chooser->out->right += cost <= 0.01;
    chooser->costs[chooser->out->groups++] = cost;
}

int choices_of(struct choices *out, const struct collection *from, size_t parameter, struct err *err)
{
    struct chooser chooser = {out, calloc(from->count + 1, sizeof *chooser.costs)};
    int rc;

    *out = (struct choices){0};
    if (!chooser.costs)
        return err_memory(err);
    rc = each_group(from, parameter, see_choice, &chooser, err);
    if (!rc && out->groups) {
        out->cost_median = stats_median(chooser.costs, out->groups);
        out->cost_worst = stats_quantile(chooser.costs, out->groups, 1);
    }
    free(chooser.costs);
    return rc;
}

/* Steps -------------------------------------------------------------------- */

/* The neighbour predicted fastest, if that is a gain; null otherwise. `found` has space for all neighbours. */
static const struct point *step(const struct collection *from, const struct point *at, uint64_t *found)
{
    const size_t count = space_neighbours(found, from->space, at->index);
    const struct point *best = at;

    for (size_t i = 0; i < count; i++) {
        const struct point *point = collection_find(from, found[i]);

        if (point && point->ranked.predicted && point->ranked.estimate_s < best->ranked.estimate_s)
            best = point;
    }
    return best->ranked.estimate_s * 1.01 < at->ranked.estimate_s ? best : NULL;
}

static void take_steps(struct steps *out, const struct collection *from, double *all, uint64_t *found)
{
    double *predicted = all, *measured = all + from->count, *before = all + 2 * from->count,
           *after = all + 3 * from->count, best, middle;

    for (size_t i = 0; i < from->count; i++)
        measured[i] = from->points[i].measured_s;
    middle = stats_median(measured, from->count);
    best = stats_quantile(measured, from->count, 0);
    for (size_t i = 0; i < from->count; i++) {
        const struct point *at = &from->points[i], *next;

        if (!at->ranked.predicted || at->measured_s < middle)
            continue;
        out->asked++;
        next = step(from, at, found);
        if (!next)
            continue;
        predicted[out->advised] = at->ranked.estimate_s / next->ranked.estimate_s;
        measured[out->advised] = at->measured_s / next->measured_s;
        out->faster += next->measured_s < at->measured_s;
        before[out->advised] = at->measured_s / best - 1;
        for (; next; next = step(from, at, found))
            at = next;
        after[out->advised++] = at->measured_s / best - 1;
    }
    if (!out->advised)
        return;
    out->predicted_gain = stats_median(predicted, out->advised);
    out->measured_gain = stats_median(measured, out->advised);
    out->before = stats_median(before, out->advised);
    out->after = stats_median(after, out->advised);
}

int steps_of(struct steps *out, const struct collection *from, struct err *err)
{
    double *all = calloc(4 * from->count + 1, sizeof *all);
    uint64_t *found = calloc(space_neighbour_limit(from->space) + 1, sizeof *found);

    *out = (struct steps){0};
    if (all && found)
        take_steps(out, from, all, found);
    free(found);
    if (!all || !found) {
        free(all);
        return err_memory(err);
    }
    free(all);
    return 0;
}

/* Side by side ------------------------------------------------------------- */

int by_value_of(struct by_value *out, const struct collection *from, size_t parameter, unsigned value,
                struct err *err)
{
    double *errors = calloc(2 * from->count + 1, sizeof *errors), *ratios = errors + from->count;
    unsigned choices[SPEC_PARAMETERS_MAX];

    *out = (struct by_value){.best_s = INFINITY};
    if (!errors)
        return err_memory(err);
    for (size_t i = 0; i < from->count; i++) {
        const struct point *point = &from->points[i];

        space_configuration(choices, from->space, point->index);
        if (!point->ranked.predicted || choices[parameter] != value)
            continue;
        errors[out->count] = fabs(point->ranked.estimate_s / point->measured_s - 1);
        ratios[out->count++] = point->ranked.estimate_s / point->measured_s;
        if (point->measured_s < out->best_s) {
            out->best_s = point->measured_s;
            out->best_estimate_s = point->ranked.estimate_s;
        }
    }
    if (out->count) {
        out->mean_error = stats_mean(errors, out->count);
        out->ratio = stats_median(ratios, out->count);
    }
    free(errors);
    return 0;
}
