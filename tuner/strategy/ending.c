#include "tuner/strategy/ending.h"

#include "tuner/strategy/cost.h"
#include "tuner/strategy/features.h"

#include <stdlib.h>

enum {
    TURNS = 2,       /* of all cores */
    TOLD_MOST = 1024 /* what is learned from: the latest, which are nearest to what is left */
};

struct left {
    uint64_t index;
    size_t position;
    double expected_s;
};

struct ending {
    struct search_options options;
    struct features *features;
    struct cost *cost;
    size_t feature_count;
    unsigned *choices;         /* of one, to look at */
    struct cost_point *points; /* a ring */
    unsigned *told;            /* their choices */
    size_t told_count, unlearned;
    struct left *left; /* once it has begun: longest first, from `drawn` on */
    size_t drawn, count;
};

static unsigned cores_of(const struct ending *ending)
{
    return ending->options.cores ? ending->options.cores : 1;
}

int ending_open(struct ending **out, const struct search_options *options, struct err *err)
{
    struct ending *ending = *out = calloc(1, sizeof *ending);

    if (!ending)
        return err_memory(err);
    ending->options = *options;
    if (features_open(&ending->features, options->spec, options->problem, err))
        return ERR_MEMORY;
    ending->feature_count = features_count(ending->features);
    ending->choices = calloc(ending->feature_count, sizeof *ending->choices);
    ending->points = calloc(TOLD_MOST, sizeof *ending->points);
    ending->told = calloc(TOLD_MOST * ending->feature_count, sizeof *ending->told);
    if (!ending->choices || !ending->points || !ending->told)
        return err_memory(err);
    return cost_open(&ending->cost, features_parameters(ending->features), ending->feature_count, err);
}

void ending_close(struct ending *ending)
{
    if (!ending)
        return;
    cost_close(ending->cost);
    features_close(ending->features);
    free(ending->choices);
    free(ending->points);
    free(ending->told);
    free(ending->left);
    free(ending);
}

uint64_t ending_count(const struct ending *ending)
{
    return (uint64_t)TURNS * cores_of(ending);
}

static void describe(unsigned *out, const struct ending *ending, uint64_t index)
{
    space_configuration(out, ending->options.space, index);
    features_fill(out, ending->features);
}

static int compare_left(const void *left, const void *right)
{
    const struct left *a = left, *b = right;

    if (a->expected_s != b->expected_s)
        return a->expected_s > b->expected_s ? -1 : 1;
    return a->position < b->position ? -1 : 1;
}

/* Puts those left in order, by what was told. */
static int rank(struct ending *ending, struct err *err)
{
    const size_t told = ending->told_count < TOLD_MOST ? ending->told_count : TOLD_MOST;

    ending->unlearned = 0;
    if (!told || ending->drawn == ending->count)
        return 0;
    if (cost_learn(ending->cost, ending->points, told, err))
        return ERR_MEMORY;
    for (size_t i = ending->drawn; i < ending->count; i++) {
        describe(ending->choices, ending, ending->left[i].index);
        ending->left[i].expected_s = cost_compile_s(ending->cost, ending->choices);
    }
    qsort(ending->left + ending->drawn, ending->count - ending->drawn, sizeof *ending->left, compare_left);
    return 0;
}

int ending_begin(struct ending *ending, const uint64_t *indices, size_t count, struct err *err)
{
    ending->left = calloc(count + 1, sizeof *ending->left);
    if (!ending->left)
        return err_memory(err);
    for (size_t i = 0; i < count; i++)
        ending->left[i] = (struct left){.index = indices[i], .position = i};
    ending->count = count;
    return rank(ending, err);
}

bool ending_has_begun(const struct ending *ending)
{
    return ending->left != NULL;
}

uint64_t ending_draw(struct ending *ending)
{
    return ending->left[ending->drawn++].index;
}

int ending_tell(struct ending *ending, uint64_t index, double compile_s, struct err *err)
{
    const size_t at = ending->told_count % TOLD_MOST;
    unsigned *choices = ending->told + at * ending->feature_count;

    if (!(compile_s > 0))
        return 0;
    describe(choices, ending, index);
    ending->points[at] = (struct cost_point){.choices = choices, .seconds = compile_s, .ended = true};
    ending->told_count++;
    return ending->left && ++ending->unlearned >= (cores_of(ending) + 3) / 4 ? rank(ending, err) : 0;
}
