#include "validation/neighbours.h"

#include "base/hash.h"
#include "tuner/strategy/posterior.h"

#include <math.h>
#include <stdlib.h>

/* The points with a prediction, in a random order, and their choices. */
struct drawn {
    const struct point **points;
    struct observation *known;
    unsigned *choices;
    double *expected, *measured;
    size_t n;
};

static int by_draw(const void *a, const void *b)
{
    const struct point *const *x = a, *const *y = b;
    const uint64_t i = hash_random(1, (*x)->index), j = hash_random(1, (*y)->index);

    return (i > j) - (i < j);
}

static void drawn_release(struct drawn *drawn)
{
    free(drawn->points);
    free(drawn->known);
    free(drawn->choices);
    free(drawn->expected);
    free(drawn->measured);
}

static int drawn_init(struct drawn *out, const struct collection *from, struct err *err)
{
    const size_t parameters = from->spec.parameter_count;

    *out = (struct drawn){.points = calloc(from->count + 1, sizeof *out->points),
                          .known = calloc(from->count + 1, sizeof *out->known),
                          .choices = calloc(from->count + 1, parameters * sizeof *out->choices),
                          .expected = calloc(from->count + 1, sizeof *out->expected),
                          .measured = calloc(from->count + 1, sizeof *out->measured)};
    if (!out->points || !out->known || !out->choices || !out->expected || !out->measured) {
        drawn_release(out);
        return err_memory(err);
    }
    for (size_t i = 0; i < from->count; i++)
        if (from->points[i].ranked.predicted)
            out->points[out->n++] = &from->points[i];
    qsort(out->points, out->n, sizeof *out->points, by_draw);
    for (size_t i = 0; i < out->n; i++) {
        const struct point *point = out->points[i];

        space_configuration(out->choices + i * parameters, from->space, point->index);
        out->known[i] = (struct observation){
            .choices = out->choices + i * parameters,
            .prediction = {.predicted = true,
                           .bound_s = point->ranked.bound_s,
                           .estimate_s = point->ranked.estimate_s,
                           .limiter = point->ranked.limiter},
        };
    }
    return 0;
}

static int judge(struct neighbours *out, struct drawn *drawn, const struct posterior *posterior,
                 struct err *err)
{
    const size_t n = drawn->n - out->compiled;

    for (size_t i = 0; i < n; i++) {
        const struct point *point = drawn->points[out->compiled + i];

        drawn->expected[i] = exp(posterior_log_time(posterior, drawn->known[out->compiled + i].choices));
        drawn->measured[i] = point->measured_s;
        out->difference += fabs(drawn->expected[i] / point->ranked.estimate_s - 1) / (double)n;
    }
    return judge_times(&out->judgement, drawn->expected, drawn->measured, n, err);
}

/* By the parameters alone: a collection has no launches. */
static int open_posterior(struct posterior **out, const struct spec *spec, struct err *err)
{
    struct surrogate_parameter *parameters;
    int rc = surrogate_parameters(&parameters, spec, err);

    *out = NULL;
    if (rc)
        return rc;
    rc = posterior_open(out, parameters, spec->parameter_count, err);
    free(parameters);
    return rc;
}

int neighbours_of(struct neighbours *out, const struct collection *from, struct err *err)
{
    struct posterior *posterior = NULL;
    struct drawn drawn;
    int rc = drawn_init(&drawn, from, err);

    *out = (struct neighbours){0};
    if (rc)
        return rc;
    if (drawn.n >= 4) {
        out->compiled = drawn.n < 2 * NEIGHBOURS_COMPILED ? drawn.n / 2 : NEIGHBOURS_COMPILED;
        rc = open_posterior(&posterior, &from->spec, err);
        if (!rc)
            rc = posterior_learn(posterior, drawn.known, out->compiled, err);
        if (!rc)
            rc = judge(out, &drawn, posterior, err);
        posterior_close(posterior);
    }
    drawn_release(&drawn);
    return rc;
}
