#include "tuner/strategy/features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FEATURES_MOST = 16,
    PER_DOUBLING = 2, /* steps of the threads of a block */
    THREAD_LEVELS = 10 * PER_DOUBLING + 1
};

struct feature {
    const struct expr *grid; /* whether its `division`-th division is even; null: the threads of a block */
    size_t division;
};

struct features {
    const struct spec *spec;
    size_t problem, count;
    struct feature items[FEATURES_MOST];
    struct surrogate_parameter *parameters; /* of the spec, and of the items */
    struct value *slots;
};

static size_t parameters_used(const struct spec *spec, const struct expr *expr)
{
    size_t p, count = 0;

    for (p = 0; expr && p < spec->parameter_count; p++)
        count += spec->parameters[p].value_count > 1 && expr_uses(expr, p);
    return count;
}

static void add(struct features *features, struct feature feature, unsigned values)
{
    if (features->count == FEATURES_MOST)
        return;
    features->parameters[features->spec->parameter_count + features->count] =
        (struct surrogate_parameter){.values = values, .ordered = true};
    features->items[features->count++] = feature;
}

static void find(struct features *features)
{
    const struct spec_launch *launch = &features->spec->launch;
    size_t threads = 0, i, k;

    for (k = 0; k < 3; k++) {
        const struct expr *grid = launch->grid[k];

        threads += parameters_used(features->spec, launch->block[k]);
        for (i = 0; grid && parameters_used(features->spec, grid) && i < expr_divisions(grid); i++)
            add(features, (struct feature){grid, i}, 2);
    }
    if (threads > 1)
        add(features, (struct feature){0}, THREAD_LEVELS);
}

int features_open(struct features **out, const struct spec *spec, size_t problem, struct err *err)
{
    struct features *features = calloc(1, sizeof *features);
    struct surrogate_parameter *own = NULL;

    *out = features;
    if (!features)
        return err_memory(err);
    features->spec = spec;
    features->problem = problem;
    features->slots = calloc(spec->name_count + 1, sizeof *features->slots);
    features->parameters = calloc(spec->parameter_count + FEATURES_MOST, sizeof *features->parameters);
    if (!features->slots || !features->parameters || surrogate_parameters(&own, spec, err)) {
        features_close(features);
        *out = NULL;
        return err_memory(err);
    }
    memcpy(features->parameters, own, spec->parameter_count * sizeof *own);
    free(own);
    find(features);
    return 0;
}

void features_close(struct features *features)
{
    if (!features)
        return;
    free(features->slots);
    free(features->parameters);
    free(features);
}

size_t features_count(const struct features *features)
{
    return features->spec->parameter_count + features->count;
}

const struct surrogate_parameter *features_parameters(const struct features *features)
{
    return features->parameters;
}

static unsigned threads_level(const struct features *features)
{
    double threads = 1;
    int64_t value;

    for (size_t k = 0; k < 3 && features->spec->launch.block[k]; k++) {
        if (expr_integer(&value, features->spec->launch.block[k], features->slots, NULL) || value < 1)
            return 0;
        threads *= (double)value;
    }
    return (unsigned)fmin(THREAD_LEVELS - 1, round(PER_DOUBLING * log2(threads)));
}

void features_fill(unsigned *choices, const struct features *features)
{
    unsigned *out = choices + features->spec->parameter_count;

    if (!features->count)
        return;
    spec_slots(features->slots, features->spec, features->problem, choices);
    for (size_t i = 0; i < features->count; i++)
        out[i] = features->items[i].grid
                     ? expr_divides(features->items[i].grid, features->items[i].division, features->slots)
                     : threads_level(features);
}
