#include "tuner/cli/explain.h"

#include "space/space.h"

#include <stdlib.h>

static const double LEAST_GAIN = 1.01;

static void offer(struct explained_changes *out, const struct ranked *row, const struct space *space,
                  const struct spec *spec, const unsigned *choices, double cost)
{
    unsigned changed[SPEC_PARAMETERS_MAX];
    struct explained_change *change = &out->best[out->count];
    size_t p;

    space_configuration(changed, space, row->index);
    for (p = 0; changed[p] == choices[p] && p + 1 < spec->parameter_count; p++)
        ;
    *change = (struct explained_change){p, changed[p], cost / ranked_cost(row), row->estimate_s};
    out->count += change->gain >= LEAST_GAIN;
}

/* The ranking comes with the fastest first. */
static void take(struct explained_changes *out, const struct ranking *ranking, const struct space *space,
                 const struct spec *spec, const unsigned *choices, double cost)
{
    out->tried = ranking->predicted;
    for (size_t i = 0; i < ranking->predicted && out->count < EXPLAIN_CHANGES; i++)
        offer(out, &ranking->rows[i], space, spec, choices, cost);
}

static int rank(struct explained_changes *out, const struct ranking_options *how, const struct space *space,
                const unsigned *choices, double cost, struct err *err)
{
    struct ranking_options own = *how;
    struct ranking ranking;
    uint64_t index, *neighbours;
    int rc;

    if (!space_index(&index, space, choices))
        return 0;
    neighbours = calloc(space_neighbour_limit(space) + 1, sizeof *neighbours);
    if (!neighbours)
        return err_memory(err);
    own.space = space;
    own.indices = neighbours;
    own.count = space_neighbours(neighbours, space, index);
    own.account = false;
    rc = ranking_make(&ranking, &own, err);
    if (!rc) {
        take(out, &ranking, space, how->spec, choices, cost);
        ranking_release(&ranking);
    }
    free(neighbours);
    return rc;
}

int explained_changes(struct explained_changes *out, const struct ranking_options *how,
                      const unsigned *choices, double cost, struct err *err)
{
    struct space *space;
    int rc = space_open(&space, how->spec, how->problem, err);

    *out = (struct explained_changes){0};
    if (rc)
        return rc;
    rc = rank(out, how, space, choices, cost, err);
    space_close(space);
    return rc;
}
