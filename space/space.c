#include "space/space.h"

#include "space/space_graph.h"

#include <stdlib.h>

static const struct edge *node_edges(const struct space *space, size_t node)
{
    return space->edges + space->nodes[node].first;
}

/* Counts what every constraint removes: the prefixes that reach a node, from the root down, times the
 * combinations below an edge that a constraint removed. */
static int count_removals(struct space *space, struct err *err)
{
    uint64_t *prefixes = calloc(space->node_count, sizeof *prefixes), cut;
    const struct edge *edges;
    struct space_removal *removal;
    size_t level, width;

    if (!prefixes)
        return err_memory(err);
    prefixes[space->node_count - 1] = 1;
    for (size_t node = space->node_count; node-- > 0;) {
        level = space->nodes[node].level;
        width = space->spec->parameters[level].value_count;
        edges = node_edges(space, node);
        for (size_t v = 0; v < width; v++) {
            if (edges[v].target >= 0) {
                if (level + 1 < space->spec->parameter_count)
                    prefixes[edges[v].target] = saturated_sum(prefixes[edges[v].target], prefixes[node]);
                continue;
            }
            removal = &space->removals[(-1 - edges[v].target) / 2];
            cut = saturated_product(prefixes[node], space->tail[level + 1]);
            removal->removed = saturated_sum(removal->removed, cut);
            if ((-1 - edges[v].target) % 2)
                removal->undefined = saturated_sum(removal->undefined, cut);
        }
    }
    free(prefixes);
    return 0;
}

int space_open(struct space **out, const struct spec *spec, size_t problem, struct err *err)
{
    return space_open_until(out, spec, problem, NULL, err);
}

int space_open_until(struct space **out, const struct spec *spec, size_t problem,
                     const volatile sig_atomic_t *stop, struct err *err)
{
    struct space *space = calloc(1, sizeof *space);
    int failed;

    *out = NULL;
    if (!space)
        return err_memory(err);
    space->spec = spec;
    space->problem = problem;
    failed = space_build(space, stop, err);
    if (!failed)
        failed = count_removals(space, err);
    if (!failed && space_count(space) == UINT64_MAX)
        failed = err_set(err, ERR_USAGE,
                         "%s: parameters: more than 2^64 valid configurations; give fewer values or "
                         "more constraints",
                         spec->path);
    if (failed) {
        space_close(space);
        return failed;
    }
    *out = space;
    return 0;
}

void space_close(struct space *space)
{
    if (!space)
        return;
    for (size_t c = 0; space->removals && c < space->spec->constraint_count; c++)
        free((char *)space->removals[c].reason);
    free(space->removals);
    free(space->tail);
    free(space->edges);
    free(space->nodes);
    free(space);
}

uint64_t space_combinations(const struct space *space)
{
    return space->tail[0];
}

uint64_t space_count(const struct space *space)
{
    return node_edges(space, space->node_count - 1)[space->spec->parameters[0].value_count].before;
}

void space_configuration(unsigned *choices, const struct space *space, uint64_t index)
{
    const struct edge *edges;
    size_t node = space->node_count - 1, level, low, high, middle;

    for (level = 0; level < space->spec->parameter_count; level++) {
        edges = node_edges(space, node);
        low = 0;
        high = space->spec->parameters[level].value_count;
        while (high - low > 1) { /* the last edge with no more than `index` configurations to its left */
            middle = low + (high - low) / 2;
            if (edges[middle].before <= index)
                low = middle;
            else
                high = middle;
        }
        choices[level] = (unsigned)low;
        index -= edges[low].before;
        node = (size_t)edges[low].target;
    }
}

bool space_index(uint64_t *index, const struct space *space, const unsigned *choices)
{
    const struct edge *edge;
    size_t node = space->node_count - 1, level;
    uint64_t before = 0;

    for (level = 0; level < space->spec->parameter_count; level++) {
        if (choices[level] >= space->spec->parameters[level].value_count)
            return false;
        edge = node_edges(space, node) + choices[level];
        if (edge->target < 0)
            return false;
        before += edge->before;
        node = (size_t)edge->target;
    }
    if (index)
        *index = before;
    return true;
}

static int nothing_valid(const struct space *space, struct err *err)
{
    const struct spec *spec = space->spec;
    const char *reason;
    size_t c, most = 0;

    if (spec->constraint_count == 0)
        return err_set(err, ERR_USAGE, "%s: configurations: no configuration is valid", spec->path);
    for (c = 1; c < spec->constraint_count; c++)
        if (space->removals[c].removed > space->removals[most].removed)
            most = c;
    reason = space->removals[most].reason;
    return err_set(err, ERR_USAGE,
                   "%s: constraints[%zu]: no configuration is valid; \"%s\" removes most%s%s%s", spec->path,
                   most, expr_text(spec->constraints[most]), reason ? " (" : "", reason ? reason : "",
                   reason ? ")" : "");
}

int space_default(uint64_t *index, const struct space *space, struct err *err)
{
    *index = 0;
    if (space_count(space) == 0)
        return nothing_valid(space, err);
    space_index(index, space, spec_default(space->spec, space->problem));
    return 0;
}

size_t space_neighbour_limit(const struct space *space)
{
    size_t limit = 0, p;

    for (p = 0; p < space->spec->parameter_count; p++)
        limit += space->spec->parameters[p].value_count - 1;
    return limit;
}

size_t space_neighbours(uint64_t *out, const struct space *space, uint64_t index)
{
    unsigned choices[SPEC_PARAMETERS_MAX], own, v;
    size_t found = 0, p;

    space_configuration(choices, space, index);
    for (p = 0; p < space->spec->parameter_count; p++) {
        own = choices[p];
        for (v = 0; v < space->spec->parameters[p].value_count; v++) {
            choices[p] = v;
            if (v != own && space_index(&out[found], space, choices))
                found++;
        }
        choices[p] = own;
    }
    return found;
}

struct space_removal space_removed(const struct space *space, size_t c)
{
    return space->removals[c];
}
